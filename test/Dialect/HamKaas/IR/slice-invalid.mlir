// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_scalar(%x: tensor<f32>) {
  // expected-error @below {{expected x to have at least rank 1, got 0}}
  %0 = hamkaas.slice %x[0, 1] : tensor<f32>
  return
}

// -----

func.func @c2_negative_begin(%x: tensor<4x2xf32>) {
  // expected-error @below {{expected 0 <= begin < end <= the first dimension of x (4), got begin -1 and end 2}}
  %0 = hamkaas.slice %x[-1, 2] : tensor<4x2xf32>
  return
}

// -----

func.func @c2_no_rows(%x: tensor<4x2xf32>) {
  // expected-error @below {{expected 0 <= begin < end <= the first dimension of x (4), got begin 2 and end 2}}
  %0 = hamkaas.slice %x[2, 2] : tensor<4x2xf32>
  return
}

// -----

func.func @c2_large_end(%x: tensor<4x2xf32>) {
  // expected-error @below {{expected 0 <= begin < end <= the first dimension of x (4), got begin 2 and end 5}}
  %0 = hamkaas.slice %x[2, 5] : tensor<4x2xf32>
  return
}
