// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_product(%x: tensor<1x5x5x3xf32>) {
  // expected-error @below {{expected to combine by max or sum, got prod}}
  %0 = hamkaas.pool prod %x window [2, 2] strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] : tensor<1x5x5x3xf32>
  return
}

// -----

func.func @c2_rank(%x: tensor<5x3xf32>) {
  // expected-error @below {{expected x to have 1 to 3 spatial dimensions between its first and its last one, got rank 2}}
  %0 = hamkaas.pool max %x window [] strides [] dilations [] pad [] to [] : tensor<5x3xf32>
  return
}

// -----

func.func @c2_window(%x: tensor<1x5x5x3xf32>) {
  // expected-error @below {{expected 2 window sizes, one a spatial dimension, got 1}}
  %0 = hamkaas.pool max %x window [2] strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] : tensor<1x5x5x3xf32>
  return
}

// -----

func.func @c2_padding(%x: tensor<1x5x5x3xf32>) {
  // expected-error @below {{expected 2 high paddings, one a spatial dimension, got 3}}
  %0 = hamkaas.pool max %x window [2, 2] strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0, 0] : tensor<1x5x5x3xf32>
  return
}

// -----

func.func @c3_stride(%x: tensor<1x5x5x3xf32>) {
  // expected-error @below {{expected strides of at least 1, got 0}}
  %0 = hamkaas.pool max %x window [2, 2] strides [1, 0] dilations [1, 1] pad [0, 0] to [0, 0] : tensor<1x5x5x3xf32>
  return
}

// -----

func.func @c3_padding(%x: tensor<1x5x5x3xf32>) {
  // expected-error @below {{expected low paddings of at least 0, got -1}}
  %0 = hamkaas.pool max %x window [2, 2] strides [1, 1] dilations [1, 1] pad [-1, 0] to [0, 0] : tensor<1x5x5x3xf32>
  return
}

// -----

func.func @c4_no_window(%x: tensor<1x5x5x3xf32>) {
  // expected-error @below {{expected windows along dimension 2 of at most its padded size (6), got one of 7}}
  %0 = hamkaas.pool max %x window [2, 4] strides [1, 1] dilations [1, 2] pad [0, 0] to [0, 1] : tensor<1x5x5x3xf32>
  return
}

// -----

func.func @c4_overflow(%x: tensor<1x5x5x3xf32>) {
  // expected-error @below {{expected windows along dimension 1 of at most its padded size (5), got one of 9223372036854775807}}
  %0 = hamkaas.pool max %x window [9223372036854775807, 4] strides [1, 1] dilations [9223372036854775807, 2] pad [0, 0] to [0, 1] : tensor<1x5x5x3xf32>
  return
}

// -----

func.func @c4_padding(%x: tensor<1x5x5x3xf32>) {
  // expected-error @below {{expected dimension 2 to have fewer than 2^47 elements with its padding, got 9223372036854775807}}
  %0 = hamkaas.pool max %x window [2, 4] strides [1, 1] dilations [1, 2] pad [0, 9223372036854775807] to [0, 1] : tensor<1x5x5x3xf32>
  return
}
