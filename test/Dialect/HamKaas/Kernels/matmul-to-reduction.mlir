// RUN: hamkaas-opt %s -hamkaas-matmul-to-reduction | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-matmul-to-reduction=dot-depth=8 | FileCheck %s --check-prefix=DOTS

// One query a head, times the keys of a cache: each score is a sum of products
// of two rows.

// CHECK-LABEL: func @scores(
// CHECK-SAME:    %[[Q:.*]]: tensor<4x1x8xf32>, %[[K:.*]]: tensor<4x16x8xf32>
// CHECK-DAG:     %[[KEYS:.*]] = hamkaas.reshape %[[K]] : tensor<4x16x8xf32> -> tensor<4x1x16x8xf32>
// CHECK-DAG:     %[[QUERY:.*]] = hamkaas.reshape %[[Q]] : tensor<4x1x8xf32> -> tensor<4x1x1x8xf32>
// CHECK:         %[[PRODUCTS:.*]] = hamkaas.mul %[[KEYS]], %[[QUERY]]
// CHECK:         hamkaas.reduce sum %[[PRODUCTS]] over [3] : tensor<4x1x16x8xf32>
// DOTS-LABEL:  func @scores(
// DOTS:          hamkaas.reduce
func.func @scores(%q: tensor<4x1x8xf32>, %k: tensor<4x16x8xf32>) -> tensor<4x1x16xf32> {
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<4x16x8xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<4x1x8xf32>, tensor<4x8x16xf32>
  return %1 : tensor<4x1x16xf32>
}

// Several queries share the keys. What is left of the permute keeps rows. A
// target that multiplies rows with rows reads them there.

// CHECK-LABEL: func @shared(
// CHECK-SAME:    %[[Q:.*]]: tensor<4x3x8xf32>, %[[K:.*]]: tensor<16x4x8xf32>
// CHECK-DAG:     %[[ROWS:.*]] = hamkaas.permute %[[K]][1, 0, 2] : tensor<16x4x8xf32>
// CHECK-DAG:     %[[KEYS:.*]] = hamkaas.reshape %[[ROWS]] : tensor<4x16x8xf32> -> tensor<4x1x16x8xf32>
// CHECK-DAG:     %[[QUERIES:.*]] = hamkaas.reshape %[[Q]] : tensor<4x3x8xf32> -> tensor<4x3x1x8xf32>
// CHECK:         %[[REPEATED:.*]] = hamkaas.broadcast %[[KEYS]] : tensor<4x1x16x8xf32> -> tensor<4x3x16x8xf32>
// CHECK:         %[[PRODUCTS:.*]] = hamkaas.mul %[[REPEATED]], %[[QUERIES]]
// CHECK:         hamkaas.reduce sum %[[PRODUCTS]] over [3]
// DOTS-LABEL:  func @shared(
// DOTS:          hamkaas.matmul
// DOTS-NOT:      hamkaas.reduce
// DOTS:          return
func.func @shared(%q: tensor<4x3x8xf32>, %k: tensor<16x4x8xf32>) -> tensor<4x3x16xf32> {
  %0 = hamkaas.permute %k [1, 2, 0] : tensor<16x4x8xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<4x3x8xf32>, tensor<4x8x16xf32>
  return %1 : tensor<4x3x16xf32>
}

// Parameters are transposed once. Many rows are worth a permutation, and what
// is not contiguous along the depth gains nothing.

ml_program.global private @w(#ml_program.extern<tensor<16x8xf32>>) : tensor<16x8xf32>
// CHECK-LABEL: func @others(
// CHECK-NOT:     hamkaas.reduce
// CHECK:         return
func.func @others(%q: tensor<1x8xf32>, %r: tensor<5x8xf32>, %k: tensor<16x8xf32>, %p: tensor<1x1x8xf32>, %l: tensor<8x1x16xf32>) -> (tensor<1x16xf32>, tensor<5x16xf32>, tensor<1x1x16xf32>) {
  %w = ml_program.global_load_const @w : tensor<16x8xf32>
  %0 = hamkaas.permute %w [1, 0] : tensor<16x8xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<1x8xf32>, tensor<8x16xf32>
  %2 = hamkaas.permute %k [1, 0] : tensor<16x8xf32>
  %3 = hamkaas.matmul %r, %2 : tensor<5x8xf32>, tensor<8x16xf32>
  %4 = hamkaas.permute %l [1, 0, 2] : tensor<8x1x16xf32>
  %5 = hamkaas.matmul %p, %4 : tensor<1x1x8xf32>, tensor<1x8x16xf32>
  return %1, %3, %5 : tensor<1x16xf32>, tensor<5x16xf32>, tensor<1x1x16xf32>
}

// A vector stays: it has no dimension of rows.

// CHECK-LABEL: func @vector(
// CHECK:         hamkaas.matmul
// CHECK-NOT:     hamkaas.reduce
// CHECK:         return
func.func @vector(%q: tensor<8xf32>, %k: tensor<16x8xf32>) -> tensor<16xf32> {
  %0 = hamkaas.permute %k [1, 0] : tensor<16x8xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<8xf32>, tensor<8x16xf32>
  return %1 : tensor<16xf32>
}

// One product a sum.

// CHECK-LABEL: func @outer(
// CHECK-SAME:    %[[X:.*]]: tensor<4x3x1xf32>, %[[Y:.*]]: tensor<4x1x8xf32>
// CHECK-DAG:     %[[ROWS:.*]] = hamkaas.broadcast %[[X]] : tensor<4x3x1xf32> -> tensor<4x3x8xf32>
// CHECK-DAG:     %[[COLUMNS:.*]] = hamkaas.broadcast %[[Y]] : tensor<4x1x8xf32> -> tensor<4x3x8xf32>
// CHECK:         hamkaas.mul %[[ROWS]], %[[COLUMNS]]
// CHECK-NOT:     hamkaas.matmul
func.func @outer(%x: tensor<4x3x1xf32>, %y: tensor<4x1x8xf32>) -> tensor<4x3x8xf32> {
  %0 = hamkaas.matmul %x, %y : tensor<4x3x1xf32>, tensor<4x1x8xf32>
  return %0 : tensor<4x3x8xf32>
}
