// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @max(
// CHECK-SAME:    -> tensor<2x3x5x3xf32>
// CHECK:         hamkaas.pool max %{{.*}} window [3, 2] strides [2, 1] dilations [1, 2] pad [1, 0] to [1, 1] : tensor<2x5x6x3xf32>
func.func @max(%x: tensor<2x5x6x3xf32>) -> tensor<2x3x5x3xf32> {
  %0 = hamkaas.pool max %x window [3, 2] strides [2, 1] dilations [1, 2] pad [1, 0] to [1, 1] : tensor<2x5x6x3xf32>
  return %0 : tensor<2x3x5x3xf32>
}

// CHECK-LABEL: func @one_dimension(
// CHECK:         hamkaas.pool sum %{{.*}} window [4] strides [4] dilations [1] pad [0] to [0] : tensor<2x9x3xi32>
func.func @one_dimension(%x: tensor<2x9x3xi32>) -> tensor<2x2x3xi32> {
  %0 = hamkaas.pool sum %x window [4] strides [4] dilations [1] pad [0] to [0] : tensor<2x9x3xi32>
  return %0 : tensor<2x2x3xi32>
}

// CHECK-LABEL: func @three_dimensions(
// CHECK-SAME:    -> tensor<1x4x4x4x1xf64>
func.func @three_dimensions(%x: tensor<1x5x5x5x1xf64>) -> tensor<1x4x4x4x1xf64> {
  %0 = hamkaas.pool max %x window [2, 2, 2] strides [1, 1, 1] dilations [1, 1, 1] pad [0, 0, 0] to [0, 0, 0] : tensor<1x5x5x5x1xf64>
  return %0 : tensor<1x4x4x4x1xf64>
}
