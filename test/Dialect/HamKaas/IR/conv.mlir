// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @groups(
// CHECK-SAME:    -> tensor<2x2x6x6xf32>
// CHECK:         hamkaas.conv %{{.*}}, %{{.*}} strides [2, 1] dilations [1, 2] pad [1, 0] to [0, 2] groups 2 : tensor<2x5x6x4xf32>, tensor<3x2x2x6xf32>
func.func @groups(%x: tensor<2x5x6x4xf32>, %w: tensor<3x2x2x6xf32>) -> tensor<2x2x6x6xf32> {
  %0 = hamkaas.conv %x, %w strides [2, 1] dilations [1, 2] pad [1, 0] to [0, 2] groups 2 : tensor<2x5x6x4xf32>, tensor<3x2x2x6xf32>
  return %0 : tensor<2x2x6x6xf32>
}

// CHECK-LABEL: func @one_dimension(
// CHECK:         hamkaas.conv %{{.*}}, %{{.*}} strides [1] dilations [1] pad [0] to [0] groups 1 : tensor<1x9x3xi32>, tensor<4x3x7xi32>
func.func @one_dimension(%x: tensor<1x9x3xi32>, %w: tensor<4x3x7xi32>) -> tensor<1x6x7xi32> {
  %0 = hamkaas.conv %x, %w strides [1] dilations [1] pad [0] to [0] groups 1 : tensor<1x9x3xi32>, tensor<4x3x7xi32>
  return %0 : tensor<1x6x7xi32>
}

// CHECK-LABEL: func @three_dimensions(
// CHECK-SAME:    -> tensor<1x4x4x4x2xf64>
func.func @three_dimensions(%x: tensor<1x5x5x5x1xf64>, %w: tensor<2x2x2x1x2xf64>) -> tensor<1x4x4x4x2xf64> {
  %0 = hamkaas.conv %x, %w strides [1, 1, 1] dilations [1, 1, 1] pad [0, 0, 0] to [0, 0, 0] groups 1 : tensor<1x5x5x5x1xf64>, tensor<2x2x2x1x2xf64>
  return %0 : tensor<1x4x4x4x2xf64>
}
