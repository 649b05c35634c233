// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_low(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected 2 entries of low, one a dimension of x, got 1}}
  %0 = hamkaas.pad %x low [0] high [2, 0] interior [1, 0] value 5.0 : f32 : tensor<2x3xf32>
  return
}

// -----

func.func @c2_negative(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected no negative padding for dimension 1, got low 0, high -1 and interior 0}}
  %0 = hamkaas.pad %x low [0, 0] high [2, -1] interior [1, 0] value 5.0 : f32 : tensor<2x3xf32>
  return
}

// -----

func.func @c3_value(%x: tensor<2xf32>) {
  // expected-error @below {{expected a value of the element type of x ('f32'), got 'f64'}}
  %0 = hamkaas.pad %x low [0] high [2] interior [1] value 5.0 : f64 : tensor<2xf32>
  return
}

// -----

func.func @c4_large(%x: tensor<2xf32>) {
  // expected-error @below {{expected a result of 1 to 2^47 - 1 elements, got the shape [140737488355328]}}
  %0 = hamkaas.pad %x low [0] high [140737488355326] interior [0] value 5.0 : f32 : tensor<2xf32>
  return
}

// -----

func.func @c4_overflow(%x: tensor<3xf32>) {
  // expected-error @below {{expected a result of 1 to 2^47 - 1 elements, got the shape [-1]}}
  %0 = hamkaas.pad %x low [0] high [0] interior [9223372036854775807] value 5.0 : f32 : tensor<3xf32>
  return
}
