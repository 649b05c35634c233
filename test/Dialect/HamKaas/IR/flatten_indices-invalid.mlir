// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_entries(%i: tensor<5x2xi64>) {
  // expected-error @below {{expected indices whose last dimension is 3, an entry a size, got [5, 2]}}
  %0 = hamkaas.flatten_indices %i sizes [4, 3, 2] dim 0 : tensor<5x2xi64>
  return
}

// -----

func.func @c1_scalar(%i: tensor<i64>) {
  // expected-error @below {{expected indices whose last dimension is 1, an entry a size, got []}}
  %0 = hamkaas.flatten_indices %i sizes [4] dim 0 : tensor<i64>
  return
}

// -----

func.func @c2_none(%i: tensor<5x2xi64>) {
  // expected-error @below {{expected sizes of 1 to 2^47 - 1 elements, got [4, 0]}}
  %0 = hamkaas.flatten_indices %i sizes [4, 0] dim 0 : tensor<5x2xi64>
  return
}

// -----

func.func @c2_negative(%i: tensor<5x2xi64>) {
  // expected-error @below {{expected sizes of 1 to 2^47 - 1 elements, got [-4, -3]}}
  %0 = hamkaas.flatten_indices %i sizes [-4, -3] dim 0 : tensor<5x2xi64>
  return
}

// -----

func.func @c2_large(%i: tensor<5x2xi64>) {
  // expected-error @below {{expected sizes of 1 to 2^47 - 1 elements, got [4294967296, 4294967296]}}
  %0 = hamkaas.flatten_indices %i sizes [4294967296, 4294967296] dim 0 : tensor<5x2xi64>
  return
}

// -----

func.func @c3_dim(%i: tensor<5x2xi64>) {
  // expected-error @below {{expected a dimension from 0 to 2^31 - 1, got -1}}
  %0 = hamkaas.flatten_indices %i sizes [4, 3] dim -1 : tensor<5x2xi64>
  return
}

// -----

func.func @indices(%i: tensor<5x2xf32>) {
  // expected-error @below {{operand #0 must be tensor of static shape and 1 to 2^47 - 1 elements}}
  %0 = hamkaas.flatten_indices %i sizes [4, 3] dim 0 : tensor<5x2xf32>
  return
}
