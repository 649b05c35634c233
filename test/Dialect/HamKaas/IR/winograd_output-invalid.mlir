// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_rank(%x: tensor<4x4x1x2x3xf32>) {
  // expected-error @below {{expected x of rank 6 or 7, got 5}}
  %0 = hamkaas.winograd_output %x : tensor<4x4x1x2x3xf32>
  return
}

// -----

func.func @c3_size(%x: tensor<7x7x1x2x3x3xf32>) {
  // expected-error @below {{expected the first two dimensions of x to be 4, 5, 6 or 8 and equal, got 7 and 7}}
  %0 = hamkaas.winograd_output %x : tensor<7x7x1x2x3x3xf32>
  return
}

// -----

func.func @c3_different(%x: tensor<4x6x1x2x3x3xf32>) {
  // expected-error @below {{expected the first two dimensions of x to be 4, 5, 6 or 8 and equal, got 4 and 6}}
  %0 = hamkaas.winograd_output %x : tensor<4x6x1x2x3x3xf32>
  return
}

// -----

func.func @c4_rank(%x: tensor<4x4x1x2x3x3xf32>) {
  // expected-error @below {{expected a size of 2 numbers, got 3}}
  %0 = hamkaas.winograd_output %x to [4, 6, 1] : tensor<4x4x1x2x3x3xf32>
  return
}

// -----

func.func @c4_large(%x: tensor<4x4x1x2x3x3xf32>) {
  // expected-error @below {{expected number 1 of the size to be 5 to 6, got 7}}
  %0 = hamkaas.winograd_output %x to [4, 7] : tensor<4x4x1x2x3x3xf32>
  return
}

// -----

func.func @c4_small(%x: tensor<4x4x1x2x3x3xf32>) {
  // expected-error @below {{expected number 0 of the size to be 3 to 4, got 2}}
  %0 = hamkaas.winograd_output %x to [2, 6] : tensor<4x4x1x2x3x3xf32>
  return
}

// -----

func.func @c3_integers(%x: tensor<8x8x1x2x3x3xi32>) {
  // expected-error @below {{expected the first two dimensions of x to be 4 or 6 and equal, got 8 and 8}}
  %0 = hamkaas.winograd_output %x : tensor<8x8x1x2x3x3xi32>
  return
}

// -----

func.func @c2_window(%x: tensor<1x6x1x2x3x3xf32>) {
  // expected-error @below {{expected a window of equal numbers of 2 to 7, or of 1 and such a number, got 2 x 3}}
  %0 = hamkaas.winograd_output %x window [2, 3] : tensor<1x6x1x2x3x3xf32>
  return
}

// -----

func.func @c3_one_dimension(%x: tensor<6x6x1x2x3x3xf32>) {
  // expected-error @below {{expected the first two dimensions of x to be 4, 5, 6 or 8, and 1 where the window is, got 6 and 6}}
  %0 = hamkaas.winograd_output %x window [1, 3] : tensor<6x6x1x2x3x3xf32>
  return
}

// -----

func.func @c3_one_position(%x: tensor<1x6x1x2x3x3xf32>) {
  // expected-error @below {{expected the first two dimensions of x to be 8, and 1 where the window is, got 1 and 6}}
  %0 = hamkaas.winograd_output %x window [1, 6] : tensor<1x6x1x2x3x3xf32>
  return
}

// -----

func.func @c4_one_dimension(%x: tensor<1x6x1x2x3x3xf32>) {
  // expected-error @below {{expected number 0 of the size to be 2 to 2, got 1}}
  %0 = hamkaas.winograd_output %x window [1, 3] to [1, 12] : tensor<1x6x1x2x3x3xf32>
  return
}
