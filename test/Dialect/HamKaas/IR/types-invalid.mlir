// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

// The rules that hold for the operands and results of every operation.

func.func @dynamic(%x: tensor<?xf32>) {
  // expected-error @below {{operand #0 must be tensor of static shape and 1 to 2^47 - 1 elements that are floats, but got 'tensor<?xf32>'}}
  %0 = hamkaas.relu %x : tensor<?xf32>
  return
}

// -----

func.func @empty(%x: tensor<4x0xf32>) {
  // expected-error @below {{operand #0 must be tensor of static shape and 1 to 2^47 - 1 elements that are floats, but got 'tensor<4x0xf32>'}}
  %0 = hamkaas.relu %x : tensor<4x0xf32>
  return
}

// -----

func.func @too_large(%x: tensor<140737488355328xf32>) {
  // expected-error @below {{operand #0 must be tensor of static shape and 1 to 2^47 - 1 elements that are floats, but got 'tensor<140737488355328xf32>'}}
  %0 = hamkaas.relu %x : tensor<140737488355328xf32>
  return
}

// -----

// The count would wrap around to 1.

func.func @wraps(%x: tensor<4294967296x4294967296x1xf32>) {
  // expected-error @below {{operand #0 must be tensor of static shape and 1 to 2^47 - 1 elements that are floats, but got 'tensor<4294967296x4294967296x1xf32>'}}
  %0 = hamkaas.relu %x : tensor<4294967296x4294967296x1xf32>
  return
}

// -----

func.func @large_result(%x: tensor<67108864x1xf32>, %w: tensor<1x67108864xf32>) {
  // expected-error @below {{result #0 must be tensor of static shape and 1 to 2^47 - 1 elements that are floats or integers, but got 'tensor<67108864x67108864xf32>'}}
  %0 = hamkaas.matmul %x, %w : tensor<67108864x1xf32>, tensor<1x67108864xf32>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @below {{invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf32>'}}
  %0 = hamkaas.relu %x : tensor<*xf32>
  return
}

// -----

func.func @no_tensor(%x: f32) {
  // expected-error @below {{invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
  %0 = hamkaas.relu %x : f32
  return
}

// -----

func.func @no_tensor_generic(%x: f32) {
  // expected-error @below {{operand #0 must be tensor of static shape and 1 to 2^47 - 1 elements that are floats or integers, but got 'f32'}}
  %0 = "hamkaas.matmul"(%x, %x) : (f32, f32) -> f32
  return
}

// -----

func.func @other_element_type(%x: tensor<4xf80>) {
  // expected-error @below {{operand #0 must be tensor of static shape and 1 to 2^47 - 1 elements that are floats, but got 'tensor<4xf80>'}}
  %0 = hamkaas.relu %x : tensor<4xf80>
  return
}

// -----

// expected-note @below {{prior use here}}
func.func @position(%x: tensor<4xf32>, %p: tensor<2xi64>) {
  // expected-error @below {{use of value '%p' expects different type than prior uses: 'tensor<1xi64>' vs 'tensor<2xi64>'}}
  %0 = hamkaas.sliced_softmax %x prefix(%p) : tensor<4xf32>
  return
}
