// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// A cast to the same type folds to its operand.

// CHECK-LABEL: func @same(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT:    return %[[X]]
func.func @same(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.cast %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
