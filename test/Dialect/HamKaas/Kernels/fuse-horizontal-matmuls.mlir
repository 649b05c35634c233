// RUN: hamkaas-opt %s -hamkaas-fuse-horizontal-matmuls | FileCheck %s

// One row times three matrices is a row of three parts. What the last matrix
// depends on moves before the product.

ml_program.global private @a(#ml_program.extern<tensor<8x6xf32>>) : tensor<8x6xf32>
ml_program.global private @b(#ml_program.extern<tensor<8x2xf32>>) : tensor<8x2xf32>
ml_program.global private @c(#ml_program.extern<tensor<8x4xf32>>) : tensor<8x4xf32>

// CHECK-LABEL: func @parts(
// CHECK-SAME:    %[[X:.*]]: tensor<1x8xf32>
// CHECK-DAG:     %[[A:.*]] = ml_program.global_load_const @a
// CHECK-DAG:     %[[B:.*]] = ml_program.global_load_const @b
// CHECK-DAG:     %[[C:.*]] = ml_program.global_load_const @c
// CHECK-DAG:     %[[EXP:.*]] = hamkaas.exp %[[C]]
// CHECK:         %[[ALL:.*]] = hamkaas.concat %[[A]], %[[B]], %[[EXP]] dim 1
// CHECK:         %[[PRODUCT:.*]] = hamkaas.matmul %[[X]], %[[ALL]] : tensor<1x8xf32>, tensor<8x12xf32>
// CHECK:         %[[ROW:.*]] = hamkaas.reshape %[[PRODUCT]] : tensor<1x12xf32> -> tensor<12xf32>
// CHECK:         %[[S0:.*]] = hamkaas.slice %[[ROW]][0, 6]
// CHECK:         %[[R0:.*]] = hamkaas.reshape %[[S0]] : tensor<6xf32> -> tensor<1x6xf32>
// CHECK:         %[[S1:.*]] = hamkaas.slice %[[ROW]][6, 8]
// CHECK:         %[[R1:.*]] = hamkaas.reshape %[[S1]] : tensor<2xf32> -> tensor<1x2xf32>
// CHECK:         %[[S2:.*]] = hamkaas.slice %[[ROW]][8, 12]
// CHECK:         %[[R2:.*]] = hamkaas.reshape %[[S2]] : tensor<4xf32> -> tensor<1x4xf32>
// CHECK:         %[[RELU:.*]] = hamkaas.relu %[[R0]]
// CHECK:         return %[[RELU]], %[[R1]], %[[R2]]
func.func @parts(%x: tensor<1x8xf32>) -> (tensor<1x6xf32>, tensor<1x2xf32>, tensor<1x4xf32>) {
  %a = ml_program.global_load_const @a : tensor<8x6xf32>
  %0 = hamkaas.matmul %x, %a : tensor<1x8xf32>, tensor<8x6xf32>
  %1 = hamkaas.relu %0 : tensor<1x6xf32>
  %b = ml_program.global_load_const @b : tensor<8x2xf32>
  %2 = hamkaas.matmul %x, %b : tensor<1x8xf32>, tensor<8x2xf32>
  %c = ml_program.global_load_const @c : tensor<8x4xf32>
  %3 = hamkaas.exp %c : tensor<8x4xf32>
  %4 = hamkaas.matmul %x, %3 : tensor<1x8xf32>, tensor<8x4xf32>
  return %1, %2, %4 : tensor<1x6xf32>, tensor<1x2xf32>, tensor<1x4xf32>
}

// Transposed matrices are joined before they are transposed.

ml_program.global private @q(#ml_program.extern<tensor<6x8xf32>>) : tensor<6x8xf32>
ml_program.global private @k(#ml_program.extern<tensor<2x8xf32>>) : tensor<2x8xf32>

// CHECK-LABEL: func @transposed(
// CHECK-DAG:     %[[Q:.*]] = ml_program.global_load_const @q
// CHECK-DAG:     %[[K:.*]] = ml_program.global_load_const @k
// CHECK:         %[[ALL:.*]] = hamkaas.concat %[[Q]], %[[K]] dim 0
// CHECK:         %[[MATRIX:.*]] = hamkaas.permute %[[ALL]][1, 0] : tensor<8x8xf32>
// CHECK:         hamkaas.matmul %{{.*}}, %[[MATRIX]]
// CHECK-NOT:     hamkaas.matmul
// CHECK:         return
func.func @transposed(%x: tensor<1x1x8xf32>) -> (tensor<1x1x6xf32>, tensor<1x1x2xf32>) {
  %q = ml_program.global_load_const @q : tensor<6x8xf32>
  %0 = hamkaas.permute %q [1, 0] : tensor<6x8xf32>
  %x2 = hamkaas.reshape %x : tensor<1x1x8xf32> -> tensor<1x8xf32>
  %2 = hamkaas.matmul %x2, %0 : tensor<1x8xf32>, tensor<8x6xf32>
  %3 = hamkaas.reshape %2 : tensor<1x6xf32> -> tensor<1x1x6xf32>
  %k = ml_program.global_load_const @k : tensor<2x8xf32>
  %4 = hamkaas.permute %k [1, 0] : tensor<2x8xf32>
  %5 = hamkaas.matmul %x2, %4 : tensor<1x8xf32>, tensor<8x2xf32>
  %6 = hamkaas.reshape %5 : tensor<1x2xf32> -> tensor<1x1x2xf32>
  return %3, %6 : tensor<1x1x6xf32>, tensor<1x1x2xf32>
}

// Not: several rows, whose parts would not be contiguous; a matrix that is
// known at run time; one that another product reads, too; different rows.

ml_program.global private @d(#ml_program.extern<tensor<8x6xf32>>) : tensor<8x6xf32>
ml_program.global private @e(#ml_program.extern<tensor<8x2xf32>>) : tensor<8x2xf32>
ml_program.global private @f(#ml_program.extern<tensor<8x4xf32>>) : tensor<8x4xf32>
ml_program.global private @w(#ml_program.extern<tensor<8x4xf32>>) : tensor<8x4xf32>
// CHECK-LABEL: func @others(
// CHECK-NOT:     hamkaas.concat
// CHECK:         return
func.func @others(%x: tensor<1x8xf32>, %y: tensor<2x8xf32>, %m: tensor<8x4xf32>, %z: tensor<1x8xf32>) -> (tensor<1x4xf32>, tensor<1x6xf32>, tensor<1x4xf32>, tensor<2x6xf32>, tensor<2x2xf32>, tensor<1x4xf32>) {
  %w = ml_program.global_load_const @w : tensor<8x4xf32>
  %a = ml_program.global_load_const @d : tensor<8x6xf32>
  %b = ml_program.global_load_const @e : tensor<8x2xf32>
  %c = ml_program.global_load_const @f : tensor<8x4xf32>
  %0 = hamkaas.matmul %x, %w : tensor<1x8xf32>, tensor<8x4xf32>
  %1 = hamkaas.matmul %x, %a : tensor<1x8xf32>, tensor<8x6xf32>
  %2 = hamkaas.matmul %x, %m : tensor<1x8xf32>, tensor<8x4xf32>
  %3 = hamkaas.matmul %y, %a : tensor<2x8xf32>, tensor<8x6xf32>
  %4 = hamkaas.matmul %y, %b : tensor<2x8xf32>, tensor<8x2xf32>
  %5 = hamkaas.matmul %z, %c : tensor<1x8xf32>, tensor<8x4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<1x4xf32>, tensor<1x6xf32>, tensor<1x4xf32>, tensor<2x6xf32>, tensor<2x2xf32>, tensor<1x4xf32>
}

// Nor those that another function reads, which has them as they are.

ml_program.global private @g(#ml_program.extern<tensor<8x6xf32>>) : tensor<8x6xf32>
ml_program.global private @h(#ml_program.extern<tensor<8x2xf32>>) : tensor<8x2xf32>
// CHECK-LABEL: func @shared(
// CHECK-NOT:     hamkaas.concat
// CHECK:         return
func.func @shared(%x: tensor<1x8xf32>) -> (tensor<1x6xf32>, tensor<1x2xf32>) {
  %g = ml_program.global_load_const @g : tensor<8x6xf32>
  %h = ml_program.global_load_const @h : tensor<8x2xf32>
  %0 = hamkaas.matmul %x, %g : tensor<1x8xf32>, tensor<8x6xf32>
  %1 = hamkaas.matmul %x, %h : tensor<1x8xf32>, tensor<8x2xf32>
  return %0, %1 : tensor<1x6xf32>, tensor<1x2xf32>
}

func.func @sharing(%x: tensor<2x8xf32>) -> (tensor<2x6xf32>, tensor<2x2xf32>) {
  %g = ml_program.global_load_const @g : tensor<8x6xf32>
  %h = ml_program.global_load_const @h : tensor<8x2xf32>
  %0 = hamkaas.matmul %x, %g : tensor<2x8xf32>, tensor<8x6xf32>
  %1 = hamkaas.matmul %x, %h : tensor<2x8xf32>, tensor<8x2xf32>
  return %0, %1 : tensor<2x6xf32>, tensor<2x2xf32>
}

// Only products with equal knobs.

ml_program.global private @knob_a(#ml_program.extern<tensor<8x6xf32>>) : tensor<8x6xf32>
ml_program.global private @knob_b(#ml_program.extern<tensor<8x2xf32>>) : tensor<8x2xf32>
ml_program.global private @knob_c(#ml_program.extern<tensor<8x4xf32>>) : tensor<8x4xf32>

// CHECK-LABEL: func @knobs(
// CHECK:         hamkaas.matmul {{.*}} {hamkaas.knobs = {depth = 4 : i64}} : tensor<1x8xf32>, tensor<8x8xf32>
// CHECK:         hamkaas.matmul {{.*}} {hamkaas.knobs = {depth = 2 : i64}} : tensor<1x8xf32>, tensor<8x4xf32>
// CHECK-NOT:     hamkaas.matmul
// CHECK:         return
func.func @knobs(%x: tensor<1x8xf32>) -> (tensor<1x6xf32>, tensor<1x2xf32>, tensor<1x4xf32>) {
  %a = ml_program.global_load_const @knob_a : tensor<8x6xf32>
  %b = ml_program.global_load_const @knob_b : tensor<8x2xf32>
  %c = ml_program.global_load_const @knob_c : tensor<8x4xf32>
  %0 = hamkaas.matmul %x, %a {hamkaas.knobs = {depth = 4}} : tensor<1x8xf32>, tensor<8x6xf32>
  %1 = hamkaas.matmul %x, %b {hamkaas.knobs = {depth = 4}} : tensor<1x8xf32>, tensor<8x2xf32>
  %2 = hamkaas.matmul %x, %c {hamkaas.knobs = {depth = 2}} : tensor<1x8xf32>, tensor<8x4xf32>
  return %0, %1, %2 : tensor<1x6xf32>, tensor<1x2xf32>, tensor<1x4xf32>
}
