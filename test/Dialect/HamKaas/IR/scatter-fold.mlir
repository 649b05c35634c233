// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// Indices that are known need no check.

// CHECK-LABEL: func @known(
// CHECK:         hamkaas.scatter none %{{.*}}, %{{.*}}, %{{.*}} {unchecked}
func.func @known(%x: tensor<4xf32>, %u: tensor<2xf32>) -> tensor<4xf32> {
  %i = hamkaas.constant dense<[-4, 3]> : tensor<2xi64>
  %0 = hamkaas.scatter none %x, %i, %u : tensor<4xf32>, tensor<2xi64>, tensor<2xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @out_of_range(
// CHECK-NOT:     unchecked
func.func @out_of_range(%x: tensor<4xf32>, %u: tensor<2xf32>) -> tensor<4xf32> {
  %i = hamkaas.constant dense<[-5, 3]> : tensor<2xi64>
  %0 = hamkaas.scatter none %x, %i, %u : tensor<4xf32>, tensor<2xi64>, tensor<2xf32>
  return %0 : tensor<4xf32>
}
