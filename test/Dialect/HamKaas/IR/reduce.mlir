// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @sum(
// CHECK-SAME:    -> tensor<3xf32>
// CHECK:         hamkaas.reduce sum %{{.*}} over [0, 2] : tensor<2x3x4xf32>
func.func @sum(%x: tensor<2x3x4xf32>) -> tensor<3xf32> {
  %0 = hamkaas.reduce sum %x over [0, 2] : tensor<2x3x4xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func @prod(
// CHECK:         hamkaas.reduce prod %{{.*}} over [1] : tensor<2x3xui8>
func.func @prod(%x: tensor<2x3xui8>) -> tensor<2xui8> {
  %0 = hamkaas.reduce prod %x over [1] : tensor<2x3xui8>
  return %0 : tensor<2xui8>
}

// CHECK-LABEL: func @booleans(
// CHECK:         hamkaas.reduce max %{{.*}} over [0] : tensor<4xi1>
// CHECK:         hamkaas.reduce min %{{.*}} over [] : tensor<i1>
func.func @booleans(%x: tensor<4xi1>) -> tensor<i1> {
  %0 = hamkaas.reduce max %x over [0] : tensor<4xi1>
  %1 = hamkaas.reduce min %0 over [] : tensor<i1>
  return %1 : tensor<i1>
}
