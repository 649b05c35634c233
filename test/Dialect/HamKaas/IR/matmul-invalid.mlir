// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_ranks(%x: tensor<8xf32>, %w: tensor<2x8x16xf32>) {
  // expected-error @below {{expected the ranks of lhs and rhs to be 1 and 2, 2 and 2, or 3 and 3, got 1 and 3}}
  %0 = hamkaas.matmul %x, %w : tensor<8xf32>, tensor<2x8x16xf32>
  return
}

// -----

func.func @c2_contracted(%x: tensor<4x8xf32>, %w: tensor<7x16xf32>) {
  // expected-error @below {{expected the last dimension of lhs (8) to match the rows of rhs (7)}}
  %0 = hamkaas.matmul %x, %w : tensor<4x8xf32>, tensor<7x16xf32>
  return
}

// -----

func.func @c3_batch(%x: tensor<2x4x8xf32>, %w: tensor<3x8x16xf32>) {
  // expected-error @below {{expected the batch of lhs (2) to match that of rhs (3)}}
  %0 = hamkaas.matmul %x, %w : tensor<2x4x8xf32>, tensor<3x8x16xf32>
  return
}

// -----

func.func @c4_element_type(%x: tensor<4x8xf32>, %w: tensor<8x16xf64>) {
  // expected-error @below {{expected the element type of rhs ('f64') to match that of lhs ('f32')}}
  %0 = hamkaas.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf64>
  return
}
