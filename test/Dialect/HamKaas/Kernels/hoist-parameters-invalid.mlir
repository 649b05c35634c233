// RUN: hamkaas-opt %s -hamkaas-hoist-parameters -split-input-file -verify-diagnostics

// A state that no function uses is part of the program, too.
// expected-error @below {{expected state @s to have initial contents of dense elements}}
ml_program.global private mutable @s : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected state @s to have initial contents of dense elements}}
ml_program.global private mutable @s(sparse<0, 1.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}
