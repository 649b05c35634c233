// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_rank(%x: tensor<4x3x2xf32>, %r: tensor<3x2xf32>) {
  // expected-error @below {{expected the rank of rhs (2) to match the rank of lhs (3)}}
  %0 = hamkaas.complex_mul %x, %r : tensor<4x3x2xf32>, tensor<3x2xf32>
  return
}

// -----

func.func @c2_dimension(%x: tensor<4x3x2xf32>, %r: tensor<2x3x2xf32>) {
  // expected-error @below {{expected dimension 0 of rhs (2) to be 1 or that of lhs (4)}}
  %0 = hamkaas.complex_mul %x, %r : tensor<4x3x2xf32>, tensor<2x3x2xf32>
  return
}

// -----

func.func @c3_lhs(%x: tensor<4x3xf32>, %r: tensor<4x2xf32>) {
  // expected-error @below {{expected the last dimension of lhs (3) to be 2, real and imaginary part}}
  %0 = hamkaas.complex_mul %x, %r : tensor<4x3xf32>, tensor<4x2xf32>
  return
}

// -----

// The last dimension is not repeated.

func.func @c3_rhs(%x: tensor<4x2xf32>, %r: tensor<4x1xf32>) {
  // expected-error @below {{expected the last dimension of rhs (1) to be 2, real and imaginary part}}
  %0 = hamkaas.complex_mul %x, %r : tensor<4x2xf32>, tensor<4x1xf32>
  return
}

// -----

func.func @c3_scalar(%x: tensor<f32>) {
  // expected-error @below {{expected lhs to have a last dimension of 2, real and imaginary part, got rank 0}}
  %0 = hamkaas.complex_mul %x, %x : tensor<f32>, tensor<f32>
  return
}
