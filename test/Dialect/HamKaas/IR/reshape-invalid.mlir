// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_count(%x: tensor<2x12xf32>) {
  // expected-error @below {{expected the result to have as many elements as x (24), got 25}}
  %0 = hamkaas.reshape %x : tensor<2x12xf32> -> tensor<5x5xf32>
  return
}

// -----

func.func @c2_element_type(%x: tensor<2x12xf32>) {
  // expected-error @below {{expected the result to have the element type of x ('f32'), got 'i64'}}
  %0 = hamkaas.reshape %x : tensor<2x12xf32> -> tensor<24xi64>
  return
}
