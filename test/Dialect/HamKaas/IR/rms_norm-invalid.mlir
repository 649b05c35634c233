// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_scalar(%x: tensor<f32>, %w: tensor<1xf32>) {
  // expected-error @below {{expected x to have at least rank 1, got 0}}
  %0 = hamkaas.rms_norm %x, %w : tensor<f32>, tensor<1xf32>
  return
}

// -----

func.func @c2_size(%x: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error @below {{expected w to have rank 1 and the size of the last dimension of x (8), got 'tensor<4xf32>'}}
  %0 = hamkaas.rms_norm %x, %w : tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @c2_rank(%x: tensor<4x8xf32>, %w: tensor<1x8xf32>) {
  // expected-error @below {{expected w to have rank 1 and the size of the last dimension of x (8), got 'tensor<1x8xf32>'}}
  %0 = hamkaas.rms_norm %x, %w : tensor<4x8xf32>, tensor<1x8xf32>
  return
}

// -----

func.func @c3_negative(%x: tensor<8xf32>, %w: tensor<8xf32>) {
  // expected-error @below {{expected a finite epsilon of at least 0, got -1.000000e+00 : f64}}
  %0 = hamkaas.rms_norm %x, %w epsilon -1.0 : tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @c3_infinite(%x: tensor<8xf32>, %w: tensor<8xf32>) {
  // expected-error @below {{expected a finite epsilon of at least 0, got 0x7FF0000000000000 : f64}}
  %0 = hamkaas.rms_norm %x, %w epsilon 0x7FF0000000000000 : tensor<8xf32>, tensor<8xf32>
  return
}
