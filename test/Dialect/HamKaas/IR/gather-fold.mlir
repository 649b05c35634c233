// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// Indices that are known need no check.

// CHECK-LABEL: func @known(
// CHECK:         hamkaas.gather %{{.*}}, %{{.*}} dim 0 {unchecked}
func.func @known(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %i = hamkaas.constant dense<[-4, 3]> : tensor<2xi32>
  %0 = hamkaas.gather %x, %i dim 0 : tensor<4x3xf32>, tensor<2xi32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @out_of_range(
// CHECK:         hamkaas.gather %{{.*}}, %{{.*}} dim 0 : tensor<4x3xf32>
func.func @out_of_range(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %i = hamkaas.constant dense<[-4, 4]> : tensor<2xi64>
  %0 = hamkaas.gather %x, %i dim 0 : tensor<4x3xf32>, tensor<2xi64>
  return %0 : tensor<2x3xf32>
}
