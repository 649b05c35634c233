// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @float64(%x: tensor<3xf64>) {
  // expected-error @below {{operand #0 must be tensor of static shape and 1 to 2^47 - 1 elements that are f32, but got 'tensor<3xf64>'}}
  %0 = hamkaas.hard_swish %x : tensor<3xf64>
  return
}

// -----

func.func @wrong_result(%x: tensor<2x3xf32>) {
  // expected-error @below {{'hamkaas.hard_swish' op requires the same type for all operands and results}}
  %0 = "hamkaas.hard_swish"(%x) : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}
