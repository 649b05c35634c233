// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_scalar(%x: tensor<f32>) {
  // expected-error @below {{expected x to have at least rank 1, got 0}}
  %0 = hamkaas.argsort %x : tensor<f32>
  return
}
