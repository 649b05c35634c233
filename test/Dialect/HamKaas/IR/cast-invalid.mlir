// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_shape(%x: tensor<3xf32>) {
  // expected-error @below {{expected the result to have the shape of x ('tensor<3xf32>'), got 'tensor<4xi32>'}}
  %0 = hamkaas.cast %x : tensor<3xf32> -> tensor<4xi32>
  return
}
