// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_scalar(%x: tensor<f32>) {
  // expected-error @below {{expected x to have at least rank 1, got 0}}
  %0 = hamkaas.sliced_softmax %x static_prefix 0 : tensor<f32>
  return
}

// -----

func.func @c2_neither(%x: tensor<4xf32>) {
  // expected-error @below {{expected the prefix either as an operand or as an attribute, got neither}}
  %0 = hamkaas.sliced_softmax %x : tensor<4xf32>
  return
}

// -----

func.func @c2_both(%x: tensor<4xf32>, %p: tensor<1xi64>) {
  // expected-error @below {{expected the prefix either as an operand or as an attribute, got both}}
  %0 = hamkaas.sliced_softmax %x prefix(%p) static_prefix 1 : tensor<4xf32>
  return
}

// -----

func.func @c3_large(%x: tensor<2x4xf32>) {
  // expected-error @below {{expected a prefix from 0 to the last dimension of x (4), got 5}}
  %0 = hamkaas.sliced_softmax %x static_prefix 5 : tensor<2x4xf32>
  return
}

// -----

func.func @c3_negative(%x: tensor<2x4xf32>) {
  // expected-error @below {{expected a prefix from 0 to the last dimension of x (4), got -1}}
  %0 = hamkaas.sliced_softmax %x static_prefix -1 : tensor<2x4xf32>
  return
}
