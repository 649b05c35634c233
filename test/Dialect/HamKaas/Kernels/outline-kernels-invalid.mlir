// RUN: hamkaas-opt %s -hamkaas-outline-kernels -split-input-file -verify-diagnostics

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected a group with one result, got 2}}
  %0:2 = hamkaas.group elementwise(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    hamkaas.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0 : tensor<4xf32>
}

// -----

// expected-error @below {{expected result 0 of @main to be a state that is an argument, got "cache"}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<state>})
    -> (tensor<4xf32> {hamkaas.name = "cache", hamkaas.region = #hamkaas.region<state>}) {
  return %x : tensor<4xf32>
}

// -----

// A declaration is left alone.

func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
