// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// The relu of a value that is not negative folds to the value.

// CHECK-LABEL: func @twice(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK:         %[[Y:.*]] = hamkaas.relu %[[X]]
// CHECK-NEXT:    return %[[Y]]
func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hamkaas.relu %x : tensor<4xf32>
  %1 = hamkaas.relu %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @unused(
// CHECK-NEXT:    return
func.func @unused(%x: tensor<4xf32>) {
  %0 = hamkaas.relu %x : tensor<4xf32>
  return
}
