// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_none() {
  // expected-error @below {{expected at least one operand, got none}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "hamkaas.concat"() {dim = 0 : i64} : () -> tensor<2xf32>
  return
}

// -----

func.func @c2_dim(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected a dimension from 0 to 1, got 2}}
  %0 = hamkaas.concat %a dim 2 : tensor<2x3xf32>
  return
}

// -----

func.func @c2_scalar(%a: tensor<f32>) {
  // expected-error @below {{expected at least rank 1, got 0}}
  %0 = hamkaas.concat %a dim 0 : tensor<f32>
  return
}

// -----

func.func @c3_element(%a: tensor<2xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{expected the element type of operand 1 ('i64') to match that of the first ('f32')}}
  %0 = hamkaas.concat %a, %b dim 0 : tensor<2xf32>, tensor<2xi64>
  return
}

// -----

func.func @c3_rank(%a: tensor<2xf32>, %b: tensor<2x1xf32>) {
  // expected-error @below {{expected the rank of operand 1 (2) to match that of the first (1)}}
  %0 = hamkaas.concat %a, %b dim 0 : tensor<2xf32>, tensor<2x1xf32>
  return
}

// -----

func.func @c4_dimension(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error @below {{expected dimension 1 of operand 1 (4) to match that of the first (3)}}
  %0 = hamkaas.concat %a, %b dim 0 : tensor<2x3xf32>, tensor<2x4xf32>
  return
}

// -----

func.func @c5_large(%a: tensor<70368744177664xi8>) {
  // expected-error @below {{expected a result of 1 to 2^47 - 1 elements, got the shape [140737488355328]}}
  %0 = hamkaas.concat %a, %a dim 0 : tensor<70368744177664xi8>, tensor<70368744177664xi8>
  return
}
