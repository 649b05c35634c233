// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_target(%x: tensor<f32>, %i: tensor<2xi64>, %u: tensor<2xf32>) {
  // expected-error @below {{expected target to have at least rank 1, got 0}}
  %0 = hamkaas.scatter none %x, %i, %u : tensor<f32>, tensor<2xi64>, tensor<2xf32>
  return
}

// -----

func.func @c1_indices(%x: tensor<4xf32>, %i: tensor<2x1xi64>, %u: tensor<2xf32>) {
  // expected-error @below {{expected indices of rank 1, got 2}}
  %0 = hamkaas.scatter none %x, %i, %u : tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>
  return
}

// -----

func.func @c2_updates(%x: tensor<4x3xf32>, %i: tensor<2xi64>, %u: tensor<3x3xf32>) {
  // expected-error @below {{expected updates of the shape [2, 3], a row for each index, got [3, 3]}}
  %0 = hamkaas.scatter none %x, %i, %u : tensor<4x3xf32>, tensor<2xi64>, tensor<3x3xf32>
  return
}

// -----

func.func @c3_element(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf64>) {
  // expected-error @below {{expected the element type of updates ('f64') to match that of target ('f32')}}
  %0 = hamkaas.scatter none %x, %i, %u : tensor<4xf32>, tensor<2xi64>, tensor<2xf64>
  return
}

// -----

func.func @c4_booleans(%x: tensor<4xi1>, %i: tensor<2xi64>, %u: tensor<2xi1>) {
  // expected-error @below {{expected the reduction none for booleans, got add}}
  %0 = hamkaas.scatter add %x, %i, %u : tensor<4xi1>, tensor<2xi64>, tensor<2xi1>
  return
}
