// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_order(%x: tensor<2x3x4xf32>) {
  // expected-error @below {{expected ascending dimensions from 0 to 2, got [2, 0]}}
  %0 = hamkaas.reduce sum %x over [2, 0] : tensor<2x3x4xf32>
  return
}

// -----

func.func @c1_repeated(%x: tensor<2x3x4xf32>) {
  // expected-error @below {{expected ascending dimensions from 0 to 2, got [1, 1]}}
  %0 = hamkaas.reduce sum %x over [1, 1] : tensor<2x3x4xf32>
  return
}

// -----

func.func @c1_beyond(%x: tensor<2x3x4xf32>) {
  // expected-error @below {{expected ascending dimensions from 0 to 2, got [3]}}
  %0 = hamkaas.reduce sum %x over [3] : tensor<2x3x4xf32>
  return
}

// -----

func.func @c1_negative(%x: tensor<2x3x4xf32>) {
  // expected-error @below {{expected ascending dimensions from 0 to 2, got [-1]}}
  %0 = hamkaas.reduce sum %x over [-1] : tensor<2x3x4xf32>
  return
}

// -----

func.func @c2_sum_of_booleans(%x: tensor<4xi1>) {
  // expected-error @below {{expected to combine booleans by max or min, got sum}}
  %0 = hamkaas.reduce sum %x over [0] : tensor<4xi1>
  return
}
