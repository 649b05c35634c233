// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @sums(
// CHECK:         hamkaas.scatter add %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<2xi64>, tensor<2x3xf32>
func.func @sums(%x: tensor<4x3xf32>, %i: tensor<2xi64>, %u: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = hamkaas.scatter add %x, %i, %u : tensor<4x3xf32>, tensor<2xi64>, tensor<2x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: func @booleans(
// CHECK:         hamkaas.scatter none %{{.*}}, %{{.*}}, %{{.*}} {unchecked} : tensor<4xi1>, tensor<2xi32>, tensor<2xi1>
func.func @booleans(%x: tensor<4xi1>, %i: tensor<2xi32>, %u: tensor<2xi1>) -> tensor<4xi1> {
  %0 = hamkaas.scatter none %x, %i, %u {unchecked} : tensor<4xi1>, tensor<2xi32>, tensor<2xi1>
  return %0 : tensor<4xi1>
}
