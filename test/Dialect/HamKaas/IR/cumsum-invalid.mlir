// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_dim(%x: tensor<2x5xf32>) {
  // expected-error @below {{expected a dimension from 0 to 1, got 2}}
  %0 = hamkaas.cumsum %x dim 2 : tensor<2x5xf32>
  return
}

// -----

func.func @c1_scalar(%x: tensor<f32>) {
  // expected-error @below {{expected at least rank 1, got 0}}
  %0 = hamkaas.cumsum %x dim 0 : tensor<f32>
  return
}
