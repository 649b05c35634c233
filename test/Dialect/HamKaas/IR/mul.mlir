// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @equal(
// CHECK:         hamkaas.mul %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32>
func.func @equal(%x: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.mul %x, %b : tensor<2x3xf32>, tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Dimensions of rhs of size 1 are repeated, in any place.

// CHECK-LABEL: func @broadcast(
// CHECK:         hamkaas.mul %{{.*}}, %{{.*}} : tensor<2x3x4xf32>, tensor<1x3x1xf32>
func.func @broadcast(%x: tensor<2x3x4xf32>, %b: tensor<1x3x1xf32>) -> tensor<2x3x4xf32> {
  %0 = hamkaas.mul %x, %b : tensor<2x3x4xf32>, tensor<1x3x1xf32>
  return %0 : tensor<2x3x4xf32>
}
