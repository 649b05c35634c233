// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_rank(%x: tensor<6x6x3xf32>) {
  // expected-error @below {{expected x of rank 4, got 3}}
  %0 = hamkaas.winograd_input %x tile 4 : tensor<6x6x3xf32>
  return
}

// -----

func.func @c3_tile(%x: tensor<1x8x8x3xf32>) {
  // expected-error @below {{expected tiles of 2, 3, 4 or 6, got 5}}
  %0 = hamkaas.winograd_input %x tile 5 : tensor<1x8x8x3xf32>
  return
}

// -----

func.func @c4_multiple(%x: tensor<1x6x8x3xf32>) {
  // expected-error @below {{expected dimension 2 of x to be 2 more than a multiple of 4, got 8}}
  %0 = hamkaas.winograd_input %x tile 4 : tensor<1x6x8x3xf32>
  return
}

// -----

func.func @c4_positive(%x: tensor<1x2x6x3xf32>) {
  // expected-error @below {{expected dimension 1 of x to be 2 more than a multiple of 4, got 2}}
  %0 = hamkaas.winograd_input %x tile 4 : tensor<1x2x6x3xf32>
  return
}

// -----

func.func @c3_integers(%x: tensor<2x8x14x3xi16>) {
  // expected-error @below {{expected tiles of 2 or 4, got 6}}
  %0 = hamkaas.winograd_input %x tile 6 : tensor<2x8x14x3xi16>
  return
}

// -----

func.func @c5_divides(%x: tensor<1x6x6x6xf32>) {
  // expected-error @below {{expected groups to divide the 6 channels of x, got 4}}
  %0 = hamkaas.winograd_input %x tile 4 groups 4 : tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c5_positive(%x: tensor<1x6x6x6xf32>) {
  // expected-error @below {{expected groups to divide the 6 channels of x, got 0}}
  %0 = hamkaas.winograd_input %x tile 4 groups 0 : tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c2_numbers(%x: tensor<1x6x6x6xf32>) {
  // expected-error @below {{expected a window of 2 numbers, got 1}}
  %0 = hamkaas.winograd_input %x tile 4 window [3] : tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c2_different(%x: tensor<1x6x6x6xf32>) {
  // expected-error @below {{expected a window of equal numbers of 2 to 7, or of 1 and such a number, got 3 x 5}}
  %0 = hamkaas.winograd_input %x tile 4 window [3, 5] : tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c2_ones(%x: tensor<1x6x6x6xf32>) {
  // expected-error @below {{expected a window of equal numbers of 2 to 7, or of 1 and such a number, got 1 x 1}}
  %0 = hamkaas.winograd_input %x tile 4 window [1, 1] : tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c2_negative(%x: tensor<1x6x6x6xf32>) {
  // expected-error @below {{expected a window of equal numbers of 2 to 7, or of 1 and such a number, got -3 x 1}}
  %0 = hamkaas.winograd_input %x tile 4 window [-3, 1] : tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c2_integers(%x: tensor<2x8x14x3xi16>) {
  // expected-error @below {{expected a window of 3 x 3, got 1 x 3}}
  %0 = hamkaas.winograd_input %x tile 4 window [1, 3] : tensor<2x8x14x3xi16>
  return
}

// -----

func.func @c3_tile_of_five(%x: tensor<1x8x8x3xf32>) {
  // expected-error @below {{expected tiles of 2 or 4, got 3}}
  %0 = hamkaas.winograd_input %x tile 3 window [1, 5] : tensor<1x8x8x3xf32>
  return
}

// -----

func.func @c2_large(%x: tensor<1x8x8x3xf32>) {
  // expected-error @below {{expected a window of equal numbers of 2 to 7, or of 1 and such a number, got 1 x 8}}
  %0 = hamkaas.winograd_input %x tile 1 window [1, 8] : tensor<1x8x8x3xf32>
  return
}

// -----

func.func @c4_one_dimension(%x: tensor<1x5x7x3xf32>) {
  // expected-error @below {{expected dimension 2 of x to be 4 more than a multiple of 2, got 7}}
  %0 = hamkaas.winograd_input %x tile 2 window [1, 5] : tensor<1x5x7x3xf32>
  return
}
