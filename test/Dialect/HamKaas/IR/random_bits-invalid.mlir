// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_generator(%g: tensor<4xui64>) {
  // expected-error @below {{expected a generator of the shape 3, its key and counter, got 'tensor<4xui64>'}}
  %0 = hamkaas.random_bits %g [2] : tensor<4xui64>
  return
}

// -----

func.func @c1_rank(%g: tensor<ui64>) {
  // expected-error @below {{expected a generator of the shape 3, its key and counter, got 'tensor<ui64>'}}
  %0 = hamkaas.random_bits %g [2] : tensor<ui64>
  return
}

// -----

func.func @c2_size(%g: tensor<3xui64>) {
  // expected-error @below {{expected sizes of at least 1, got 0}}
  %0 = hamkaas.random_bits %g [2, 0] : tensor<3xui64>
  return
}

// -----

func.func @c3_offset(%g: tensor<3xui64>) {
  // expected-error @below {{expected an offset of at least 0, got -1}}
  %0 = hamkaas.random_bits %g [2] offset -1 : tensor<3xui64>
  return
}

// -----

func.func @type(%g: tensor<3xi64>) {
  // expected-error @below {{operand #0 must be tensor of static shape and 1 to 2^47 - 1 elements that are ui64, but got 'tensor<3xi64>'}}
  %0 = hamkaas.random_bits %g [2] : tensor<3xi64>
  return
}

// -----

func.func @large(%g: tensor<3xui64>) {
  // expected-error @below {{result #0 must be tensor of static shape and 1 to 2^47 - 1 elements that are ui32}}
  %0 = hamkaas.random_bits %g [4294967296, 4294967296] : tensor<3xui64>
  return
}
