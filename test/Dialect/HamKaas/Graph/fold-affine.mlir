// RUN: hamkaas-opt %s -hamkaas-fold-affine -canonicalize | FileCheck %s

ml_program.global private @a(#ml_program.extern : tensor<1x8xf32>) : tensor<1x8xf32>
ml_program.global private @b(#ml_program.extern : tensor<1x8xf32>) : tensor<1x8xf32>
ml_program.global private @c(#ml_program.extern : tensor<1x8xf32>) : tensor<1x8xf32>
ml_program.global private @rows(#ml_program.extern : tensor<4x1xf32>) : tensor<4x1xf32>
ml_program.global private @w(#ml_program.extern : tensor<6x8xf32>) : tensor<6x8xf32>
ml_program.global private @filter(#ml_program.extern : tensor<3x3x2x8xf32>) : tensor<3x3x2x8xf32>
ml_program.global private @channels(#ml_program.extern : tensor<1x1x1x8xf32>) : tensor<1x1x1x8xf32>

// (x * a + b) * c - a is x * (a * c) + (b * c + -a).

// CHECK-LABEL: func @chain(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>
// CHECK-DAG:     %[[A:.*]] = ml_program.global_load_const @a
// CHECK-DAG:     %[[B:.*]] = ml_program.global_load_const @b
// CHECK-DAG:     %[[C:.*]] = ml_program.global_load_const @c
// CHECK-DAG:     %[[BC:.*]] = hamkaas.mul %[[B]], %[[C]] : tensor<1x8xf32>
// CHECK-DAG:     %[[AC:.*]] = hamkaas.mul %[[A]], %[[C]] : tensor<1x8xf32>
// CHECK-DAG:     %[[N:.*]] = hamkaas.neg %[[A]]
// CHECK-DAG:     %[[O:.*]] = hamkaas.add %[[BC]], %[[N]] : tensor<1x8xf32>
// CHECK-DAG:     %[[Y:.*]] = hamkaas.mul %[[X]], %[[AC]] : tensor<4x8xf32>, tensor<1x8xf32>
// CHECK:         %[[Z:.*]] = hamkaas.add %[[Y]], %[[O]] : tensor<4x8xf32>, tensor<1x8xf32>
// CHECK-NEXT:    return %[[Z]]
func.func @chain(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = ml_program.global_load_const @a : tensor<1x8xf32>
  %b = ml_program.global_load_const @b : tensor<1x8xf32>
  %c = ml_program.global_load_const @c : tensor<1x8xf32>
  %0 = hamkaas.mul %x, %a : tensor<4x8xf32>, tensor<1x8xf32>
  %1 = hamkaas.add %0, %b : tensor<4x8xf32>, tensor<1x8xf32>
  %2 = hamkaas.mul %1, %c : tensor<4x8xf32>, tensor<1x8xf32>
  %3 = hamkaas.sub %2, %a : tensor<4x8xf32>, tensor<1x8xf32>
  return %3 : tensor<4x8xf32>
}

// A bias and a batch normalization go into the weights and one offset.

// CHECK-LABEL: func @conv(
// CHECK-SAME:    %[[X:.*]]: tensor<1x6x6x2xf32>
// CHECK-DAG:     %[[F:.*]] = ml_program.global_load_const @filter
// CHECK-DAG:     %[[C:.*]] = ml_program.global_load_const @channels
// CHECK-DAG:     %[[O:.*]] = hamkaas.mul %[[C]], %[[C]] : tensor<1x1x1x8xf32>
// CHECK-DAG:     %[[W:.*]] = hamkaas.mul %[[F]], %[[C]] : tensor<3x3x2x8xf32>, tensor<1x1x1x8xf32>
// CHECK:         %[[Y:.*]] = hamkaas.conv %[[X]], %[[W]]
// CHECK-NEXT:    %[[Z:.*]] = hamkaas.add %[[Y]], %[[O]]
// CHECK-NEXT:    return %[[Z]]
func.func @conv(%x: tensor<1x6x6x2xf32>) -> tensor<1x4x4x8xf32> {
  %w = ml_program.global_load_const @filter : tensor<3x3x2x8xf32>
  %c = ml_program.global_load_const @channels : tensor<1x1x1x8xf32>
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x6x6x2xf32>, tensor<3x3x2x8xf32>
  %1 = hamkaas.add %0, %c : tensor<1x4x4x8xf32>, tensor<1x1x1x8xf32>
  %2 = hamkaas.mul %1, %c : tensor<1x4x4x8xf32>, tensor<1x1x1x8xf32>
  return %2 : tensor<1x4x4x8xf32>
}

// CHECK-LABEL: func @matmul_by_constant(
// CHECK:         %[[W:.*]] = hamkaas.mul %{{.*}} : tensor<6x8xf32>, tensor<1x1xf32>
// CHECK:         %[[Y:.*]] = hamkaas.matmul %{{.*}}, %[[W]]
// CHECK-NEXT:    return %[[Y]]
func.func @matmul_by_constant(%x: tensor<4x6xf32>) -> tensor<4x8xf32> {
  %w = ml_program.global_load_const @w : tensor<6x8xf32>
  %c = hamkaas.constant dense<3.0> : tensor<1x1xf32>
  %0 = hamkaas.matmul %x, %w : tensor<4x6xf32>, tensor<6x8xf32>
  %1 = hamkaas.div %0, %c : tensor<4x8xf32>, tensor<1x1xf32>
  return %1 : tensor<4x8xf32>
}

// A factor for each row does not fit the columns of the weights.

// CHECK-LABEL: func @row_factor(
// CHECK:         %[[Y:.*]] = hamkaas.matmul
// CHECK-NEXT:    hamkaas.mul %[[Y]]
func.func @row_factor(%x: tensor<4x6xf32>) -> tensor<4x8xf32> {
  %w = ml_program.global_load_const @w : tensor<6x8xf32>
  %r = ml_program.global_load_const @rows : tensor<4x1xf32>
  %0 = hamkaas.matmul %x, %w : tensor<4x6xf32>, tensor<6x8xf32>
  %1 = hamkaas.mul %0, %r : tensor<4x8xf32>, tensor<4x1xf32>
  return %1 : tensor<4x8xf32>
}

// Nor with a factor for each column: the product of both would be larger.

// CHECK-LABEL: func @rows_and_columns(
// CHECK:         %[[Y:.*]] = hamkaas.mul
// CHECK-NEXT:    hamkaas.mul %[[Y]]
func.func @rows_and_columns(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = ml_program.global_load_const @a : tensor<1x8xf32>
  %r = ml_program.global_load_const @rows : tensor<4x1xf32>
  %0 = hamkaas.mul %x, %a : tensor<4x8xf32>, tensor<1x8xf32>
  %1 = hamkaas.mul %0, %r : tensor<4x8xf32>, tensor<4x1xf32>
  return %1 : tensor<4x8xf32>
}

// A product with other users stays.

// CHECK-LABEL: func @two_uses(
// CHECK:         %[[Y:.*]] = hamkaas.matmul
// CHECK-NEXT:    %[[Z:.*]] = hamkaas.mul %[[Y]]
// CHECK-NEXT:    return %[[Y]], %[[Z]]
func.func @two_uses(%x: tensor<4x6xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %w = ml_program.global_load_const @w : tensor<6x8xf32>
  %a = ml_program.global_load_const @a : tensor<1x8xf32>
  %0 = hamkaas.matmul %x, %w : tensor<4x6xf32>, tensor<6x8xf32>
  %1 = hamkaas.mul %0, %a : tensor<4x8xf32>, tensor<1x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func @no_parameters(
// CHECK:         %[[Y:.*]] = hamkaas.matmul
// CHECK-NEXT:    hamkaas.mul %[[Y]]
func.func @no_parameters(%x: tensor<4x6xf32>, %a: tensor<1x8xf32>)
    -> tensor<4x8xf32> {
  %w = ml_program.global_load_const @w : tensor<6x8xf32>
  %0 = hamkaas.matmul %x, %w : tensor<4x6xf32>, tensor<6x8xf32>
  %1 = hamkaas.mul %0, %a : tensor<4x8xf32>, tensor<1x8xf32>
  return %1 : tensor<4x8xf32>
}

// Each step of 16 bits is rounded.

// CHECK-LABEL: func @half(
// CHECK:         hamkaas.mul
// CHECK-NEXT:    hamkaas.mul
func.func @half(%x: tensor<4xf16>) -> tensor<4xf16> {
  %a = hamkaas.constant dense<0.1> : tensor<1xf16>
  %0 = hamkaas.mul %x, %a : tensor<4xf16>, tensor<1xf16>
  %1 = hamkaas.mul %0, %a : tensor<4xf16>, tensor<1xf16>
  return %1 : tensor<4xf16>
}
