// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @rows(
// CHECK:         hamkaas.gather %{{.*}}, %{{.*}} dim 0 : tensor<4x3xf32>, tensor<2x5xi32>
func.func @rows(%x: tensor<4x3xf32>, %i: tensor<2x5xi32>) -> tensor<2x5x3xf32> {
  %0 = hamkaas.gather %x, %i dim 0 : tensor<4x3xf32>, tensor<2x5xi32>
  return %0 : tensor<2x5x3xf32>
}

// CHECK-LABEL: func @scalar(
// CHECK:         hamkaas.gather %{{.*}}, %{{.*}} dim 1 {unchecked} : tensor<4x3xi1>, tensor<i64>
func.func @scalar(%x: tensor<4x3xi1>, %i: tensor<i64>) -> tensor<4xi1> {
  %0 = hamkaas.gather %x, %i dim 1 {unchecked} : tensor<4x3xi1>, tensor<i64>
  return %0 : tensor<4xi1>
}
