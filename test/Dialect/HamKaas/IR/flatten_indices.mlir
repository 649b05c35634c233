// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @tuples(
// CHECK:         hamkaas.flatten_indices %{{.*}} sizes [4, 3] dim 1 {nonnegative} : tensor<2x5x2xi32>
func.func @tuples(%i: tensor<2x5x2xi32>) -> tensor<2x5xi64> {
  %0 = hamkaas.flatten_indices %i sizes [4, 3] dim 1 {nonnegative} : tensor<2x5x2xi32>
  return %0 : tensor<2x5xi64>
}

// CHECK-LABEL: func @scalar(
// CHECK:         hamkaas.flatten_indices %{{.*}} sizes [4] dim 0 {unchecked} : tensor<1xi64>
func.func @scalar(%i: tensor<1xi64>) -> tensor<i64> {
  %0 = hamkaas.flatten_indices %i sizes [4] dim 0 {unchecked} : tensor<1xi64>
  return %0 : tensor<i64>
}
