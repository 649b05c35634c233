// RUN: hamkaas-opt %s -hamkaas-verify-graph -split-input-file -verify-diagnostics

// expected-error @below {{expected a function @main}}
module {}

// -----

// expected-error @below {{expected only globals and functions in a model, got memref.global}}
memref.global "private" @other : memref<4xf32>

// -----

// expected-error @below {{expected @other to return a result or to store a state}}
func.func @other() { return }
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected @other to be public, as an entry function}}
func.func private @other(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected @prepare to have another name: the compiler uses this one}}
func.func @prepare(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected @k12 to have another name: the compiler uses this one}}
func.func @k12(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// Each function has names of its own, so that two may have an input `x`.

func.func @prefill(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}
// expected-error @below {{expected each result of @decode to have a name of its own, got "y" twice}}
func.func @decode(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}, tensor<4xf32> {hamkaas.name = "y"}) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{expected argument 0 of @main to have a string attribute hamkaas.name}}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected each argument of @main to have a name of its own, got "x" twice}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}, %y: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected a tensor of floats, integers or i1, of static shape and 1 to 2^47 - 1 elements, got 'tensor<?xf32>'}}
func.func @main(%x: tensor<?xf32> {hamkaas.name = "x"}) -> (tensor<?xf32> {hamkaas.name = "y"}) {
  return %x : tensor<?xf32>
}

// -----

// expected-error @below {{expected a tensor of floats, integers or i1, of static shape and 1 to 2^47 - 1 elements, got 'tensor<0xf32>'}}
func.func @main(%x: tensor<0xf32> {hamkaas.name = "x"}) -> (tensor<0xf32> {hamkaas.name = "y"}) {
  return %x : tensor<0xf32>
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

// The number of elements is 2^65, which wraps to 0.

// expected-error @below {{expected a tensor of floats, integers or i1, of static shape and 1 to 2^47 - 1 elements, got 'tensor<4611686018427387904x8xf32>'}}
func.func @main(%x: tensor<4611686018427387904x8xf32> {hamkaas.name = "x"}) -> (tensor<4611686018427387904x8xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4611686018427387904x8xf32>
}

// -----

// The number of elements is 2^64 + 2^62, which wraps to 2^62.

// expected-error @below {{expected a tensor of floats, integers or i1, of static shape and 1 to 2^47 - 1 elements, got 'tensor<4611686018427387904x5xf32>'}}
ml_program.global private @w(#ml_program.extern) : tensor<4611686018427387904x5xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected a tensor of floats, integers or i1, of static shape and 1 to 2^47 - 1 elements, got 'tensor<4xsi64>'}}
func.func @main(%x: tensor<4xsi64> {hamkaas.name = "x"}) -> (tensor<4xsi64> {hamkaas.name = "y"}) {
  return %x : tensor<4xsi64>
}

// -----

// expected-error @below {{expected the name of argument 0 of @main to be UTF-8 text without control characters, and not empty, got ""}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = ""}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected the name of result 0 of @main to be UTF-8 text without control characters, and not empty, got "a\00b"}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "a\00b"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected the name of argument 0 of @main to be UTF-8 text without control characters, and not empty, got "\FF"}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "\FF"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected the name of parameter @"\0A" to be UTF-8 text without control characters, and not empty, got "\0A"}}
ml_program.global private @"\0A"(#ml_program.extern) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected the name of state @s to be UTF-8 text without control characters, and not empty, got ""}}
ml_program.global private mutable @s(dense<0.0> : tensor<4xf32>) : tensor<4xf32> {hamkaas.name = ""}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected 'hamkaas.name' to be a string, got 1 : i64}}
ml_program.global private @w(#ml_program.extern) : tensor<4xf32> {hamkaas.name = 1}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

ml_program.global private @w(#ml_program.extern) : tensor<4xf32>
// expected-error @below {{expected each parameter to have a name of its own, got "w" twice}}
ml_program.global private @v(#ml_program.extern) : tensor<4xf32> {hamkaas.name = "w"}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

ml_program.global private mutable @s(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
// expected-error @below {{expected each state to have a name of its own, got "s" twice}}
ml_program.global private mutable @t(dense<0.0> : tensor<4xf32>) : tensor<4xf32> {hamkaas.name = "s"}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// Contents that are given from outside are given by name, as parameters are.

ml_program.global private @w(#ml_program.extern) : tensor<4xf32>
// expected-error @below {{expected the contents of state 'w' to be given by a name of their own, got that of a parameter}}
ml_program.global private mutable @s(#ml_program.extern) : tensor<4xf32> {hamkaas.name = "w"}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

ml_program.global private mutable @w(#ml_program.extern) : tensor<4xf32>
// expected-error @below {{expected each parameter to have a name of its own, got "w" twice}}
ml_program.global private @p(#ml_program.extern) : tensor<4xf32> {hamkaas.name = "w"}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected an external value of type 'tensor<4xf32>', got one of type 'tensor<2xf32>'}}
ml_program.global private mutable @s(#ml_program.extern : tensor<2xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected state @s to have initial contents, got none}}
ml_program.global private mutable @s : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected a value of dense elements, got builtin.sparse_elements}}
ml_program.global private mutable @s(sparse<0, 1.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected a value of type 'tensor<4xf32>', got one of type 'tensor<4xi32>'}}
ml_program.global private @w(dense<2> : tensor<4xi32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected an external value of type 'tensor<4xf32>', got one of type 'tensor<8xf32>'}}
ml_program.global private @w(#ml_program.extern : tensor<8xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  // expected-error @below {{expected a value of dense elements, got builtin.dense_resource_elements}}
  %0 = arith.constant dense_resource<blob> : tensor<4xf32>
  %1 = hamkaas.add %x, %0 : tensor<4xf32>, tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  // expected-error @below {{expected a tensor of floats, integers or i1, of static shape and 1 to 2^47 - 1 elements, got 'tensor<4xi24>'}}
  %0 = arith.constant dense<1> : tensor<4xi24>
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  // expected-error @below {{expected a tensor of floats, integers or i1, of static shape and 1 to 2^47 - 1 elements, got 'f32'}}
  %0 = arith.constant 1.0 : f32
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected @main to be public, as an entry function}}
func.func private @main(tensor<4xf32>) -> tensor<4xf32>

// -----

// expected-error @below {{expected @main to have one block}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected 'hamkaas.name' to be a string, got 1 : i64}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}, tensor<4xf32> {hamkaas.name = 1}) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{expected each result of @main to have a name of its own, got "y" twice}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}, tensor<4xf32> {hamkaas.name = "y"}) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{expected a tensor of floats, integers or i1, of static shape and 1 to 2^47 - 1 elements, got 'f32'}}
func.func @main(%x: f32 {hamkaas.name = "x"}) -> (f32 {hamkaas.name = "y"}) {
  return %x : f32
}

// -----

// expected-error @below {{expected a tensor of floats, integers or i1, of static shape and 1 to 2^47 - 1 elements, got 'tensor<4xf80>'}}
ml_program.global private @w(#ml_program.extern<tensor<4xf80>>) : tensor<4xf80>
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
