// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// What changes nothing is nothing.

// CHECK-LABEL: func @same(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT:    return %[[X]]
func.func @same(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.broadcast %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
