// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_rank(%x: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{expected the rank of rhs (1) to match the rank of lhs (2)}}
  %0 = hamkaas.add %x, %b : tensor<2x3xf32>, tensor<3xf32>
  return
}

// -----

func.func @c2_dimension(%x: tensor<2x3xf32>, %b: tensor<1x4xf32>) {
  // expected-error @below {{expected dimension 1 of rhs (4) to be 1 or that of lhs (3)}}
  %0 = hamkaas.add %x, %b : tensor<2x3xf32>, tensor<1x4xf32>
  return
}

// -----

// Only rhs is repeated.

func.func @c2_lhs_of_size_1(%x: tensor<1x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{expected dimension 0 of rhs (2) to be 1 or that of lhs (1)}}
  %0 = hamkaas.add %x, %b : tensor<1x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @c3_element_types(%x: tensor<3xf32>, %b: tensor<3xi64>) {
  // expected-error @below {{expected the element type of rhs ('i64') to be that of lhs ('f32')}}
  %0 = hamkaas.add %x, %b : tensor<3xf32>, tensor<3xi64>
  return
}

// -----

func.func @booleans(%x: tensor<3xi1>, %b: tensor<3xi1>) {
  // expected-error @below {{operand #0 must be tensor of static shape and 1 to 2^47 - 1 elements that are floats or integers, but got 'tensor<3xi1>'}}
  %0 = hamkaas.add %x, %b : tensor<3xi1>, tensor<3xi1>
  return
}

// -----

func.func @wrong_result(%x: tensor<2x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @below {{'hamkaas.add' op inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<1x3xf32>'}}
  %0 = "hamkaas.add"(%x, %b) : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  return
}
