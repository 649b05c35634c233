// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_rank(%x: tensor<4x4x1x2x3xf32>) {
  // expected-error @below {{expected x of rank 6 or 7, got 5}}
  %0 = hamkaas.winograd_output %x : tensor<4x4x1x2x3xf32>
  return
}

// -----

func.func @c2_size(%x: tensor<5x5x1x2x3x3xf32>) {
  // expected-error @below {{expected the first two dimensions of x to be both 4, both 6 or both 8, got 5 and 5}}
  %0 = hamkaas.winograd_output %x : tensor<5x5x1x2x3x3xf32>
  return
}

// -----

func.func @c2_different(%x: tensor<4x6x1x2x3x3xf32>) {
  // expected-error @below {{expected the first two dimensions of x to be both 4, both 6 or both 8, got 4 and 6}}
  %0 = hamkaas.winograd_output %x : tensor<4x6x1x2x3x3xf32>
  return
}

// -----

func.func @c3_rank(%x: tensor<4x4x1x2x3x3xf32>) {
  // expected-error @below {{expected a size of 2 numbers, got 3}}
  %0 = hamkaas.winograd_output %x to [4, 6, 1] : tensor<4x4x1x2x3x3xf32>
  return
}

// -----

func.func @c3_large(%x: tensor<4x4x1x2x3x3xf32>) {
  // expected-error @below {{expected number 1 of the size to be 5 to 6, got 7}}
  %0 = hamkaas.winograd_output %x to [4, 7] : tensor<4x4x1x2x3x3xf32>
  return
}

// -----

func.func @c3_small(%x: tensor<4x4x1x2x3x3xf32>) {
  // expected-error @below {{expected number 0 of the size to be 3 to 4, got 2}}
  %0 = hamkaas.winograd_output %x to [2, 6] : tensor<4x4x1x2x3x3xf32>
  return
}

// -----

func.func @c2_integers(%x: tensor<8x8x1x2x3x3xi32>) {
  // expected-error @below {{expected the first two dimensions of x to be both 4 or both 6, got 8 and 8}}
  %0 = hamkaas.winograd_output %x : tensor<8x8x1x2x3x3xi32>
  return
}
