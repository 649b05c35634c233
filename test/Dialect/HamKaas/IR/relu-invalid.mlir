// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @integers(%x: tensor<3xi64>) {
  // expected-error @below {{operand #0 must be tensor of static shape and 1 to 2^47 - 1 elements that are floats, but got 'tensor<3xi64>'}}
  %0 = hamkaas.relu %x : tensor<3xi64>
  return
}

// -----

func.func @wrong_result(%x: tensor<2x3xf32>) {
  // expected-error @below {{'hamkaas.relu' op requires the same type for all operands and results}}
  %0 = "hamkaas.relu"(%x) : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}
