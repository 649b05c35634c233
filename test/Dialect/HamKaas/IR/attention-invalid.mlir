// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_rank(%q: tensor<3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>) {
  // expected-error @below {{expected q, k and v to have rank 3, got 2, 3 and 3}}
  %0 = hamkaas.attention %q, %k, %v scale 1.0 : tensor<3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>
  return
}

// -----

func.func @c1_batch(%q: tensor<2x3x4xf32>, %k: tensor<3x5x4xf32>, %v: tensor<2x5x6xf32>) {
  // expected-error @below {{expected q, k and v to have the same first dimension, got 2, 3 and 2}}
  %0 = hamkaas.attention %q, %k, %v scale 1.0 : tensor<2x3x4xf32>, tensor<3x5x4xf32>, tensor<2x5x6xf32>
  return
}

// -----

func.func @c2_width(%q: tensor<2x3x4xf32>, %k: tensor<2x5x8xf32>, %v: tensor<2x5x6xf32>) {
  // expected-error @below {{expected the last dimension of k (8) to match that of q (4)}}
  %0 = hamkaas.attention %q, %k, %v scale 1.0 : tensor<2x3x4xf32>, tensor<2x5x8xf32>, tensor<2x5x6xf32>
  return
}

// -----

func.func @c3_rows(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x7x6xf32>) {
  // expected-error @below {{expected the rows of v (7) to match those of k (5)}}
  %0 = hamkaas.attention %q, %k, %v scale 1.0 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x7x6xf32>
  return
}

// -----

func.func @c4_mask(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>, %m: tensor<2x3x4xi1>) {
  // expected-error @below {{expected the dimensions of mask to be 1 or those of the scores (2 x 3 x 5), got 'tensor<2x3x4xi1>'}}
  %0 = hamkaas.attention %q, %k, %v mask %m scale 1.0 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32> mask tensor<2x3x4xi1>
  return
}

// -----

func.func @c4_bias(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>, %b: tensor<3x5xf32>) {
  // expected-error @below {{expected the dimensions of bias to be 1 or those of the scores (2 x 3 x 5), got 'tensor<3x5xf32>'}}
  %0 = hamkaas.attention %q, %k, %v bias %b scale 1.0 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32> bias tensor<3x5xf32>
  return
}

// -----

func.func @c5_scale(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>) {
  // expected-error @below {{expected a finite scale, got 0x7F800000 : f32}}
  %0 = hamkaas.attention %q, %k, %v scale 0x7F800000 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>
  return
}

// -----

func.func @c6_masked_score(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>) {
  // expected-error @below {{expected a masked score that is a number, got 0x7FC00000 : f32}}
  %0 = hamkaas.attention %q, %k, %v scale 1.0 masked_score 0x7FC00000 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>
  return
}
