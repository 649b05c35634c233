// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_entries(%x: tensor<2x3x4xf32>) {
  // expected-error @below {{expected a permutation of 3 entries, one a dimension of x, got 2}}
  %0 = hamkaas.permute %x[1, 0] : tensor<2x3x4xf32>
  return
}

// -----

func.func @c2_twice(%x: tensor<2x3x4xf32>) {
  // expected-error @below {{expected each of 0 to 2 once in the permutation, got [0, 2, 2]}}
  %0 = hamkaas.permute %x[0, 2, 2] : tensor<2x3x4xf32>
  return
}

// -----

func.func @c2_out_of_range(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected each of 0 to 1 once in the permutation, got [-1, 2]}}
  %0 = hamkaas.permute %x[-1, 2] : tensor<2x3xf32>
  return
}
