// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_scalar(%x: tensor<f32>) {
  // expected-error @below {{expected x to have at least rank 1, got 0}}
  %0 = hamkaas.argsort %x : tensor<f32>
  return
}

// -----

func.func @c2_none(%x: tensor<2x5xf32>) {
  // expected-error @below {{expected 'first' from 1 to 5, got 0}}
  %0 = hamkaas.argsort %x first 0 : tensor<2x5xf32>
  return
}

// -----

func.func @c2_many(%x: tensor<2x5xf32>) {
  // expected-error @below {{expected 'first' from 1 to 5, got 6}}
  %0 = hamkaas.argsort %x first 6 : tensor<2x5xf32>
  return
}
