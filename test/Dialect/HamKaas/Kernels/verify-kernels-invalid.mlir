// RUN: hamkaas-opt %s -hamkaas-verify-kernels -split-input-file -verify-diagnostics

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected a call of a kernel, a loop or a view, got hamkaas.relu}}
  %0 = hamkaas.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{expected the last argument of kernel @k0 to have the type of its only result}}
func.func private @k0(%x: tensor<4xf32>, %y: tensor<3xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return %x : tensor<4xf32>
}

// -----

func.func private @k0(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  // expected-error @below {{expected no hamkaas.relu in a kernel}}
  %0 = hamkaas.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{expected only functions, got ml_program.global}}
ml_program.global private @b(#ml_program.extern) : tensor<4xf32>

// -----

// expected-error @below {{expected @main to have one block}}
func.func private @main(tensor<4xf32>) -> tensor<4xf32>

// -----

// expected-error @below {{expected @k0 to have one block}}
func.func private @k0(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected the last argument of kernel @k0 to have the type of its only result}}
func.func private @k0() -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = tensor.empty() : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected a call of a kernel, a loop or a view, got linalg.exp}}
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @k0(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  // expected-error @below {{expected no memref.alloc in a kernel}}
  %0 = memref.alloc() : memref<4xf32>
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected @main to be a kernel}}
  %0 = call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{expected only kernels, bodies of loops, entry functions and @prepare, got @f}}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected the arguments of kernel @k0 to be tensors of static shape, got 'tensor<?xf32>'}}
func.func private @k0(%x: tensor<?xf32>) -> tensor<?xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return %x : tensor<?xf32>
}
