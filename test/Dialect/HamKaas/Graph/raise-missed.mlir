// RUN: hamkaas-opt %s -hamkaas-raise -split-input-file \
// RUN:   "-remarks-filter-missed=^hamkaas-raise$" \
// RUN:   -remark-format=emitRemark -verify-diagnostics -o /dev/null

// Graphs that miss one condition: a remark says which, at the operation at
// fault. Recognised graphs, and those that only share parts, have no remark.

func.func @recognised(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %half = hamkaas.constant dense<5.000000e-01> : tensor<1x1xf32>
  %one = hamkaas.constant dense<1.0> : tensor<1x1xf32>
  %root = hamkaas.constant dense<1.41421354> : tensor<1x1xf32>
  %0 = hamkaas.div %x, %root : tensor<4x8xf32>, tensor<1x1xf32>
  %1 = hamkaas.erf %0 : tensor<4x8xf32>
  %2 = hamkaas.add %1, %one : tensor<4x8xf32>, tensor<1x1xf32>
  %3 = hamkaas.mul %x, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  %4 = hamkaas.mul %3, %half : tensor<4x8xf32>, tensor<1x1xf32>
  return %4 : tensor<4x8xf32>
}

// -----

// A length, a product of x and another gate, and the ratio of exponentials.

func.func @others(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %one = hamkaas.constant dense<1.0> : tensor<1x1xf32>
  %0 = hamkaas.mul %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  %1 = hamkaas.reduce sum %0 over [1] : tensor<4x8xf32>
  %2 = hamkaas.sqrt %1 : tensor<4xf32>
  %3 = hamkaas.reshape %2 : tensor<4xf32> -> tensor<4x1xf32>
  %4 = hamkaas.div %x, %3 : tensor<4x8xf32>, tensor<4x1xf32>
  %5 = hamkaas.tanh %y : tensor<4x8xf32>
  %6 = hamkaas.add %5, %one : tensor<4x8xf32>, tensor<1x1xf32>
  %7 = hamkaas.mul %x, %6 : tensor<4x8xf32>, tensor<4x8xf32>
  %8 = hamkaas.exp %x : tensor<4x8xf32>
  %9 = hamkaas.exp %y : tensor<4x8xf32>
  %10 = hamkaas.div %8, %9 : tensor<4x8xf32>, tensor<4x8xf32>
  return %4, %7, %10 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

func.func @rms_columns(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = hamkaas.constant dense<0.25> : tensor<1x1xf32>
  %e = hamkaas.constant dense<1.0e-5> : tensor<1x1xf32>
  %sq = hamkaas.mul %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  %sum = hamkaas.reduce sum %sq over [0] : tensor<4x8xf32>
  %column = hamkaas.reshape %sum : tensor<8xf32> -> tensor<1x8xf32>
  %mean = hamkaas.mul %column, %n : tensor<1x8xf32>, tensor<1x1xf32>
  %above = hamkaas.add %mean, %e : tensor<1x8xf32>, tensor<1x1xf32>
  %root = hamkaas.sqrt %above : tensor<1x8xf32>
  // expected-remark @below {{the divisor is not one number for each row}}
  %y = hamkaas.div %x, %root : tensor<4x8xf32>, tensor<1x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @rms_no_epsilon(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = hamkaas.constant dense<0.125> : tensor<1x1xf32>
  %sq = hamkaas.mul %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  %sum = hamkaas.reduce sum %sq over [1] : tensor<4x8xf32>
  %column = hamkaas.reshape %sum : tensor<4xf32> -> tensor<4x1xf32>
  // expected-remark @below {{no epsilon is added under the root}}
  %mean = hamkaas.mul %column, %n : tensor<4x1xf32>, tensor<1x1xf32>
  %root = hamkaas.sqrt %mean : tensor<4x1xf32>
  %y = hamkaas.div %x, %root : tensor<4x8xf32>, tensor<4x1xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @rms_negative_epsilon(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = hamkaas.constant dense<0.125> : tensor<1x1xf32>
  %e = hamkaas.constant dense<-1.0e-5> : tensor<1x1xf32>
  %sq = hamkaas.mul %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  %sum = hamkaas.reduce sum %sq over [1] : tensor<4x8xf32>
  %column = hamkaas.reshape %sum : tensor<4xf32> -> tensor<4x1xf32>
  %mean = hamkaas.mul %column, %n : tensor<4x1xf32>, tensor<1x1xf32>
  // expected-remark @below {{the epsilon is not one finite number of at least 0}}
  %above = hamkaas.add %mean, %e : tensor<4x1xf32>, tensor<1x1xf32>
  %root = hamkaas.sqrt %above : tensor<4x1xf32>
  %y = hamkaas.div %x, %root : tensor<4x8xf32>, tensor<4x1xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @rms_sum(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = hamkaas.constant dense<1.0e-5> : tensor<1x1xf32>
  %sq = hamkaas.mul %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  %sum = hamkaas.reduce sum %sq over [1] : tensor<4x8xf32>
  %column = hamkaas.reshape %sum : tensor<4xf32> -> tensor<4x1xf32>
  // expected-remark @below {{the epsilon is not added to the mean of each row}}
  %above = hamkaas.add %column, %e : tensor<4x1xf32>, tensor<1x1xf32>
  %root = hamkaas.sqrt %above : tensor<4x1xf32>
  %y = hamkaas.div %x, %root : tensor<4x8xf32>, tensor<4x1xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @rms_unbiased(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = hamkaas.constant dense<0.142857149> : tensor<1x1xf32>
  %e = hamkaas.constant dense<1.0e-5> : tensor<1x1xf32>
  %sq = hamkaas.mul %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  %sum = hamkaas.reduce sum %sq over [1] : tensor<4x8xf32>
  %column = hamkaas.reshape %sum : tensor<4xf32> -> tensor<4x1xf32>
  %mean = hamkaas.mul %column, %n : tensor<4x1xf32>, tensor<1x1xf32>
  // expected-remark @below {{the epsilon is not added to the mean of each row}}
  %above = hamkaas.add %mean, %e : tensor<4x1xf32>, tensor<1x1xf32>
  %root = hamkaas.sqrt %above : tensor<4x1xf32>
  %y = hamkaas.div %x, %root : tensor<4x8xf32>, tensor<4x1xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @rms_of_another(%x: tensor<4x8xf32>, %other: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = hamkaas.constant dense<0.125> : tensor<1x1xf32>
  %e = hamkaas.constant dense<1.0e-5> : tensor<1x1xf32>
  %sq = hamkaas.mul %other, %other : tensor<4x8xf32>, tensor<4x8xf32>
  %sum = hamkaas.reduce sum %sq over [1] : tensor<4x8xf32>
  %column = hamkaas.reshape %sum : tensor<4xf32> -> tensor<4x1xf32>
  %mean = hamkaas.mul %column, %n : tensor<4x1xf32>, tensor<1x1xf32>
  // expected-remark @below {{the mean is not that of the squares of the dividend}}
  %above = hamkaas.add %mean, %e : tensor<4x1xf32>, tensor<1x1xf32>
  %root = hamkaas.sqrt %above : tensor<4x1xf32>
  %y = hamkaas.div %x, %root : tensor<4x8xf32>, tensor<4x1xf32>
  return %y : tensor<4x8xf32>
}

// -----

// One root for all rows.

func.func @rms_of_all(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = hamkaas.constant dense<3.125e-02> : tensor<1x1xf32>
  %e = hamkaas.constant dense<1.0e-5> : tensor<1x1xf32>
  %sq = hamkaas.mul %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  %sum = hamkaas.reduce sum %sq over [0, 1] : tensor<4x8xf32>
  %number = hamkaas.reshape %sum : tensor<f32> -> tensor<1x1xf32>
  %mean = hamkaas.mul %number, %n : tensor<1x1xf32>, tensor<1x1xf32>
  %above = hamkaas.add %mean, %e : tensor<1x1xf32>, tensor<1x1xf32>
  %root = hamkaas.sqrt %above : tensor<1x1xf32>
  %one = hamkaas.reshape %root : tensor<1x1xf32> -> tensor<1xf32>
  // expected-remark @below {{the divisor is no square root}}
  %same = hamkaas.broadcast %one : tensor<1xf32> -> tensor<4xf32>
  %column = hamkaas.reshape %same : tensor<4xf32> -> tensor<4x1xf32>
  %y = hamkaas.div %x, %column : tensor<4x8xf32>, tensor<4x1xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @rms_half(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %n = hamkaas.constant dense<1.250e-01> : tensor<1x1xf16>
  %e = hamkaas.constant dense<1.0e-3> : tensor<1x1xf16>
  %sq = hamkaas.mul %x, %x : tensor<4x8xf16>, tensor<4x8xf16>
  %sum = hamkaas.reduce sum %sq over [1] : tensor<4x8xf16>
  %column = hamkaas.reshape %sum : tensor<4xf16> -> tensor<4x1xf16>
  %mean = hamkaas.mul %column, %n : tensor<4x1xf16>, tensor<1x1xf16>
  %above = hamkaas.add %mean, %e : tensor<4x1xf16>, tensor<1x1xf16>
  %root = hamkaas.sqrt %above : tensor<4x1xf16>
  // expected-remark @below {{the elements are not float32}}
  %y = hamkaas.div %x, %root : tensor<4x8xf16>, tensor<4x1xf16>
  return %y : tensor<4x8xf16>
}

// -----

func.func @gain_of_shared_rows(%x: tensor<4x8xf32>, %w: tensor<1x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %one = hamkaas.constant dense<1.0> : tensor<8xf32>
  // expected-remark @below {{something else needs the rows without their gain}}
  %0 = hamkaas.rms_norm %x, %one epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>
  %1 = hamkaas.mul %0, %w : tensor<4x8xf32>, tensor<1x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A normalization of columns.

func.func @layer_of_columns(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = hamkaas.constant dense<0.25> : tensor<1x1xf32>
  %m = hamkaas.constant dense<0.125> : tensor<1x1xf32>
  %e = hamkaas.constant dense<1.0e-5> : tensor<1x1xf32>
  %total = hamkaas.reduce sum %x over [0] : tensor<4x8xf32>
  %row = hamkaas.reshape %total : tensor<8xf32> -> tensor<1x8xf32>
  %average = hamkaas.mul %row, %n : tensor<1x8xf32>, tensor<1x1xf32>
  // expected-remark @below {{what is subtracted is not the mean of each row}}
  %c = hamkaas.sub %x, %average : tensor<4x8xf32>, tensor<1x8xf32>
  %sq = hamkaas.mul %c, %c : tensor<4x8xf32>, tensor<4x8xf32>
  %sum = hamkaas.reduce sum %sq over [0] : tensor<4x8xf32>
  %other = hamkaas.reshape %sum : tensor<8xf32> -> tensor<1x8xf32>
  %mean = hamkaas.mul %other, %n : tensor<1x8xf32>, tensor<1x1xf32>
  %above = hamkaas.add %mean, %e : tensor<1x8xf32>, tensor<1x1xf32>
  %root = hamkaas.sqrt %above : tensor<1x8xf32>
  %y = hamkaas.div %c, %root : tensor<4x8xf32>, tensor<1x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// The variance as the difference of two moments.

func.func @layer_by_moments(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = hamkaas.constant dense<0.125> : tensor<1x1xf32>
  %e = hamkaas.constant dense<1.0e-5> : tensor<1x1xf32>
  %total = hamkaas.reduce sum %x over [1] : tensor<4x8xf32>
  %column = hamkaas.reshape %total : tensor<4xf32> -> tensor<4x1xf32>
  %average = hamkaas.mul %column, %n : tensor<4x1xf32>, tensor<1x1xf32>
  %c = hamkaas.sub %x, %average : tensor<4x8xf32>, tensor<4x1xf32>
  %sq = hamkaas.mul %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
  %sum = hamkaas.reduce sum %sq over [1] : tensor<4x8xf32>
  %squares = hamkaas.reshape %sum : tensor<4xf32> -> tensor<4x1xf32>
  %mean = hamkaas.mul %squares, %n : tensor<4x1xf32>, tensor<1x1xf32>
  %shift = hamkaas.mul %average, %average : tensor<4x1xf32>, tensor<4x1xf32>
  %variance = hamkaas.sub %mean, %shift : tensor<4x1xf32>, tensor<4x1xf32>
  // expected-remark @below {{the epsilon is not added to the mean of each row}}
  %above = hamkaas.add %variance, %e : tensor<4x1xf32>, tensor<1x1xf32>
  %root = hamkaas.sqrt %above : tensor<4x1xf32>
  %y = hamkaas.div %c, %root : tensor<4x8xf32>, tensor<4x1xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @softmax_unshifted(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-remark @below {{nothing is subtracted from the exponent}}
  %3 = hamkaas.exp %x : tensor<4x8xf32>
  %4 = hamkaas.reduce sum %3 over [1] : tensor<4x8xf32>
  %5 = hamkaas.reshape %4 : tensor<4xf32> -> tensor<4x1xf32>
  %6 = hamkaas.div %3, %5 : tensor<4x8xf32>, tensor<4x1xf32>
  return %6 : tensor<4x8xf32>
}

// -----

func.func @softmax_of_another(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = hamkaas.reduce max %y over [1] : tensor<4x8xf32>
  %1 = hamkaas.reshape %0 : tensor<4xf32> -> tensor<4x1xf32>
  // expected-remark @below {{what is subtracted is not the maximum of each row}}
  %2 = hamkaas.sub %x, %1 : tensor<4x8xf32>, tensor<4x1xf32>
  %3 = hamkaas.exp %2 : tensor<4x8xf32>
  %4 = hamkaas.reduce sum %3 over [1] : tensor<4x8xf32>
  %5 = hamkaas.reshape %4 : tensor<4xf32> -> tensor<4x1xf32>
  %6 = hamkaas.div %3, %5 : tensor<4x8xf32>, tensor<4x1xf32>
  return %6 : tensor<4x8xf32>
}

// -----

func.func @softmax_of_columns(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = hamkaas.reduce max %x over [1] : tensor<4x8xf32>
  %1 = hamkaas.reshape %0 : tensor<4xf32> -> tensor<4x1xf32>
  %2 = hamkaas.sub %x, %1 : tensor<4x8xf32>, tensor<4x1xf32>
  %3 = hamkaas.exp %2 : tensor<4x8xf32>
  %4 = hamkaas.reduce sum %3 over [0] : tensor<4x8xf32>
  %5 = hamkaas.reshape %4 : tensor<8xf32> -> tensor<1x8xf32>
  // expected-remark @below {{the divisor is not the sum of each row}}
  %6 = hamkaas.div %3, %5 : tensor<4x8xf32>, tensor<1x8xf32>
  return %6 : tensor<4x8xf32>
}

// -----

func.func @softmax_half(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %0 = hamkaas.reduce max %x over [1] : tensor<4x8xf16>
  %1 = hamkaas.reshape %0 : tensor<4xf16> -> tensor<4x1xf16>
  %2 = hamkaas.sub %x, %1 : tensor<4x8xf16>, tensor<4x1xf16>
  %3 = hamkaas.exp %2 : tensor<4x8xf16>
  %4 = hamkaas.reduce sum %3 over [1] : tensor<4x8xf16>
  %5 = hamkaas.reshape %4 : tensor<4xf16> -> tensor<4x1xf16>
  // expected-remark @below {{the elements are not float32}}
  %6 = hamkaas.div %3, %5 : tensor<4x8xf16>, tensor<4x1xf16>
  return %6 : tensor<4x8xf16>
}

// -----

func.func @gelu_of_two(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %half = hamkaas.constant dense<5.000000e-01> : tensor<1x1xf32>
  %one = hamkaas.constant dense<2.0> : tensor<1x1xf32>
  %root = hamkaas.constant dense<0.707106769> : tensor<1x1xf32>
  %0 = hamkaas.mul %x, %root : tensor<4x8xf32>, tensor<1x1xf32>
  %1 = hamkaas.erf %0 : tensor<4x8xf32>
  // expected-remark @below {{the number added to erf or tanh is not 1}}
  %2 = hamkaas.add %1, %one : tensor<4x8xf32>, tensor<1x1xf32>
  %3 = hamkaas.mul %x, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  %4 = hamkaas.mul %3, %half : tensor<4x8xf32>, tensor<1x1xf32>
  return %4 : tensor<4x8xf32>
}

// -----

func.func @gelu_shared(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %half = hamkaas.constant dense<5.000000e-01> : tensor<1x1xf32>
  %one = hamkaas.constant dense<1.0> : tensor<1x1xf32>
  %root = hamkaas.constant dense<0.707106769> : tensor<1x1xf32>
  %0 = hamkaas.mul %x, %root : tensor<4x8xf32>, tensor<1x1xf32>
  %1 = hamkaas.erf %0 : tensor<4x8xf32>
  // expected-remark @below {{something else needs the gate}}
  %2 = hamkaas.add %1, %one : tensor<4x8xf32>, tensor<1x1xf32>
  %3 = hamkaas.mul %x, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  %4 = hamkaas.mul %3, %half : tensor<4x8xf32>, tensor<1x1xf32>
  return %4, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

func.func @gelu_times_y(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = hamkaas.constant dense<1.0> : tensor<1x1xf32>
  %root = hamkaas.constant dense<0.707106769> : tensor<1x1xf32>
  %0 = hamkaas.mul %x, %root : tensor<4x8xf32>, tensor<1x1xf32>
  %1 = hamkaas.erf %0 : tensor<4x8xf32>
  %2 = hamkaas.add %1, %one : tensor<4x8xf32>, tensor<1x1xf32>
  %3 = hamkaas.mul %x, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  // expected-remark @below {{x times the gate has a factor that is no number}}
  %4 = hamkaas.mul %3, %y : tensor<4x8xf32>, tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// -----

func.func @gelu_whole(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %half = hamkaas.constant dense<1.500000e+00> : tensor<1x1xf32>
  %one = hamkaas.constant dense<1.0> : tensor<1x1xf32>
  %root = hamkaas.constant dense<0.707106769> : tensor<1x1xf32>
  %0 = hamkaas.mul %x, %root : tensor<4x8xf32>, tensor<1x1xf32>
  %1 = hamkaas.erf %0 : tensor<4x8xf32>
  %2 = hamkaas.add %1, %one : tensor<4x8xf32>, tensor<1x1xf32>
  %3 = hamkaas.mul %x, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  // expected-remark @below {{the constant factor is not 0.5}}
  %4 = hamkaas.mul %3, %half : tensor<4x8xf32>, tensor<1x1xf32>
  return %4 : tensor<4x8xf32>
}

// -----

func.func @gelu_erf(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %half = hamkaas.constant dense<5.000000e-01> : tensor<1x1xf32>
  %one = hamkaas.constant dense<1.0> : tensor<1x1xf32>
  %root = hamkaas.constant dense<0.7> : tensor<1x1xf32>
  %0 = hamkaas.mul %x, %root : tensor<4x8xf32>, tensor<1x1xf32>
  // expected-remark @below {{the argument of erf is not x / sqrt(2)}}
  %1 = hamkaas.erf %0 : tensor<4x8xf32>
  %2 = hamkaas.add %1, %one : tensor<4x8xf32>, tensor<1x1xf32>
  %3 = hamkaas.mul %x, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  %4 = hamkaas.mul %3, %half : tensor<4x8xf32>, tensor<1x1xf32>
  return %4 : tensor<4x8xf32>
}

// -----

// The cubic term is missing.

func.func @gelu_tanh(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %half = hamkaas.constant dense<5.000000e-01> : tensor<1x1xf32>
  %one = hamkaas.constant dense<1.0> : tensor<1x1xf32>
  %root = hamkaas.constant dense<0.797884583> : tensor<1x1xf32>
  %0 = hamkaas.mul %x, %root : tensor<4x8xf32>, tensor<1x1xf32>
  // expected-remark @below {{the argument of tanh is not sqrt(2 / pi) * (x + 0.044715 * x^3)}}
  %1 = hamkaas.tanh %0 : tensor<4x8xf32>
  %2 = hamkaas.add %1, %one : tensor<4x8xf32>, tensor<1x1xf32>
  %3 = hamkaas.mul %x, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  %4 = hamkaas.mul %3, %half : tensor<4x8xf32>, tensor<1x1xf32>
  return %4 : tensor<4x8xf32>
}

// -----

func.func @gelu_half(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %half = hamkaas.constant dense<5.000000e-01> : tensor<1x1xf16>
  %one = hamkaas.constant dense<1.0> : tensor<1x1xf16>
  %root = hamkaas.constant dense<0.70703125> : tensor<1x1xf16>
  %0 = hamkaas.mul %x, %root : tensor<4x8xf16>, tensor<1x1xf16>
  %1 = hamkaas.erf %0 : tensor<4x8xf16>
  %2 = hamkaas.add %1, %one : tensor<4x8xf16>, tensor<1x1xf16>
  %3 = hamkaas.mul %x, %2 : tensor<4x8xf16>, tensor<4x8xf16>
  // expected-remark @below {{the elements are not float32}}
  %4 = hamkaas.mul %3, %half : tensor<4x8xf16>, tensor<1x1xf16>
  return %4 : tensor<4x8xf16>
}

// -----

func.func @hard_swish_shared(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %three = hamkaas.constant dense<3.0> : tensor<1x1xf32>
  %zero = hamkaas.constant dense<0.0> : tensor<1x1xf32>
  %six = hamkaas.constant dense<6.0> : tensor<1x1xf32>
  %sixth = hamkaas.constant dense<0.166666672> : tensor<1x1xf32>
  %0 = hamkaas.add %x, %three : tensor<4x8xf32>, tensor<1x1xf32>
  %1 = hamkaas.max %0, %zero : tensor<4x8xf32>, tensor<1x1xf32>
  // expected-remark @below {{something else needs the gate}}
  %2 = hamkaas.min %1, %six : tensor<4x8xf32>, tensor<1x1xf32>
  %3 = hamkaas.mul %x, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  %4 = hamkaas.mul %3, %sixth : tensor<4x8xf32>, tensor<1x1xf32>
  return %4, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

func.func @hard_swish_times_y(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %three = hamkaas.constant dense<3.0> : tensor<1x1xf32>
  %zero = hamkaas.constant dense<0.0> : tensor<1x1xf32>
  %six = hamkaas.constant dense<6.0> : tensor<1x1xf32>
  %0 = hamkaas.add %x, %three : tensor<4x8xf32>, tensor<1x1xf32>
  %1 = hamkaas.max %0, %zero : tensor<4x8xf32>, tensor<1x1xf32>
  %2 = hamkaas.min %1, %six : tensor<4x8xf32>, tensor<1x1xf32>
  %3 = hamkaas.mul %x, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  // expected-remark @below {{x times the gate has a factor that is no number}}
  %4 = hamkaas.mul %3, %y : tensor<4x8xf32>, tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// -----

func.func @hard_swish_slope(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %three = hamkaas.constant dense<3.0> : tensor<1x1xf32>
  %zero = hamkaas.constant dense<0.0> : tensor<1x1xf32>
  %six = hamkaas.constant dense<6.0> : tensor<1x1xf32>
  %sixth = hamkaas.constant dense<2.000000e-01> : tensor<1x1xf32>
  %0 = hamkaas.add %x, %three : tensor<4x8xf32>, tensor<1x1xf32>
  %1 = hamkaas.max %0, %zero : tensor<4x8xf32>, tensor<1x1xf32>
  // expected-remark @below {{the gate is not a limit of x / 6 + 0.5}}
  %2 = hamkaas.min %1, %six : tensor<4x8xf32>, tensor<1x1xf32>
  %3 = hamkaas.mul %x, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  %4 = hamkaas.mul %3, %sixth : tensor<4x8xf32>, tensor<1x1xf32>
  return %4 : tensor<4x8xf32>
}

// -----

func.func @hard_swish_limit(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %three = hamkaas.constant dense<3.0> : tensor<1x1xf32>
  %zero = hamkaas.constant dense<0.0> : tensor<1x1xf32>
  %six = hamkaas.constant dense<5.0> : tensor<1x1xf32>
  %sixth = hamkaas.constant dense<0.166666672> : tensor<1x1xf32>
  %0 = hamkaas.add %x, %three : tensor<4x8xf32>, tensor<1x1xf32>
  %1 = hamkaas.max %0, %zero : tensor<4x8xf32>, tensor<1x1xf32>
  // expected-remark @below {{the upper limit of the gate is not 1}}
  %2 = hamkaas.min %1, %six : tensor<4x8xf32>, tensor<1x1xf32>
  %3 = hamkaas.mul %x, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  %4 = hamkaas.mul %3, %sixth : tensor<4x8xf32>, tensor<1x1xf32>
  return %4 : tensor<4x8xf32>
}

// -----

func.func @sigmoid_of_two(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = hamkaas.constant dense<1.0> : tensor<4x8xf32>
  %added = hamkaas.constant dense<2.0> : tensor<1x1xf32>
  %0 = hamkaas.neg %x : tensor<4x8xf32>
  %1 = hamkaas.exp %0 : tensor<4x8xf32>
  // expected-remark @below {{the number added to the exponential is not 1}}
  %2 = hamkaas.add %1, %added : tensor<4x8xf32>, tensor<1x1xf32>
  %3 = hamkaas.div %one, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

func.func @sigmoid_not_negated(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = hamkaas.constant dense<1.0> : tensor<4x8xf32>
  %added = hamkaas.constant dense<1.0> : tensor<1x1xf32>
  // expected-remark @below {{the exponent is not negated}}
  %1 = hamkaas.exp %x : tensor<4x8xf32>
  %2 = hamkaas.add %1, %added : tensor<4x8xf32>, tensor<1x1xf32>
  %3 = hamkaas.div %one, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

func.func @complex_difference(%x: tensor<4x3x2xf32>, %c: tensor<4x3x1xf32>, %d: tensor<4x3x1xf32>) -> tensor<4x3x2xf32> {
  %a = hamkaas.strided_slice %x offsets [0, 0, 0] sizes [4, 3, 1] strides [1, 1, 1] : tensor<4x3x2xf32>
  %b = hamkaas.strided_slice %x offsets [0, 0, 1] sizes [4, 3, 1] strides [1, 1, 1] : tensor<4x3x2xf32>
  %0 = hamkaas.mul %a, %c : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %1 = hamkaas.mul %b, %d : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %2 = hamkaas.sub %0, %1 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %3 = hamkaas.mul %a, %d : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %4 = hamkaas.mul %b, %c : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %5 = hamkaas.sub %3, %4 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  // expected-remark @below {{the imaginary part is not a * d + b * c}}
  %6 = hamkaas.concat %2, %5 dim 2 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  return %6 : tensor<4x3x2xf32>
}

// -----

// All real parts, then all imaginary ones.

func.func @complex_halves(%x: tensor<4x3x2xf32>, %c: tensor<4x3xf32>, %d: tensor<4x3xf32>) -> tensor<4x6xf32> {
  %s = hamkaas.strided_slice %x offsets [0, 0, 0] sizes [4, 3, 1] strides [1, 1, 1] : tensor<4x3x2xf32>
  %t = hamkaas.strided_slice %x offsets [0, 0, 1] sizes [4, 3, 1] strides [1, 1, 1] : tensor<4x3x2xf32>
  %a = hamkaas.reshape %s : tensor<4x3x1xf32> -> tensor<4x3xf32>
  %b = hamkaas.reshape %t : tensor<4x3x1xf32> -> tensor<4x3xf32>
  %0 = hamkaas.mul %a, %c : tensor<4x3xf32>, tensor<4x3xf32>
  %1 = hamkaas.mul %b, %d : tensor<4x3xf32>, tensor<4x3xf32>
  %2 = hamkaas.sub %0, %1 : tensor<4x3xf32>, tensor<4x3xf32>
  %3 = hamkaas.mul %a, %d : tensor<4x3xf32>, tensor<4x3xf32>
  %4 = hamkaas.mul %b, %c : tensor<4x3xf32>, tensor<4x3xf32>
  %5 = hamkaas.add %3, %4 : tensor<4x3xf32>, tensor<4x3xf32>
  // expected-remark @below {{the parts are not those of pairs}}
  %6 = hamkaas.concat %2, %5 dim 1 : tensor<4x3xf32>, tensor<4x3xf32>
  return %6 : tensor<4x6xf32>
}

// -----

func.func @tiny_scale(%x: tensor<2x8x8xf32>, %y: tensor<2x8x8xf32>) -> tensor<2x8x8xf32> {
  %s = hamkaas.constant dense<1.0e-20> : tensor<1x1x1xf32>
  %0 = hamkaas.mul %x, %s : tensor<2x8x8xf32>, tensor<1x1x1xf32>
  // expected-remark @below {{the product of the scales is not between 2^-32 and 2^32}}
  %1 = hamkaas.matmul %0, %y : tensor<2x8x8xf32>, tensor<2x8x8xf32>
  return %1 : tensor<2x8x8xf32>
}
