// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_dim(%x: tensor<4x3xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{expected a dimension from 0 to 1, got -1}}
  %0 = hamkaas.gather %x, %i dim -1 : tensor<4x3xf32>, tensor<2xi64>
  return
}

// -----

func.func @c2_large(%x: tensor<1x70368744177664xi8>, %i: tensor<2xi64>) {
  // expected-error @below {{expected a result of 1 to 2^47 - 1 elements, got the shape [2, 70368744177664]}}
  %0 = hamkaas.gather %x, %i dim 0 : tensor<1x70368744177664xi8>, tensor<2xi64>
  return
}

// -----

func.func @indices(%x: tensor<4x3xf32>, %i: tensor<2xf32>) {
  // expected-error @below {{operand #1 must be tensor of static shape and 1 to 2^47 - 1 elements}}
  %0 = hamkaas.gather %x, %i dim 0 : tensor<4x3xf32>, tensor<2xf32>
  return
}
