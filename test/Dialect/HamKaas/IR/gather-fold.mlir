// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// Indices that are known need no check.

// CHECK-LABEL: func @known(
// CHECK:         hamkaas.gather %{{.*}}, %{{.*}} dim 0 {unchecked}
func.func @known(%x: tensor<4x3xf32>) -> tensor<3x3xf32> {
  %i = hamkaas.constant dense<[-4, 3, 1]> : tensor<3xi32>
  %0 = hamkaas.gather %x, %i dim 0 : tensor<4x3xf32>, tensor<3xi32>
  return %0 : tensor<3x3xf32>
}

// CHECK-LABEL: func @out_of_range(
// CHECK:         hamkaas.gather %{{.*}}, %{{.*}} dim 0 : tensor<4x3xf32>
func.func @out_of_range(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %i = hamkaas.constant dense<[-4, 4]> : tensor<2xi64>
  %0 = hamkaas.gather %x, %i dim 0 : tensor<4x3xf32>, tensor<2xi64>
  return %0 : tensor<2x3xf32>
}

// Evenly spaced ones are a slice, and those of all elements nothing.

// CHECK-LABEL: func @spaced(
// CHECK-SAME:    %[[X:.*]]: tensor<4x5xf32>
// CHECK:         %[[S:.*]] = hamkaas.strided_slice %[[X]] offsets [0, 4] sizes [4, 3] strides [1, -2]
// CHECK:         return %[[S]], %[[X]]
func.func @spaced(%x: tensor<4x5xf32>) -> (tensor<4x3xf32>, tensor<4x5xf32>) {
  %i = hamkaas.constant dense<[-1, 2, 0]> : tensor<3xi64>
  %j = hamkaas.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %0 = hamkaas.gather %x, %i dim 1 : tensor<4x5xf32>, tensor<3xi64>
  %1 = hamkaas.gather %x, %j dim 0 : tensor<4x5xf32>, tensor<4xi64>
  return %0, %1 : tensor<4x3xf32>, tensor<4x5xf32>
}

// CHECK-LABEL: func @repeated(
// CHECK:         hamkaas.gather
func.func @repeated(%x: tensor<4x5xf32>) -> tensor<4x4xf32> {
  %i = hamkaas.constant dense<[0, 0, 2, 2]> : tensor<4xi64>
  %0 = hamkaas.gather %x, %i dim 1 : tensor<4x5xf32>, tensor<4xi64>
  return %0 : tensor<4x4xf32>
}
