// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_rank(%x: tensor<4x4x1x2x3xf32>) {
  // expected-error @below {{expected x of rank 6, got 5}}
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
