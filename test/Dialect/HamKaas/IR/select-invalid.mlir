// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_types(%c: tensor<3xi1>, %a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error @below {{expected b to have the type of a ('tensor<3xf32>'), got 'tensor<3xf64>'}}
  %0 = hamkaas.select %c, %a, %b : tensor<3xi1>, tensor<3xf32>, tensor<3xf64>
  return
}

// -----

func.func @c2_condition(%c: tensor<1xi1>, %a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{expected the condition to have the shape of a ('tensor<3xf32>'), got 'tensor<1xi1>'}}
  %0 = hamkaas.select %c, %a, %b : tensor<1xi1>, tensor<3xf32>, tensor<3xf32>
  return
}
