// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_offsets(%x: tensor<4x5xf32>) {
  // expected-error @below {{expected 2 offsets, one a dimension of x, got 1}}
  %0 = hamkaas.strided_slice %x offsets [0] sizes [2, 2] strides [1, 1] : tensor<4x5xf32>
  return
}

// -----

func.func @c1_strides(%x: tensor<4x5xf32>) {
  // expected-error @below {{expected 2 strides, one a dimension of x, got 3}}
  %0 = hamkaas.strided_slice %x offsets [0, 0] sizes [2, 2] strides [1, 1, 1] : tensor<4x5xf32>
  return
}

// -----

func.func @c2_stride(%x: tensor<4xf32>) {
  // expected-error @below {{expected a size of at least 1 and a stride other than 0 for dimension 0, got 2 and 0}}
  %0 = hamkaas.strided_slice %x offsets [0] sizes [2] strides [0] : tensor<4xf32>
  return
}

// -----

func.func @c2_size(%x: tensor<4xf32>) {
  // expected-error @below {{expected a size of at least 1 and a stride other than 0 for dimension 0, got 0 and 1}}
  %0 = hamkaas.strided_slice %x offsets [0] sizes [0] strides [1] : tensor<4xf32>
  return
}

// -----

func.func @c3_last(%x: tensor<4xf32>) {
  // expected-error @below {{expected elements from 0 to 3 of dimension 0, got 3 from 0 on in steps of 2}}
  %0 = hamkaas.strided_slice %x offsets [0] sizes [3] strides [2] : tensor<4xf32>
  return
}

// -----

func.func @c3_before(%x: tensor<4xf32>) {
  // expected-error @below {{expected elements from 0 to 3 of dimension 0, got 2 from 0 on in steps of -1}}
  %0 = hamkaas.strided_slice %x offsets [0] sizes [2] strides [-1] : tensor<4xf32>
  return
}

// -----

func.func @c3_huge(%x: tensor<4xf32>) {
  // expected-error @below {{expected elements from 0 to 3 of dimension 0, got 2 from 1 on in steps of -9223372036854775808}}
  %0 = hamkaas.strided_slice %x offsets [1] sizes [2] strides [-9223372036854775808] : tensor<4xf32>
  return
}
