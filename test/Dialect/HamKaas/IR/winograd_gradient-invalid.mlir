// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_rank(%x: tensor<4x4x3xf32>) {
  // expected-error @below {{expected x of rank 4, got 3}}
  %0 = hamkaas.winograd_gradient %x tile 4 : tensor<4x4x3xf32>
  return
}

// -----

func.func @c2_tile(%x: tensor<1x8x8x3xf32>) {
  // expected-error @below {{expected tiles of 2, 3, 4 or 6, got 8}}
  %0 = hamkaas.winograd_gradient %x tile 8 : tensor<1x8x8x3xf32>
  return
}

// -----

func.func @c3_multiple(%x: tensor<1x4x6x3xf32>) {
  // expected-error @below {{expected dimension 2 of x to be a multiple of 4, got 6}}
  %0 = hamkaas.winograd_gradient %x tile 4 : tensor<1x4x6x3xf32>
  return
}

// -----

func.func @c3_positive(%x: tensor<1x0x4x3xf32>) {
  // expected-error @below {{expected dimension 1 of x to be a multiple of 4, got 0}}
  %0 = hamkaas.winograd_gradient %x tile 4 : tensor<1x0x4x3xf32>
  return
}
