// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_rank(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{expected the rank of rhs (1) to match the rank of lhs (2)}}
  %0 = hamkaas.compare lt %x, %y : tensor<2x3xf32>, tensor<3xf32>
  return
}

// -----

func.func @c2_dimension(%x: tensor<2x3xf32>, %y: tensor<1x4xf32>) {
  // expected-error @below {{expected dimension 1 of rhs (4) to be 1 or that of lhs (3)}}
  %0 = hamkaas.compare lt %x, %y : tensor<2x3xf32>, tensor<1x4xf32>
  return
}

// -----

func.func @c3_element_types(%x: tensor<3xi32>, %y: tensor<3xui32>) {
  // expected-error @below {{expected the element type of rhs ('ui32') to be that of lhs ('i32')}}
  %0 = hamkaas.compare lt %x, %y : tensor<3xi32>, tensor<3xui32>
  return
}
