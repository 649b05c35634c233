// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_shape(%x: tensor<3xf32>) {
  // expected-error @below {{expected the result to have the shape of x ('tensor<3xf32>'), got 'tensor<4xi32>'}}
  %0 = hamkaas.bitcast %x : tensor<3xf32> -> tensor<4xi32>
  return
}

// -----

func.func @c2_width(%x: tensor<3xf32>) {
  // expected-error @below {{expected elements of one width, none of them booleans, got 'f32' and 'i16'}}
  %0 = hamkaas.bitcast %x : tensor<3xf32> -> tensor<3xi16>
  return
}

// -----

func.func @c2_booleans(%x: tensor<3xi1>) {
  // expected-error @below {{expected elements of one width, none of them booleans, got 'i1' and 'ui8'}}
  %0 = hamkaas.bitcast %x : tensor<3xi1> -> tensor<3xui8>
  return
}
