// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func @no_entries(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    return %[[X]]
func.func @no_entries(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hamkaas.sliced_softmax %x static_prefix 0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A row of one entry becomes 1, or NaN.

// CHECK-LABEL: func @one_entry(
// CHECK:         hamkaas.sliced_softmax
func.func @one_entry(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hamkaas.sliced_softmax %x static_prefix 1 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
