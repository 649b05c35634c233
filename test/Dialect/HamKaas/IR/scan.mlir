// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @sums(
// CHECK-SAME:    %[[ZERO:.*]]: tensor<4xf32>, %[[X:.*]]: tensor<3x4xf32>)
// CHECK:         %[[R:.*]]:2 = hamkaas.scan 3 from(%[[ZERO]]) over(%[[X]]) with() : (tensor<4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
// CHECK-NEXT:    ^bb0(%[[C:.*]]: tensor<4xf32>, %[[ROW:.*]]: tensor<4xf32>):
// CHECK-NEXT:      %[[S:.*]] = hamkaas.add %[[C]], %[[ROW]]
// CHECK-NEXT:      hamkaas.yield %[[S]], %[[S]] : tensor<4xf32>, tensor<4xf32>
func.func @sums(%zero: tensor<4xf32>, %x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %sum, %sums = hamkaas.scan 3 from(%zero) over(%x) with() : (tensor<4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
  ^bb0(%carried: tensor<4xf32>, %row: tensor<4xf32>):
    %next = hamkaas.add %carried, %row : tensor<4xf32>, tensor<4xf32>
    hamkaas.yield %next, %next : tensor<4xf32>, tensor<4xf32>
  }
  return %sums : tensor<3x4xf32>
}

// Rows of vectors are scalars; values are the same in all steps.
// CHECK-LABEL: func @reversed(
// CHECK:         hamkaas.scan 5 reversed from() over(%{{.*}}) with(%{{.*}}) : (tensor<5xi64>, tensor<i64>) -> tensor<5xi64> {
func.func @reversed(%x: tensor<5xi64>, %y: tensor<i64>) -> tensor<5xi64> {
  %0 = hamkaas.scan 5 reversed from() over(%x) with(%y) : (tensor<5xi64>, tensor<i64>) -> tensor<5xi64> {
  ^bb0(%row: tensor<i64>, %value: tensor<i64>):
    %1 = hamkaas.add %row, %value : tensor<i64>, tensor<i64>
    hamkaas.yield %1 : tensor<i64>
  }
  return %0 : tensor<5xi64>
}
