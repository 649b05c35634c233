// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_count(%y: tensor<2xf32>) {
  // expected-error @below {{expected a value, a stand-in for its gradient, and as many gradients as values that get one, got 3 operands}}
  %0 = hamkaas.custom_gradient %y, %y, %y : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @c1_none(%y: tensor<2xf32>) {
  // expected-error @below {{got 2 operands}}
  %0 = hamkaas.custom_gradient %y, %y : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @c2_stand_in(%y: tensor<2xf32>, %g: tensor<2xf64>) {
  // expected-error @below {{expected a stand-in of the type of the value, 'tensor<2xf32>', got 'tensor<2xf64>'}}
  %0 = hamkaas.custom_gradient %y, %g, %y, %y : tensor<2xf32>, tensor<2xf64>, tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @c3_gradient(%y: tensor<2xf32>, %x: tensor<3xf32>) {
  // expected-error @below {{expected gradient 1 to have the type of its value, 'tensor<3xf32>', got 'tensor<2xf32>'}}
  %0 = hamkaas.custom_gradient %y, %y, %x, %x, %x, %y : tensor<2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>
  return
}

// -----

func.func @integers(%y: tensor<2xi64>) {
  // expected-error @below {{operand #0 must be variadic of tensor of static shape}}
  %0 = hamkaas.custom_gradient %y, %y, %y, %y : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
  return
}
