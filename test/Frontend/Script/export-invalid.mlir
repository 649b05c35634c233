// RUN: hamkaas-translate --export-script -split-input-file -verify-diagnostics %s

// An op that is not in GRAPH is an error there.

func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> tensor<4xf32> {
  // expected-error @below {{expected an operation of the script language}}
  %0 = tensor.empty() : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected argument 0 of @main to have a name, the attribute hamkaas.name}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"},
                // expected-error @below {{expected a new name, another input is called 'x'}}
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

// expected-error @below {{expected functions of one block whose names are words, got @other}}
func.func private @other() -> tensor<4xf32>

// -----

ml_program.global private mutable @b(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  %0 = ml_program.global_load @b : tensor<4xf32>
  ml_program.global_store @b = %0 : tensor<4xf32>
  // expected-error @below {{expected one store to each state}}
  ml_program.global_store @b = %0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

ml_program.global private mutable @b(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  %0 = ml_program.global_load @b : tensor<4xf32>
  ml_program.global_store @b = %0 : tensor<4xf32>
  // expected-error @below {{expected the load of a state before its store}}
  %1 = ml_program.global_load @b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{expected result 0 of @main to have a name, the attribute hamkaas.name}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{expected a name without control characters, and not empty}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "a\0Ab"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected functions of one block whose names are words, got @main}}
func.func private @main()

// -----

// expected-error @below {{expected functions of one block whose names are words, got @a-b}}
func.func @"a-b"(%x: tensor<4xf32> {hamkaas.name = "x"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected @main to return a result or to store a state}}
func.func @main() {
  return
}

// -----

// expected-error @below {{expected contents that are dense elements, got dense_resource<r> : tensor<4xf32>}}
ml_program.global private @c(dense_resource<r> : tensor<4xf32>) : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  %0 = ml_program.global_load_const @c : tensor<4xf32>
  return %0 : tensor<4xf32>
}
