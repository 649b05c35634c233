// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_dimension() {
  // expected-error @below {{expected a dimension from 0 to 1, got 2}}
  %0 = hamkaas.iota 2 : tensor<2x3xi64>
  return
}
