// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_rank(%x: tensor<6x6x3xf32>) {
  // expected-error @below {{expected x of rank 4, got 3}}
  %0 = hamkaas.winograd_input %x tile 4 : tensor<6x6x3xf32>
  return
}

// -----

func.func @c2_tile(%x: tensor<1x8x8x3xf32>) {
  // expected-error @below {{expected tiles of 2, 4 or 6, got 3}}
  %0 = hamkaas.winograd_input %x tile 3 : tensor<1x8x8x3xf32>
  return
}

// -----

func.func @c3_multiple(%x: tensor<1x6x8x3xf32>) {
  // expected-error @below {{expected dimension 2 of x to be 2 more than a multiple of 4, got 8}}
  %0 = hamkaas.winograd_input %x tile 4 : tensor<1x6x8x3xf32>
  return
}

// -----

func.func @c3_positive(%x: tensor<1x2x6x3xf32>) {
  // expected-error @below {{expected dimension 1 of x to be 2 more than a multiple of 4, got 2}}
  %0 = hamkaas.winograd_input %x tile 4 : tensor<1x2x6x3xf32>
  return
}

// -----

func.func @c2_integers(%x: tensor<2x8x14x3xi16>) {
  // expected-error @below {{expected tiles of 2 or 4, got 6}}
  %0 = hamkaas.winograd_input %x tile 6 : tensor<2x8x14x3xi16>
  return
}

// -----

func.func @c4_divides(%x: tensor<1x6x6x6xf32>) {
  // expected-error @below {{expected groups to divide the 6 channels of x, got 4}}
  %0 = hamkaas.winograd_input %x tile 4 groups 4 : tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c4_positive(%x: tensor<1x6x6x6xf32>) {
  // expected-error @below {{expected groups to divide the 6 channels of x, got 0}}
  %0 = hamkaas.winograd_input %x tile 4 groups 0 : tensor<1x6x6x6xf32>
  return
}
