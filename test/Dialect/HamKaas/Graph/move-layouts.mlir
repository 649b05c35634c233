// RUN: hamkaas-opt %s -hamkaas-move-layouts | FileCheck %s

// A pointwise operation between two convolutions takes their layout.

// CHECK-LABEL: func @between(
// CHECK-SAME:    %[[X:.*]]: tensor<1x5x6x8xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.relu %[[X]] : tensor<1x5x6x8xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @between(%x: tensor<1x5x6x8xf32>) -> tensor<1x5x6x8xf32> {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<1x5x6x8xf32>
  %1 = hamkaas.relu %0 : tensor<1x8x5x6xf32>
  %2 = hamkaas.permute %1[0, 2, 3, 1] : tensor<1x8x5x6xf32>
  return %2 : tensor<1x5x6x8xf32>
}

// One permute before an operation is as good as one behind it.

// CHECK-LABEL: func @tie(
// CHECK-NEXT:    hamkaas.permute
// CHECK-NEXT:    hamkaas.relu
// CHECK-NEXT:    return
func.func @tie(%x: tensor<1x5x6x8xf32>) -> tensor<1x8x5x6xf32> {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<1x5x6x8xf32>
  %1 = hamkaas.relu %0 : tensor<1x8x5x6xf32>
  return %1 : tensor<1x8x5x6xf32>
}

// The result is needed in both layouts: three permutes become one.

// CHECK-LABEL: func @both_layouts(
// CHECK-SAME:    %[[X:.*]]: tensor<1x5x6x8xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.relu %[[X]]
// CHECK-NEXT:    %[[Z:.*]] = hamkaas.permute %[[Y]][0, 3, 1, 2]
// CHECK-NEXT:    return %[[Z]], %[[Y]]
func.func @both_layouts(%x: tensor<1x5x6x8xf32>)
    -> (tensor<1x8x5x6xf32>, tensor<1x5x6x8xf32>) {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<1x5x6x8xf32>
  %1 = hamkaas.relu %0 : tensor<1x8x5x6xf32>
  %2 = hamkaas.permute %1[0, 2, 3, 1] : tensor<1x8x5x6xf32>
  return %1, %2 : tensor<1x8x5x6xf32>, tensor<1x5x6x8xf32>
}

// A residual block: both branches are permuted, one result is used twice.

// CHECK-LABEL: func @residual(
// CHECK-SAME:    %[[X:.*]]: tensor<1x5x6x8xf32>, %[[Y:.*]]: tensor<1x5x6x8xf32>
// CHECK-NEXT:    %[[A:.*]] = hamkaas.relu %[[X]]
// CHECK-NEXT:    %[[S:.*]] = hamkaas.add %[[A]], %[[Y]]
// CHECK-NEXT:    return %[[A]], %[[S]]
func.func @residual(%x: tensor<1x5x6x8xf32>, %y: tensor<1x5x6x8xf32>)
    -> (tensor<1x5x6x8xf32>, tensor<1x5x6x8xf32>) {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<1x5x6x8xf32>
  %1 = hamkaas.relu %0 : tensor<1x8x5x6xf32>
  %2 = hamkaas.permute %1[0, 2, 3, 1] : tensor<1x8x5x6xf32>
  %3 = hamkaas.permute %y[0, 3, 1, 2] : tensor<1x5x6x8xf32>
  %4 = hamkaas.add %1, %3 : tensor<1x8x5x6xf32>, tensor<1x8x5x6xf32>
  %5 = hamkaas.permute %4[0, 2, 3, 1] : tensor<1x8x5x6xf32>
  return %2, %5 : tensor<1x5x6x8xf32>, tensor<1x5x6x8xf32>
}

// An operand for each channel: moving dimensions of size 1 costs nothing. A
// parameter is permuted when the program is loaded.

ml_program.global private @w(#ml_program.extern : tensor<1x8x5x6xf32>) : tensor<1x8x5x6xf32>

// CHECK-LABEL: func @operands(
// CHECK-SAME:    %[[X:.*]]: tensor<1x5x6x8xf32>, %[[S:.*]]: tensor<1x8x1x1xf32>
// CHECK-NEXT:    %[[T:.*]] = hamkaas.permute %[[S]][0, 2, 3, 1]
// CHECK-NEXT:    %[[A:.*]] = hamkaas.mul %[[X]], %[[T]] : tensor<1x5x6x8xf32>, tensor<1x1x1x8xf32>
// CHECK-NEXT:    %[[W:.*]] = ml_program.global_load_const @w
// CHECK-NEXT:    %[[V:.*]] = hamkaas.permute %[[W]][0, 2, 3, 1]
// CHECK-NEXT:    %[[B:.*]] = hamkaas.add %[[A]], %[[V]]
// CHECK-NEXT:    return %[[B]]
func.func @operands(%x: tensor<1x5x6x8xf32>, %s: tensor<1x8x1x1xf32>)
    -> tensor<1x5x6x8xf32> {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<1x5x6x8xf32>
  %1 = hamkaas.mul %0, %s : tensor<1x8x5x6xf32>, tensor<1x8x1x1xf32>
  %w = ml_program.global_load_const @w : tensor<1x8x5x6xf32>
  %2 = hamkaas.add %1, %w : tensor<1x8x5x6xf32>, tensor<1x8x5x6xf32>
  %3 = hamkaas.permute %2[0, 2, 3, 1] : tensor<1x8x5x6xf32>
  return %3 : tensor<1x5x6x8xf32>
}

// An input would have to be permuted instead: nothing is gained.

// CHECK-LABEL: func @other_operand(
// CHECK-NEXT:    hamkaas.permute
// CHECK-NEXT:    hamkaas.add
// CHECK-NEXT:    return
func.func @other_operand(%x: tensor<1x5x6x8xf32>, %y: tensor<1x8x5x6xf32>)
    -> tensor<1x8x5x6xf32> {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<1x5x6x8xf32>
  %1 = hamkaas.add %0, %y : tensor<1x8x5x6xf32>, tensor<1x8x5x6xf32>
  return %1 : tensor<1x8x5x6xf32>
}

// A reduction takes its operand in any layout; here its result has the same
// order in both.

// CHECK-LABEL: func @average(
// CHECK-SAME:    %[[X:.*]]: tensor<2x5x6x8xf32>
// CHECK-NEXT:    %[[A:.*]] = hamkaas.relu %[[X]]
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.reduce sum %[[A]] over [1, 2] : tensor<2x5x6x8xf32>
// CHECK-NEXT:    return %[[Y]] : tensor<2x8xf32>
func.func @average(%x: tensor<2x5x6x8xf32>) -> tensor<2x8xf32> {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<2x5x6x8xf32>
  %1 = hamkaas.relu %0 : tensor<2x8x5x6xf32>
  %2 = hamkaas.reduce sum %1 over [2, 3] : tensor<2x8x5x6xf32>
  return %2 : tensor<2x8xf32>
}

// It is the smaller result that is permuted.

// CHECK-LABEL: func @reduce_rows(
// CHECK-SAME:    %[[X:.*]]: tensor<2x5x6x8xf32>
// CHECK-NEXT:    %[[R:.*]] = hamkaas.reduce max %[[X]] over [2] : tensor<2x5x6x8xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.permute %[[R]][0, 2, 1] : tensor<2x5x8xf32>
// CHECK-NEXT:    return %[[Y]] : tensor<2x8x5xf32>
func.func @reduce_rows(%x: tensor<2x5x6x8xf32>) -> tensor<2x8x5xf32> {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<2x5x6x8xf32>
  %1 = hamkaas.reduce max %0 over [3] : tensor<2x8x5x6xf32>
  return %1 : tensor<2x8x5xf32>
}

// Rows stay rows.

// CHECK-LABEL: func @rows(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4x8xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.layer_norm %[[X]]
// CHECK-NEXT:    return %[[Y]]
func.func @rows(%x: tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32> {
  %0 = hamkaas.permute %x[0, 2, 1, 3] : tensor<2x3x4x8xf32>
  %1 = hamkaas.layer_norm %0 epsilon 1.0e-5 : tensor<2x4x3x8xf32>
  %2 = hamkaas.permute %1[0, 2, 1, 3] : tensor<2x4x3x8xf32>
  return %2 : tensor<2x3x4x8xf32>
}

// CHECK-LABEL: func @other_rows(
// CHECK-NEXT:    hamkaas.permute
// CHECK-NEXT:    hamkaas.layer_norm
// CHECK-NEXT:    hamkaas.permute
func.func @other_rows(%x: tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32> {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<2x3x4x8xf32>
  %1 = hamkaas.layer_norm %0 epsilon 1.0e-5 : tensor<2x8x3x4xf32>
  %2 = hamkaas.permute %1[0, 2, 3, 1] : tensor<2x8x3x4xf32>
  return %2 : tensor<2x3x4x8xf32>
}

// Complex numbers are rows of two, of both operands.

// CHECK-LABEL: func @complex_numbers(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4x2xf32>, %[[Y:.*]]: tensor<1x3x1x2xf32>
// CHECK-NOT:     hamkaas.permute %[[X]]
// CHECK:         %[[Z:.*]] = hamkaas.complex_mul %[[X]], %{{.*}} : tensor<2x3x4x2xf32>, tensor<1x3x1x2xf32>
// CHECK-NEXT:    return %[[Z]]
func.func @complex_numbers(%x: tensor<2x3x4x2xf32>, %y: tensor<1x3x1x2xf32>) -> tensor<2x3x4x2xf32> {
  %0 = hamkaas.permute %x[0, 2, 1, 3] : tensor<2x3x4x2xf32>
  %1 = hamkaas.permute %y[0, 2, 1, 3] : tensor<1x3x1x2xf32>
  %2 = hamkaas.complex_mul %0, %1 : tensor<2x4x3x2xf32>, tensor<1x1x3x2xf32>
  %3 = hamkaas.permute %2[0, 2, 1, 3] : tensor<2x4x3x2xf32>
  return %3 : tensor<2x3x4x2xf32>
}

// One result a row is permuted as the rows are.

// CHECK-LABEL: func @results_of_rows(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4x8xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.log_sum_exp %[[X]]
// CHECK-NEXT:    return %[[Y]]
func.func @results_of_rows(%x: tensor<2x3x4x8xf32>) -> tensor<2x3x4xf32> {
  %0 = hamkaas.permute %x[0, 2, 1, 3] : tensor<2x3x4x8xf32>
  %1 = hamkaas.log_sum_exp %0 : tensor<2x4x3x8xf32>
  %2 = hamkaas.permute %1[0, 2, 1] : tensor<2x4x3xf32>
  return %2 : tensor<2x3x4xf32>
}

// A reshape fixes the layout.

// CHECK-LABEL: func @reshape(
// CHECK-NEXT:    hamkaas.permute
// CHECK-NEXT:    hamkaas.relu
// CHECK-NEXT:    hamkaas.reshape
func.func @reshape(%x: tensor<1x5x6x8xf32>) -> tensor<240xf32> {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<1x5x6x8xf32>
  %1 = hamkaas.relu %0 : tensor<1x8x5x6xf32>
  %2 = hamkaas.reshape %1 : tensor<1x8x5x6xf32> -> tensor<240xf32>
  return %2 : tensor<240xf32>
}

// A permute into yet another layout becomes the way there from the new one.

// CHECK-LABEL: func @third_layout(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4x5xf32>, %[[Y:.*]]: tensor<2x3x4x5xf32>
// CHECK-NEXT:    %[[A:.*]] = hamkaas.mul %[[X]], %[[Y]]
// CHECK-NEXT:    %[[Z:.*]] = hamkaas.permute %[[A]][0, 2, 1, 3] : tensor<2x3x4x5xf32>
// CHECK-NEXT:    return %[[Z]]
func.func @third_layout(%x: tensor<2x3x4x5xf32>, %y: tensor<2x3x4x5xf32>)
    -> tensor<2x4x3x5xf32> {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<2x3x4x5xf32>
  %1 = hamkaas.permute %y[0, 3, 1, 2] : tensor<2x3x4x5xf32>
  %2 = hamkaas.mul %0, %1 : tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>
  %3 = hamkaas.permute %2[0, 3, 2, 1] : tensor<2x5x3x4xf32>
  return %3 : tensor<2x4x3x5xf32>
}

// A value that is permuted for one reader serves another one, too.

// CHECK-LABEL: func @shared_permute(
// CHECK-SAME:    %[[X:.*]]: tensor<1x8x5x6xf32>
// CHECK-NEXT:    %[[P:.*]] = hamkaas.permute %[[X]][0, 2, 3, 1]
// CHECK-NEXT:    %[[R:.*]] = hamkaas.relu %[[P]]
// CHECK-NEXT:    return %[[R]], %[[P]]
func.func @shared_permute(%x: tensor<1x8x5x6xf32>)
    -> (tensor<1x5x6x8xf32>, tensor<1x5x6x8xf32>) {
  %0 = hamkaas.relu %x : tensor<1x8x5x6xf32>
  %1 = hamkaas.permute %0[0, 2, 3, 1] : tensor<1x8x5x6xf32>
  %2 = hamkaas.permute %x[0, 2, 3, 1] : tensor<1x8x5x6xf32>
  return %1, %2 : tensor<1x5x6x8xf32>, tensor<1x5x6x8xf32>
}

// Operations along some dimensions do the same along those that they become.

// CHECK-LABEL: func @concat(
// CHECK-SAME:    %[[X:.*]]: tensor<1x5x6x8xf32>, %[[Y:.*]]: tensor<1x5x6x4xf32>
// CHECK-NEXT:    %[[Z:.*]] = hamkaas.concat %[[X]], %[[Y]] dim 3 : tensor<1x5x6x8xf32>, tensor<1x5x6x4xf32>
// CHECK-NEXT:    return %[[Z]] : tensor<1x5x6x12xf32>
func.func @concat(%x: tensor<1x5x6x8xf32>, %y: tensor<1x5x6x4xf32>)
    -> tensor<1x5x6x12xf32> {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<1x5x6x8xf32>
  %1 = hamkaas.permute %y[0, 3, 1, 2] : tensor<1x5x6x4xf32>
  %2 = hamkaas.concat %0, %1 dim 1 : tensor<1x8x5x6xf32>, tensor<1x4x5x6xf32>
  %3 = hamkaas.permute %2[0, 2, 3, 1] : tensor<1x12x5x6xf32>
  return %3 : tensor<1x5x6x12xf32>
}

// An operand that has no such permute would need one: nothing is gained.

// CHECK-LABEL: func @concat_of_input(
// CHECK-NEXT:    hamkaas.permute
// CHECK-NEXT:    hamkaas.concat
// CHECK-NEXT:    return
func.func @concat_of_input(%x: tensor<1x5x6x8xf32>, %y: tensor<1x8x5x6xf32>)
    -> tensor<1x16x5x6xf32> {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<1x5x6x8xf32>
  %1 = hamkaas.concat %0, %y dim 1 : tensor<1x8x5x6xf32>, tensor<1x8x5x6xf32>
  return %1 : tensor<1x16x5x6xf32>
}

// CHECK-LABEL: func @pad(
// CHECK-SAME:    %[[X:.*]]: tensor<1x5x6x8xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.pad %[[X]] low [0, 1, 2, 3] high [0, 4, 5, 6] interior [0, 0, 1, 0] value 2.000000e+00 : f32 : tensor<1x5x6x8xf32>
// CHECK-NEXT:    return %[[Y]] : tensor<1x10x18x17xf32>
func.func @pad(%x: tensor<1x5x6x8xf32>) -> tensor<1x10x18x17xf32> {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<1x5x6x8xf32>
  %1 = hamkaas.pad %0 low [0, 3, 1, 2] high [0, 6, 4, 5] interior [0, 0, 0, 1] value 2.0 : f32 : tensor<1x8x5x6xf32>
  %2 = hamkaas.permute %1[0, 2, 3, 1] : tensor<1x17x10x18xf32>
  return %2 : tensor<1x10x18x17xf32>
}

// CHECK-LABEL: func @strided_slice(
// CHECK-SAME:    %[[X:.*]]: tensor<1x5x6x8xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.strided_slice %[[X]] offsets [0, 0, 5, 1] sizes [1, 3, 6, 7] strides [1, 2, -1, 1] : tensor<1x5x6x8xf32>
// CHECK-NEXT:    return %[[Y]] : tensor<1x3x6x7xf32>
func.func @strided_slice(%x: tensor<1x5x6x8xf32>) -> tensor<1x3x6x7xf32> {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<1x5x6x8xf32>
  %1 = hamkaas.strided_slice %0 offsets [0, 1, 0, 5] sizes [1, 7, 3, 6] strides [1, 1, 2, -1] : tensor<1x8x5x6xf32>
  %2 = hamkaas.permute %1[0, 2, 3, 1] : tensor<1x7x3x6xf32>
  return %2 : tensor<1x3x6x7xf32>
}

// CHECK-LABEL: func @gather(
// CHECK-SAME:    %[[X:.*]]: tensor<1x5x6x8xf32>, %[[I:.*]]: tensor<10xi64>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.gather %[[X]], %[[I]] dim 1 : tensor<1x5x6x8xf32>, tensor<10xi64>
// CHECK-NEXT:    return %[[Y]] : tensor<1x10x6x8xf32>
func.func @gather(%x: tensor<1x5x6x8xf32>, %i: tensor<10xi64>)
    -> tensor<1x10x6x8xf32> {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<1x5x6x8xf32>
  %1 = hamkaas.gather %0, %i dim 2 : tensor<1x8x5x6xf32>, tensor<10xi64>
  %2 = hamkaas.permute %1[0, 2, 3, 1] : tensor<1x8x10x6xf32>
  return %2 : tensor<1x10x6x8xf32>
}

// Indices of two dimensions put two in the place of one.

// CHECK-LABEL: func @gather_matrix(
// CHECK-NEXT:    hamkaas.permute
// CHECK-NEXT:    hamkaas.gather
// CHECK-NEXT:    hamkaas.permute
func.func @gather_matrix(%x: tensor<5x8xf32>, %i: tensor<2x2xi64>)
    -> tensor<2x2x8xf32> {
  %0 = hamkaas.permute %x[1, 0] : tensor<5x8xf32>
  %1 = hamkaas.gather %0, %i dim 1 : tensor<8x5xf32>, tensor<2x2xi64>
  %2 = hamkaas.permute %1[1, 2, 0] : tensor<8x2x2xf32>
  return %2 : tensor<2x2x8xf32>
}

// CHECK-LABEL: func @cumsum(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.cumsum %[[X]] dim 0 {exclusive, reverse} : tensor<4x8xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @cumsum(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = hamkaas.permute %x[1, 0] : tensor<4x8xf32>
  %1 = hamkaas.cumsum %0 dim 1 {exclusive, reverse} : tensor<8x4xf32>
  %2 = hamkaas.permute %1[1, 0] : tensor<8x4xf32>
  return %2 : tensor<4x8xf32>
}

// Dimensions of 1 come and go outside of a region.

// CHECK-LABEL: func @dimensions_of_one(
// CHECK-SAME:    %[[X:.*]]: tensor<16x1x12x150xf32>
// CHECK-NEXT:    %[[A:.*]] = hamkaas.reshape %[[X]] : tensor<16x1x12x150xf32> -> tensor<16x12x150xf32>
// CHECK-NEXT:    %[[B:.*]] = hamkaas.relu %[[A]] : tensor<16x12x150xf32>
// CHECK-NEXT:    %[[C:.*]] = hamkaas.reshape %[[B]] : tensor<16x12x150xf32> -> tensor<16x12x1x150xf32>
// CHECK-NEXT:    return %[[C]]
func.func @dimensions_of_one(%x: tensor<16x1x12x150xf32>)
    -> tensor<16x12x1x150xf32> {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<16x1x12x150xf32>
  %1 = hamkaas.reshape %0 : tensor<16x150x1x12xf32> -> tensor<16x150x12xf32>
  %2 = hamkaas.relu %1 : tensor<16x150x12xf32>
  %3 = hamkaas.reshape %2 : tensor<16x150x12xf32> -> tensor<16x150x12x1xf32>
  %4 = hamkaas.permute %3[0, 2, 3, 1] : tensor<16x150x12x1xf32>
  return %4 : tensor<16x12x1x150xf32>
}

// Other reshapes, and those that something else needs, stay.

// CHECK-LABEL: func @other_reshapes(
// CHECK:         hamkaas.permute %{{.*}}[0, 2, 1] : tensor<2x3x8xf32>
// CHECK-NEXT:    hamkaas.reshape {{.*}} -> tensor<16x3xf32>
// CHECK-NEXT:    %[[P:.*]] = hamkaas.permute %{{.*}}[2, 0, 1] : tensor<2x3x8xf32>
// CHECK-NEXT:    %[[R:.*]] = hamkaas.reshape %[[P]] : tensor<8x2x3xf32> -> tensor<8x1x2x3xf32>
// CHECK-NEXT:    return %{{.*}}, %[[P]], %[[R]]
func.func @other_reshapes(%x: tensor<2x3x8xf32>)
    -> (tensor<16x3xf32>, tensor<8x2x3xf32>, tensor<8x1x2x3xf32>) {
  %0 = hamkaas.permute %x[0, 2, 1] : tensor<2x3x8xf32>
  %1 = hamkaas.reshape %0 : tensor<2x8x3xf32> -> tensor<16x3xf32>
  %2 = hamkaas.permute %x[2, 0, 1] : tensor<2x3x8xf32>
  %3 = hamkaas.reshape %2 : tensor<8x2x3xf32> -> tensor<8x1x2x3xf32>
  return %1, %2, %3 : tensor<16x3xf32>, tensor<8x2x3xf32>, tensor<8x1x2x3xf32>
}

// A reshape moves behind the pointwise operations that a contraction computes
// on the way.

// CHECK-LABEL: func @matmul_of_rows(
// CHECK-SAME:    %[[X:.*]]: tensor<6x4xf32>, %[[W:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<1x1x8xf32>, %[[R:.*]]: tensor<2x3x8xf32>
// CHECK:         %[[P:.*]] = hamkaas.matmul %[[X]], %[[W]]
// CHECK-NEXT:    %[[C:.*]] = hamkaas.constant dense<2.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT:    %[[S:.*]] = hamkaas.mul %[[P]], %[[C]] : tensor<6x8xf32>, tensor<1x1xf32>
// CHECK-NEXT:    %[[B2:.*]] = hamkaas.reshape %[[B]] : tensor<1x1x8xf32> -> tensor<1x8xf32>
// CHECK-NEXT:    %[[T:.*]] = hamkaas.add %[[S]], %[[B2]] : tensor<6x8xf32>, tensor<1x8xf32>
// CHECK-NEXT:    %[[R2:.*]] = hamkaas.reshape %[[R]] : tensor<2x3x8xf32> -> tensor<6x8xf32>
// CHECK-NEXT:    %[[U:.*]] = hamkaas.add %[[R2]], %[[T]] : tensor<6x8xf32>, tensor<6x8xf32>
// CHECK-NEXT:    %[[V:.*]] = hamkaas.gelu %[[U]] : tensor<6x8xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.reshape %[[V]] : tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @matmul_of_rows(%x: tensor<6x4xf32>, %w: tensor<4x8xf32>,
                          %b: tensor<1x1x8xf32>, %r: tensor<2x3x8xf32>)
    -> tensor<2x3x8xf32> {
  %c = hamkaas.constant dense<2.0> : tensor<1x1x1xf32>
  %0 = hamkaas.matmul %x, %w : tensor<6x4xf32>, tensor<4x8xf32>
  %1 = hamkaas.reshape %0 : tensor<6x8xf32> -> tensor<2x3x8xf32>
  %2 = hamkaas.mul %1, %c : tensor<2x3x8xf32>, tensor<1x1x1xf32>
  %3 = hamkaas.add %2, %b : tensor<2x3x8xf32>, tensor<1x1x8xf32>
  %4 = hamkaas.add %r, %3 : tensor<2x3x8xf32>, tensor<2x3x8xf32>
  %5 = hamkaas.gelu %4 : tensor<2x3x8xf32>
  return %5 : tensor<2x3x8xf32>
}

// So it does behind those of a reduction: a mean with its dimensions kept.

// CHECK-LABEL: func @mean(
// CHECK:         %[[SUM:.*]] = hamkaas.reduce sum
// CHECK-NEXT:    %[[C:.*]] = hamkaas.constant dense<2.000000e+01> : tensor<1x1xf32>
// CHECK-NEXT:    %[[MEAN:.*]] = hamkaas.div %[[SUM]], %[[C]] : tensor<1x8xf32>, tensor<1x1xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.reshape %[[MEAN]] : tensor<1x8xf32> -> tensor<1x8x1x1xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @mean(%x: tensor<1x8x4x5xf32>) -> tensor<1x8x1x1xf32> {
  %c = hamkaas.constant dense<20.0> : tensor<1x1x1x1xf32>
  %0 = hamkaas.reduce sum %x over [2, 3] : tensor<1x8x4x5xf32>
  %1 = hamkaas.reshape %0 : tensor<1x8xf32> -> tensor<1x8x1x1xf32>
  %2 = hamkaas.div %1, %c : tensor<1x8x1x1xf32>, tensor<1x1x1x1xf32>
  return %2 : tensor<1x8x1x1xf32>
}

// Not where an operand is repeated along a part of a dimension, where something
// else needs the reshape, or behind what is no contraction.

// CHECK-LABEL: func @reshapes_that_stay(
// CHECK:         hamkaas.matmul
// CHECK-NEXT:    hamkaas.reshape
// CHECK-NEXT:    hamkaas.add
// CHECK-NEXT:    hamkaas.matmul
// CHECK-NEXT:    hamkaas.reshape
// CHECK-NEXT:    hamkaas.relu
// CHECK-NEXT:    hamkaas.exp
// CHECK-NEXT:    hamkaas.reshape
// CHECK-NEXT:    hamkaas.relu
func.func @reshapes_that_stay(%x: tensor<6x4xf32>, %w: tensor<4x8xf32>,
                              %b: tensor<2x1x8xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>,
        tensor<2x3x4xf32>) {
  %0 = hamkaas.matmul %x, %w : tensor<6x4xf32>, tensor<4x8xf32>
  %1 = hamkaas.reshape %0 : tensor<6x8xf32> -> tensor<2x3x8xf32>
  %2 = hamkaas.add %1, %b : tensor<2x3x8xf32>, tensor<2x1x8xf32>
  %3 = hamkaas.matmul %x, %w : tensor<6x4xf32>, tensor<4x8xf32>
  %4 = hamkaas.reshape %3 : tensor<6x8xf32> -> tensor<2x3x8xf32>
  %5 = hamkaas.relu %4 : tensor<2x3x8xf32>
  %6 = hamkaas.exp %x : tensor<6x4xf32>
  %7 = hamkaas.reshape %6 : tensor<6x4xf32> -> tensor<2x3x4xf32>
  %8 = hamkaas.relu %7 : tensor<2x3x4xf32>
  return %2, %4, %5, %8 : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x4xf32>
}

// Where it costs the same, what follows a convolution or a pooling is computed
// before the permute, in their kernels.

// CHECK-LABEL: func @activation(
// CHECK:         %[[BIAS:.*]] = hamkaas.permute %{{.*}}[0, 2, 3, 1] : tensor<1x8x1x1xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.conv
// CHECK-NEXT:    %[[SUM:.*]] = hamkaas.add %[[Y]], %[[BIAS]]
// CHECK-NEXT:    %[[ACTIVE:.*]] = hamkaas.silu %[[SUM]]
// CHECK-NEXT:    hamkaas.permute %[[ACTIVE]][0, 3, 1, 2] : tensor<1x5x6x8xf32>
// CHECK:         return
func.func @activation(%x: tensor<1x5x6x4xf32>, %w: tensor<1x1x4x8xf32>,
                      %b: tensor<1x8x1x1xf32>) -> tensor<1x8x5x6xf32> {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x5x6x4xf32>, tensor<1x1x4x8xf32>
  %1 = hamkaas.permute %0[0, 3, 1, 2] : tensor<1x5x6x8xf32>
  %2 = hamkaas.add %1, %b : tensor<1x8x5x6xf32>, tensor<1x8x1x1xf32>
  %3 = hamkaas.silu %2 : tensor<1x8x5x6xf32>
  return %3 : tensor<1x8x5x6xf32>
}

// Not where another operand would be permuted, and not behind other operations.

// CHECK-LABEL: func @activation_of_others(
// CHECK:         hamkaas.conv
// CHECK-NEXT:    hamkaas.permute
// CHECK-NEXT:    hamkaas.mul
// CHECK-NEXT:    hamkaas.reshape
// CHECK-NEXT:    hamkaas.permute
// CHECK-NEXT:    hamkaas.relu
// CHECK:         return
func.func @activation_of_others(%x: tensor<1x5x6x4xf32>,
                                %w: tensor<1x1x4x8xf32>,
                                %y: tensor<1x8x5x6xf32>)
    -> (tensor<1x8x5x6xf32>, tensor<1x4x5x6xf32>) {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x5x6x4xf32>, tensor<1x1x4x8xf32>
  %1 = hamkaas.permute %0[0, 3, 1, 2] : tensor<1x5x6x8xf32>
  %2 = hamkaas.mul %1, %y : tensor<1x8x5x6xf32>, tensor<1x8x5x6xf32>
  %3 = hamkaas.reshape %x : tensor<1x5x6x4xf32> -> tensor<1x6x5x4xf32>
  %4 = hamkaas.permute %3[0, 3, 2, 1] : tensor<1x6x5x4xf32>
  %5 = hamkaas.relu %4 : tensor<1x4x5x6xf32>
  return %2, %5 : tensor<1x8x5x6xf32>, tensor<1x4x5x6xf32>
}

// A reshape moves behind several operations that read it together.

// CHECK-LABEL: func @leaky_relu(
// CHECK:         %[[PRODUCT:.*]] = hamkaas.matmul
// CHECK-NOT:     hamkaas.reshape %[[PRODUCT]]
// CHECK:         %[[SMALL:.*]] = hamkaas.mul %[[PRODUCT]], %{{.*}} : tensor<6x8xf32>, tensor<1x1xf32>
// CHECK:         %[[IS_LESS:.*]] = hamkaas.compare lt %[[PRODUCT]], %[[SMALL]]
// CHECK:         %[[Y:.*]] = hamkaas.select %[[IS_LESS]], %[[SMALL]], %[[PRODUCT]]
// CHECK-NEXT:    hamkaas.reshape %[[Y]] : tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT:    return
func.func @leaky_relu(%x: tensor<6x4xf32>, %w: tensor<4x8xf32>)
    -> tensor<2x3x8xf32> {
  %a = hamkaas.constant dense<0.1> : tensor<1x1x1xf32>
  %0 = hamkaas.matmul %x, %w : tensor<6x4xf32>, tensor<4x8xf32>
  %1 = hamkaas.reshape %0 : tensor<6x8xf32> -> tensor<2x3x8xf32>
  %2 = hamkaas.mul %1, %a : tensor<2x3x8xf32>, tensor<1x1x1xf32>
  %3 = hamkaas.compare lt %1, %2 : tensor<2x3x8xf32>, tensor<2x3x8xf32>
  %4 = hamkaas.select %3, %2, %1 : tensor<2x3x8xi1>, tensor<2x3x8xf32>, tensor<2x3x8xf32>
  return %4 : tensor<2x3x8xf32>
}

// Dimensions that are merged between two permutes are merged behind both. A sum
// between them moves behind, too.

// CHECK-LABEL: func @merged_between(
// CHECK-SAME:    %[[X:.*]]: tensor<2x8x9x2x2x3xf32>, %[[B:.*]]: tensor<1x1x1x3xf32>
// CHECK:         %[[P:.*]] = hamkaas.permute %[[X]][0, 5, 1, 3, 2, 4]
// CHECK-NEXT:    %[[R:.*]] = hamkaas.reshape %[[P]] : tensor<2x3x8x2x9x2xf32> -> tensor<2x3x16x18xf32>
// CHECK-NEXT:    %[[C:.*]] = hamkaas.reshape %[[B]] : tensor<1x1x1x3xf32> -> tensor<1x3x1x1xf32>
// CHECK-NEXT:    %[[A:.*]] = hamkaas.add %[[R]], %[[C]]
// CHECK-NEXT:    return %[[A]]
func.func @merged_between(%x: tensor<2x8x9x2x2x3xf32>, %b: tensor<1x1x1x3xf32>) -> tensor<2x3x16x18xf32> {
  %0 = hamkaas.permute %x[0, 1, 3, 2, 4, 5] : tensor<2x8x9x2x2x3xf32>
  %1 = hamkaas.reshape %0 : tensor<2x8x2x9x2x3xf32> -> tensor<2x16x18x3xf32>
  %2 = hamkaas.add %1, %b : tensor<2x16x18x3xf32>, tensor<1x1x1x3xf32>
  %3 = hamkaas.permute %2[0, 3, 1, 2] : tensor<2x16x18x3xf32>
  return %3 : tensor<2x3x16x18xf32>
}

// Those that are split between two permutes are split before both.

// CHECK-LABEL: func @split_between(
// CHECK-SAME:    %[[X:.*]]: tensor<2x8x9x12xf32>
// CHECK-NEXT:    %[[R:.*]] = hamkaas.reshape %[[X]] : tensor<2x8x9x12xf32> -> tensor<2x8x9x2x2x3xf32>
// CHECK-NEXT:    %[[P:.*]] = hamkaas.permute %[[R]][0, 5, 1, 3, 2, 4]
// CHECK-NEXT:    return %[[P]]
func.func @split_between(%x: tensor<2x8x9x12xf32>) -> tensor<2x3x8x2x9x2xf32> {
  %0 = hamkaas.permute %x[0, 3, 1, 2] : tensor<2x8x9x12xf32>
  %1 = hamkaas.reshape %0 : tensor<2x12x8x9xf32> -> tensor<2x2x2x3x8x9xf32>
  %2 = hamkaas.permute %1[0, 3, 4, 1, 5, 2] : tensor<2x2x2x3x8x9xf32>
  return %2 : tensor<2x3x8x2x9x2xf32>
}

// A permute with another user stays, as does one before a sum of another order.

// CHECK-LABEL: func @not_merged(
// CHECK-COUNT-4: hamkaas.permute
// CHECK-NOT:     hamkaas.permute
func.func @not_merged(%x: tensor<2x8x2x3xf32>, %y: tensor<16x3x2xf32>) -> (tensor<3x16x2xf32>, tensor<8x2x2x3xf32>, tensor<3x16x2xf32>) {
  %0 = hamkaas.permute %x[1, 2, 3, 0] : tensor<2x8x2x3xf32>
  %1 = hamkaas.reshape %0 : tensor<8x2x3x2xf32> -> tensor<16x3x2xf32>
  %2 = hamkaas.permute %1[1, 0, 2] : tensor<16x3x2xf32>
  %3 = hamkaas.permute %x[1, 2, 0, 3] : tensor<2x8x2x3xf32>
  %4 = hamkaas.add %1, %y : tensor<16x3x2xf32>, tensor<16x3x2xf32>
  %5 = hamkaas.permute %4[1, 0, 2] : tensor<16x3x2xf32>
  return %2, %3, %5 : tensor<3x16x2xf32>, tensor<8x2x2x3xf32>, tensor<3x16x2xf32>
}

// A reshape of normalized rows moves behind what their kernel can take.

// CHECK-LABEL: func @reshaped_rows(
// CHECK-SAME:    %[[X:.*]]: tensor<1x6x20xf32>, %[[W:.*]]: tensor<1x6x1x1xf32>
// CHECK-DAG:     %[[N:.*]] = hamkaas.layer_norm %[[X]]
// CHECK-DAG:     %[[V:.*]] = hamkaas.reshape %[[W]] : tensor<1x6x1x1xf32> -> tensor<1x6x1xf32>
// CHECK:         %[[P:.*]] = hamkaas.mul %[[N]], %[[V]]
// CHECK-NEXT:    %[[R:.*]] = hamkaas.relu %[[P]]
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.reshape %[[R]]
// CHECK-NEXT:    return %[[Y]]
func.func @reshaped_rows(%x: tensor<1x6x20xf32>, %w: tensor<1x6x1x1xf32>) -> tensor<1x6x4x5xf32> {
  %0 = hamkaas.layer_norm %x epsilon 1.0e-5 : tensor<1x6x20xf32>
  %1 = hamkaas.reshape %0 : tensor<1x6x20xf32> -> tensor<1x6x4x5xf32>
  %2 = hamkaas.mul %1, %w : tensor<1x6x4x5xf32>, tensor<1x6x1x1xf32>
  %3 = hamkaas.relu %2 : tensor<1x6x4x5xf32>
  return %3 : tensor<1x6x4x5xf32>
}
