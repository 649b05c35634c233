// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_rank(%c: tensor<64xi8>, %s: tensor<2x2xf32>, %n: tensor<2x4xi32>) {
  // expected-error @below {{expected a matrix of blocks of 32 codes with sums of 16 each, got 'tensor<64xi8>'}}
  %0 = hamkaas.dequantize_rows %c, %s, %n block 32 step 16 : tensor<64xi8>, tensor<2x2xf32>, tensor<2x4xi32>
  return
}

// -----

func.func @c1_block(%c: tensor<2x64xi8>, %s: tensor<2x2xf32>, %n: tensor<2x4xi32>) {
  // expected-error @below {{expected a matrix of blocks of 24 codes with sums of 8 each, got 'tensor<2x64xi8>'}}
  %0 = hamkaas.dequantize_rows %c, %s, %n block 24 step 8 : tensor<2x64xi8>, tensor<2x2xf32>, tensor<2x4xi32>
  return
}

// -----

func.func @c1_no_block(%c: tensor<2x64xi8>, %s: tensor<2x2xf32>, %n: tensor<2x4xi32>) {
  // expected-error @below {{expected a matrix of blocks of 0 codes with sums of 4 each, got 'tensor<2x64xi8>'}}
  %0 = hamkaas.dequantize_rows %c, %s, %n block 0 step 4 : tensor<2x64xi8>, tensor<2x2xf32>, tensor<2x4xi32>
  return
}

// -----

func.func @c1_no_step(%c: tensor<2x64xi8>, %s: tensor<2x2xf32>, %n: tensor<2x4xi32>) {
  // expected-error @below {{expected a matrix of blocks of 32 codes with sums of 0 each, got 'tensor<2x64xi8>'}}
  %0 = hamkaas.dequantize_rows %c, %s, %n block 32 step 0 : tensor<2x64xi8>, tensor<2x2xf32>, tensor<2x4xi32>
  return
}

// -----

func.func @c1_step(%c: tensor<2x64xi8>, %s: tensor<2x2xf32>, %n: tensor<2x4xi32>) {
  // expected-error @below {{expected a matrix of blocks of 32 codes with sums of 2 each, got 'tensor<2x64xi8>'}}
  %0 = hamkaas.dequantize_rows %c, %s, %n block 32 step 2 : tensor<2x64xi8>, tensor<2x2xf32>, tensor<2x4xi32>
  return
}

// -----

func.func @c1_divides(%c: tensor<2x64xi8>, %s: tensor<2x2xf32>, %n: tensor<2x4xi32>) {
  // expected-error @below {{expected a matrix of blocks of 32 codes with sums of 12 each, got 'tensor<2x64xi8>'}}
  %0 = hamkaas.dequantize_rows %c, %s, %n block 32 step 12 : tensor<2x64xi8>, tensor<2x2xf32>, tensor<2x4xi32>
  return
}

// -----

func.func @c2_scales(%c: tensor<2x64xi8>, %s: tensor<2x4xf32>, %n: tensor<2x4xi32>) {
  // expected-error @below {{expected a scale of each 32 and a sum of each 16 codes, got 'tensor<2x4xf32>' and 'tensor<2x4xi32>'}}
  %0 = hamkaas.dequantize_rows %c, %s, %n block 32 step 16 : tensor<2x64xi8>, tensor<2x4xf32>, tensor<2x4xi32>
  return
}

// -----

func.func @c2_sums(%c: tensor<2x64xi8>, %s: tensor<2x2xf32>, %n: tensor<2x2xi32>) {
  // expected-error @below {{expected a scale of each 32 and a sum of each 16 codes, got 'tensor<2x2xf32>' and 'tensor<2x2xi32>'}}
  %0 = hamkaas.dequantize_rows %c, %s, %n block 32 step 16 : tensor<2x64xi8>, tensor<2x2xf32>, tensor<2x2xi32>
  return
}
