// RUN: hamkaas-opt %s -hamkaas-verify-graph -split-input-file -verify-diagnostics

// expected-error @below {{expected a function @main}}
module {}

// -----

// expected-error @below {{expected only globals and one function @main in a model, got func.func}}
func.func @other() { return }

// -----

// expected-error @below {{expected argument 0 of @main to have a string attribute hamkaas.name}}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected the names of each argument of @main to be unique, got "x" twice}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}, %y: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected a tensor of static shape of f32 or i64, got 'tensor<?xf32>'}}
func.func @main(%x: tensor<?xf32> {hamkaas.name = "x"}) -> (tensor<?xf32> {hamkaas.name = "y"}) {
  return %x : tensor<?xf32>
}

// -----

// expected-error @below {{expected a tensor with elements, got 'tensor<0xf32>'}}
func.func @main(%x: tensor<0xf32> {hamkaas.name = "x"}) -> (tensor<0xf32> {hamkaas.name = "y"}) {
  return %x : tensor<0xf32>
}

// -----

// expected-error @below {{expected @main to have a result}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) {
  return
}

// -----

func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  // expected-error @below {{expected an operation of a graph, got arith.addf}}
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

ml_program.global private mutable @s(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  ml_program.global_store @s = %x : tensor<4xf32>
  // expected-error @below {{expected at most one ml_program.global_store of state @s}}
  ml_program.global_store @s = %x : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

ml_program.global private mutable @s(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  ml_program.global_store @s = %x : tensor<4xf32>
  // expected-error @below {{expected the load of state @s to stand before its store}}
  %0 = ml_program.global_load @s : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{expected a function @main}}
module {
  func.func private @main(tensor<4xf32>) -> tensor<4xf32>
}

// -----

// expected-error @below {{expected @main to have one block}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected result 1 of @main to have a string attribute hamkaas.name}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}, tensor<4xf32> {hamkaas.name = 1}) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{expected the names of each result of @main to be unique, got "y" twice}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}, tensor<4xf32> {hamkaas.name = "y"}) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{expected a tensor of static shape of f32 or i64, got 'f32'}}
func.func @main(%x: f32 {hamkaas.name = "x"}) -> (f32 {hamkaas.name = "y"}) {
  return %x : f32
}

// -----

// expected-error @below {{expected a tensor of static shape of f32 or i64, got 'tensor<4xf64>'}}
ml_program.global private @w(#ml_program.extern<tensor<4xf64>>) : tensor<4xf64>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// A parameter is no state.

ml_program.global private @w(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  // expected-error @below {{expected @w to be a global that is mutable, of type 'tensor<4xf32>'}}
  %0 = ml_program.global_load @w : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

ml_program.global private mutable @s(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %0 = ml_program.global_load @s : tensor<4xf32>
  // expected-error @below {{expected at most one ml_program.global_load of state @s}}
  %1 = ml_program.global_load @s : tensor<4xf32>
  return %0 : tensor<4xf32>
}
