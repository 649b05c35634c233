// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_scalar(%x: tensor<f32>, %r: tensor<f32>, %p: tensor<1xi64>) {
  // expected-error @below {{expected target to have at least rank 1, got 0}}
  %0 = hamkaas.replace_slice %x, %r, %p, %p : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @c1_rank(%x: tensor<4x2xf32>, %r: tensor<2xf32>, %p: tensor<1xi64>) {
  // expected-error @below {{expected the rank of replacement (1) to match the rank of target (2)}}
  %0 = hamkaas.replace_slice %x, %r, %p, %p : tensor<4x2xf32>, tensor<2xf32>
  return
}

// -----

func.func @c2_element_type(%x: tensor<4xf32>, %r: tensor<1xi64>, %p: tensor<1xi64>) {
  // expected-error @below {{expected the element type of replacement ('i64') to match that of target ('f32')}}
  %0 = hamkaas.replace_slice %x, %r, %p, %p : tensor<4xf32>, tensor<1xi64>
  return
}

// -----

func.func @c3_dimension(%x: tensor<4x2xf32>, %r: tensor<1x3xf32>, %p: tensor<1xi64>) {
  // expected-error @below {{expected dimension 1 of replacement (3) to match that of target (2)}}
  %0 = hamkaas.replace_slice %x, %r, %p, %p : tensor<4x2xf32>, tensor<1x3xf32>
  return
}

// -----

func.func @c4_rows(%x: tensor<4x2xf32>, %r: tensor<5x2xf32>, %p: tensor<1xi64>) {
  // expected-error @below {{expected replacement to have at most the 4 rows of target, got 5}}
  %0 = hamkaas.replace_slice %x, %r, %p, %p : tensor<4x2xf32>, tensor<5x2xf32>
  return
}
