// RUN: hamkaas-opt %s -verify-diagnostics

func.func @integers(%x: tensor<2xi64>) -> tensor<2xi64> {
  // expected-error @below {{operand #0 must be tensor of static shape and 1 to 2^47 - 1 elements that are floats}}
  %0 = hamkaas.check_nan %x, "input 'x'" : tensor<2xi64>
  return %0 : tensor<2xi64>
}
