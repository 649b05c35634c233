// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_rank(%x: tensor<1x5x5x3xf32>, %w: tensor<3x3x8xf32>) {
  // expected-error @below {{expected x and w of the same rank, 3 to 5, got 4 and 3}}
  %0 = hamkaas.conv %x, %w strides [1] dilations [1] pad [0] to [0] groups 1 : tensor<1x5x5x3xf32>, tensor<3x3x8xf32>
  return
}

// -----

func.func @c1_element_type(%x: tensor<1x5x3xf32>, %w: tensor<3x3x8xf64>) {
  // expected-error @below {{expected x and w of one element type, got float32 and float64}}
  %0 = hamkaas.conv %x, %w strides [1] dilations [1] pad [0] to [0] groups 1 : tensor<1x5x3xf32>, tensor<3x3x8xf64>
  return
}

// -----

func.func @c2_strides(%x: tensor<1x5x5x3xf32>, %w: tensor<3x3x3x8xf32>) {
  // expected-error @below {{expected 2 strides, one a spatial dimension, got 1}}
  %0 = hamkaas.conv %x, %w strides [1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x5x5x3xf32>, tensor<3x3x3x8xf32>
  return
}

// -----

func.func @c3_dilation(%x: tensor<1x5x5x3xf32>, %w: tensor<3x3x3x8xf32>) {
  // expected-error @below {{expected dilations of at least 1, got -2}}
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, -2] pad [0, 0] to [0, 0] groups 1 : tensor<1x5x5x3xf32>, tensor<3x3x3x8xf32>
  return
}

// -----

func.func @c4_no_window(%x: tensor<1x5x2x3xf32>, %w: tensor<3x3x3x8xf32>) {
  // expected-error @below {{expected windows along dimension 2 of at most its padded size (2), got one of 3}}
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x5x2x3xf32>, tensor<3x3x3x8xf32>
  return
}

// -----

func.func @c5_groups(%x: tensor<1x5x5x4xf32>, %w: tensor<3x3x2x9xf32>) {
  // expected-error @below {{expected groups that divide the channels of x (4) and of the result (9), got 2}}
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 2 : tensor<1x5x5x4xf32>, tensor<3x3x2x9xf32>
  return
}

// -----

func.func @c5_no_groups(%x: tensor<1x5x5x4xf32>, %w: tensor<3x3x4x8xf32>) {
  // expected-error @below {{expected groups that divide the channels of x (4) and of the result (8), got 0}}
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 0 : tensor<1x5x5x4xf32>, tensor<3x3x4x8xf32>
  return
}

// -----

func.func @c6_channels(%x: tensor<1x5x5x4xf32>, %w: tensor<3x3x4x8xf32>) {
  // expected-error @below {{expected w to have the channels of a group of x (2) as its last dimension but one, got 4}}
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 2 : tensor<1x5x5x4xf32>, tensor<3x3x4x8xf32>
  return
}
