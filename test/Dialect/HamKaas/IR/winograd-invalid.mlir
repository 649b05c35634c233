// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @input_c1_rank(%x: tensor<6x6x3xf32>) {
  // expected-error @below {{expected x of rank 4, got 3}}
  %0 = hamkaas.winograd_input %x tile 4 : tensor<6x6x3xf32>
  return
}

// -----

func.func @input_c2_tile(%x: tensor<1x8x8x3xf32>) {
  // expected-error @below {{expected tiles of 2 or 4, got 3}}
  %0 = hamkaas.winograd_input %x tile 3 : tensor<1x8x8x3xf32>
  return
}

// -----

func.func @input_c3_multiple(%x: tensor<1x6x8x3xf32>) {
  // expected-error @below {{expected dimension 2 of x to be 2 more than a multiple of 4, got 8}}
  %0 = hamkaas.winograd_input %x tile 4 : tensor<1x6x8x3xf32>
  return
}

// -----

func.func @input_c3_positive(%x: tensor<1x2x6x3xf32>) {
  // expected-error @below {{expected dimension 1 of x to be 2 more than a multiple of 4, got 2}}
  %0 = hamkaas.winograd_input %x tile 4 : tensor<1x2x6x3xf32>
  return
}

// -----

func.func @output_c1_rank(%x: tensor<4x4x1x2x3xf32>) {
  // expected-error @below {{expected x of rank 6, got 5}}
  %0 = hamkaas.winograd_output %x : tensor<4x4x1x2x3xf32>
  return
}

// -----

func.func @output_c2_size(%x: tensor<5x5x1x2x3x3xf32>) {
  // expected-error @below {{expected the first two dimensions of x to be both 4 or both 6, got 5 and 5}}
  %0 = hamkaas.winograd_output %x : tensor<5x5x1x2x3x3xf32>
  return
}

// -----

func.func @output_c2_different(%x: tensor<4x6x1x2x3x3xf32>) {
  // expected-error @below {{expected the first two dimensions of x to be both 4 or both 6, got 4 and 6}}
  %0 = hamkaas.winograd_output %x : tensor<4x6x1x2x3x3xf32>
  return
}
