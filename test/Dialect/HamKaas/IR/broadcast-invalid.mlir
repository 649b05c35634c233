// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_rank(%x: tensor<3xf32>) {
  // expected-error @below {{expected the rank of the result (2) to match the rank of x (1)}}
  %0 = hamkaas.broadcast %x : tensor<3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @c1_element_type(%x: tensor<1xf32>) {
  // expected-error @below {{expected the result to have the element type of x ('f32'), got 'f64'}}
  %0 = hamkaas.broadcast %x : tensor<1xf32> -> tensor<3xf64>
  return
}

// -----

func.func @c2_dimension(%x: tensor<1x2xf32>) {
  // expected-error @below {{expected dimension 1 of x (2) to be 1 or that of the result (3)}}
  %0 = hamkaas.broadcast %x : tensor<1x2xf32> -> tensor<4x3xf32>
  return
}
