// RUN: hamkaas-translate --export-script -split-input-file -verify-diagnostics %s

// What no script can say is an error at the op that asks for it.

func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> tensor<4xf32> {
  // expected-error @below {{expected an operator of the script language}}
  %0 = tensor.empty() : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> tensor<4xf32> {
  %0 = arith.constant dense<1> : tensor<1xi64>
  // expected-error @below {{expected operands that a script can define, got arith.constant}}
  %1 = hamkaas.sliced_softmax %x prefix(%0) : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-error @below {{expected argument 0 of @main to have a name, the attribute hamkaas.name}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected a name that a script can spell, got 'a,b'}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "a,b"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected a name that a script can spell, got ' x'}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = " x"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"},
                // expected-error @below {{expected a new name, another InputTensor is called 'x'}}
                %y: tensor<4xf32> {hamkaas.name = "x"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected a tensor that a script can declare, got 'tensor<4xf8E4M3FN>'}}
func.func @main(%x: tensor<4xf8E4M3FN> {hamkaas.name = "x"}) -> tensor<4xf8E4M3FN> {
  return %x : tensor<4xf8E4M3FN>
}

// -----

// expected-error @below {{expected a tensor that a script can declare, got 'index'}}
func.func @main(%x: index {hamkaas.name = "x"}) -> index {
  return %x : index
}

// -----

// expected-error @below {{expected a function @main of one block and one result}}
func.func @main() {
  return
}

// -----

// expected-error @below {{expected only globals and the function @main in a graph that is printed as a script}}
func.func private @other() -> tensor<4xf32>

// -----

// expected-error @below {{expected a constant whose value is given from outside, a script holds no values}}
ml_program.global private @c(dense<1.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  %0 = ml_program.global_load_const @c : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{expected a buffer that is zero at first, a script holds no values}}
ml_program.global private mutable @b(dense<1.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  %0 = ml_program.global_load @b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

ml_program.global private mutable @b(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%p: tensor<1xi64> {hamkaas.name = "p"},
                %r: tensor<2xf32> {hamkaas.name = "r"}) -> tensor<4xf32> {
  %0 = ml_program.global_load @b : tensor<4xf32>
  // expected-error @below {{expected the write to a buffer to be stored, in a script it lasts}}
  %1 = hamkaas.replace_slice %0, %r, %p, %p : tensor<4xf32>, tensor<2xf32>
  return %1 : tensor<4xf32>
}

// -----

ml_program.global private mutable @b(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  %0 = ml_program.global_load @b : tensor<4xf32>
  %1 = hamkaas.relu %0 : tensor<4xf32>
  // expected-error @below {{expected the value stored in a buffer to come from replacing slices of it}}
  ml_program.global_store @b = %1 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

ml_program.global private mutable @b(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  %0 = ml_program.global_load @b : tensor<4xf32>
  ml_program.global_store @b = %0 : tensor<4xf32>
  // expected-error @below {{expected one store to each buffer}}
  ml_program.global_store @b = %0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

ml_program.global private mutable @b(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  %0 = ml_program.global_load @b : tensor<4xf32>
  // expected-error @below {{expected one load of each buffer, before it is stored}}
  %1 = ml_program.global_load @b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"},
                %p: tensor<1xi64> {hamkaas.name = "p"},
                %r: tensor<2xf32> {hamkaas.name = "r"}) -> tensor<4xf32> {
  // expected-note @below {{replaced here}}
  %0 = hamkaas.replace_slice %x, %r, %p, %p : tensor<4xf32>, tensor<2xf32>
  // expected-error @below {{expected no read of a value from before it was replaced in place, as a script cannot keep it}}
  %1 = hamkaas.add %x, %0 : tensor<4xf32>, tensor<4xf32>
  return %1 : tensor<4xf32>
}
