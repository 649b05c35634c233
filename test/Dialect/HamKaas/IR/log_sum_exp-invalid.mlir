// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_scalar(%x: tensor<f32>) {
  // expected-error @below {{expected x to have at least rank 1, got 0}}
  %0 = hamkaas.log_sum_exp %x : tensor<f32>
  return
}

// -----

func.func @integers(%x: tensor<4xi64>) {
  // expected-error @below {{operand #0 must be}}
  %0 = hamkaas.log_sum_exp %x : tensor<4xi64>
  return
}
