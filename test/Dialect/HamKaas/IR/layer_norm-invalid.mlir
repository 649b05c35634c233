// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_scalar(%x: tensor<f32>) {
  // expected-error @below {{expected x to have at least rank 1, got 0}}
  %0 = hamkaas.layer_norm %x epsilon 1.0e-5 : tensor<f32>
  return
}

// -----

func.func @c2_negative(%x: tensor<8xf32>) {
  // expected-error @below {{expected a finite epsilon of at least 0, got -1.000000e+00 : f64}}
  %0 = hamkaas.layer_norm %x epsilon -1.0 : tensor<8xf32>
  return
}

// -----

func.func @c2_nan(%x: tensor<8xf32>) {
  // expected-error @below {{expected a finite epsilon of at least 0, got 0x7FF8000000000000 : f64}}
  %0 = hamkaas.layer_norm %x epsilon 0x7FF8000000000000 : tensor<8xf32>
  return
}
