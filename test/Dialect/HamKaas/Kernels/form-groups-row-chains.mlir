// RUN: hamkaas-opt %s -hamkaas-form-groups -split-input-file | FileCheck %s

// The logarithm of a softmax visits each row three times in one kernel. What
// has one number a row may have a dimension of 1 at the end, or not.

// CHECK-LABEL: func @log_softmax(
// CHECK-SAME:    %[[X:.*]]: tensor<4x16xf32>
// CHECK-NOT:     hamkaas.reshape
// CHECK:         hamkaas.group row(%[[X]]) {{.*}}hamkaas.ops = "reduce+sub+exp+reduce+log+sub"
// CHECK-NOT:     hamkaas.group
// CHECK:         return
func.func @log_softmax(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = hamkaas.reduce max %x over [1] : tensor<4x16xf32>
  %1 = hamkaas.reshape %0 : tensor<4xf32> -> tensor<4x1xf32>
  %2 = hamkaas.sub %x, %1 : tensor<4x16xf32>, tensor<4x1xf32>
  %3 = hamkaas.exp %2 : tensor<4x16xf32>
  %4 = hamkaas.reduce sum %3 over [1] : tensor<4x16xf32>
  %5 = hamkaas.log %4 : tensor<4xf32>
  %6 = hamkaas.reshape %5 : tensor<4xf32> -> tensor<4x1xf32>
  %7 = hamkaas.sub %2, %6 : tensor<4x16xf32>, tensor<4x1xf32>
  return %7 : tensor<4x16xf32>
}

// -----

// Of short rows, the logarithms of several are computed as a vector.

// CHECK-LABEL: func @short_rows(
// CHECK-NOT:     hamkaas.group row
// CHECK:         return
func.func @short_rows(%x: tensor<4x15xf32>) -> tensor<4x15xf32> {
  %0 = hamkaas.reduce sum %x over [1] : tensor<4x15xf32>
  %1 = hamkaas.log %0 : tensor<4xf32>
  %2 = hamkaas.reshape %1 : tensor<4xf32> -> tensor<4x1xf32>
  %3 = hamkaas.sub %x, %2 : tensor<4x15xf32>, tensor<4x1xf32>
  return %3 : tensor<4x15xf32>
}

// -----

// Without a logarithm, rows may be shorter.

// CHECK-LABEL: func @centered(
// CHECK:         hamkaas.group row({{.*}}hamkaas.ops = "reduce+mul+sub"
// CHECK-NOT:     hamkaas.group
// CHECK:         return
func.func @centered(%x: tensor<4x32xf32>, %n: tensor<1xf32>) -> tensor<4x32xf32> {
  %0 = hamkaas.reduce sum %x over [1] : tensor<4x32xf32>
  %1 = hamkaas.mul %0, %n : tensor<4xf32>, tensor<1xf32>
  %2 = hamkaas.reshape %1 : tensor<4xf32> -> tensor<4x1xf32>
  %3 = hamkaas.sub %x, %2 : tensor<4x32xf32>, tensor<4x1xf32>
  return %3 : tensor<4x32xf32>
}

// -----

// A reduction that is a result stays apart.

// CHECK-LABEL: func @two_results(
// CHECK:         hamkaas.group reduction(
// CHECK:         hamkaas.group elementwise(
func.func @two_results(%x: tensor<4x32xf32>) -> (tensor<4xf32>, tensor<4x32xf32>) {
  %0 = hamkaas.reduce sum %x over [1] : tensor<4x32xf32>
  %1 = hamkaas.reshape %0 : tensor<4xf32> -> tensor<4x1xf32>
  %2 = hamkaas.sub %x, %1 : tensor<4x32xf32>, tensor<4x1xf32>
  return %0, %2 : tensor<4xf32>, tensor<4x32xf32>
}

// -----

// No tensor is read twice, so two kernels move as much.

// CHECK-LABEL: func @other_tensor(
// CHECK:         hamkaas.group reduction(
// CHECK:         hamkaas.group elementwise(
func.func @other_tensor(%x: tensor<4x32xf32>, %y: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %0 = hamkaas.reduce sum %x over [1] : tensor<4x32xf32>
  %1 = hamkaas.reshape %0 : tensor<4xf32> -> tensor<4x1xf32>
  %2 = hamkaas.sub %y, %1 : tensor<4x32xf32>, tensor<4x1xf32>
  return %2 : tensor<4x32xf32>
}

// -----

// The epilogue of a product stays with it.

// CHECK-LABEL: func @epilogue(
// CHECK:         hamkaas.group reduction(
// CHECK:         hamkaas.group contraction({{.*}}hamkaas.ops = "matmul+add+sub"
func.func @epilogue(%x: tensor<4x32xf32>, %y: tensor<4x8xf32>, %w: tensor<8x32xf32>) -> tensor<4x32xf32> {
  %0 = hamkaas.reduce sum %x over [1] : tensor<4x32xf32>
  %1 = hamkaas.reshape %0 : tensor<4xf32> -> tensor<4x1xf32>
  %2 = hamkaas.matmul %y, %w : tensor<4x8xf32>, tensor<8x32xf32>
  %3 = hamkaas.add %2, %x : tensor<4x32xf32>, tensor<4x32xf32>
  %4 = hamkaas.sub %3, %1 : tensor<4x32xf32>, tensor<4x1xf32>
  return %4 : tensor<4x32xf32>
}

// -----

// The kernel keeps one exponential for all visits, and would compute a second
// one again in each.

// CHECK-LABEL: func @two_functions(
// CHECK:         hamkaas.group elementwise({{.*}}hamkaas.ops = "log"
// CHECK:         hamkaas.group row({{.*}}hamkaas.ops = "exp+mul+reduce+div+add"
func.func @two_functions(%x: tensor<4x32xf32>, %y: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %0 = hamkaas.log %y : tensor<4x32xf32>
  %1 = hamkaas.exp %x : tensor<4x32xf32>
  %2 = hamkaas.mul %1, %0 : tensor<4x32xf32>, tensor<4x32xf32>
  %3 = hamkaas.reduce sum %2 over [1] : tensor<4x32xf32>
  %4 = hamkaas.reshape %3 : tensor<4xf32> -> tensor<4x1xf32>
  %5 = hamkaas.div %1, %4 : tensor<4x32xf32>, tensor<4x1xf32>
  %6 = hamkaas.add %5, %0 : tensor<4x32xf32>, tensor<4x32xf32>
  return %6 : tensor<4x32xf32>
}
