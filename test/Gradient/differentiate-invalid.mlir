// RUN: hamkaas-opt %s -hamkaas-differentiate -split-input-file -verify-diagnostics

// expected-error @below {{expected the name of one of 2 results, got none}}
func.func @two_results(%x: tensor<f32> {hamkaas.name = "x"}) -> (tensor<f32> {hamkaas.name = "y"}, tensor<f32> {hamkaas.name = "z"}) {
  return %x, %x : tensor<f32>, tensor<f32>
}

// -----

func.func @integers(%x: tensor<f32> {hamkaas.name = "x"}) -> (tensor<i64> {hamkaas.name = "y"}) {
  // expected-error @below {{y: expected a tensor of floats, got int64 [], which has no gradient}}
  %0 = hamkaas.cast %x : tensor<f32> -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

func.func @several_elements(%x: tensor<2xf32> {hamkaas.name = "x"}) -> (tensor<2xf32> {hamkaas.name = "y"}) {
  // expected-error @below {{y: expected one element or a seed, got float32 [2] and no seed}}
  %0 = hamkaas.exp %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @independent(%x: tensor<f32> {hamkaas.name = "x"}, %z: tensor<f32> {hamkaas.name = "z"}) -> (tensor<f32> {hamkaas.name = "y"}) {
  // expected-error @below {{x 1: expected a value that y depends on by operations on floats}}
  %0 = hamkaas.exp %x : tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @loop(%x: tensor<4xf32> {hamkaas.name = "x"}, %c: tensor<f32> {hamkaas.name = "c"}) -> (tensor<f32> {hamkaas.name = "y"}) {
  // expected-error-re @below {{'scan' at {{.*}} has no gradient: loops are not supported, but a loop that is written out is}}
  %0 = hamkaas.scan 4 from(%c) over(%x) with() : (tensor<f32>, tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = hamkaas.add %a, %b : tensor<f32>, tensor<f32>
    hamkaas.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// Only what the rest of the compiler takes is differentiated.
// expected-error @below {{expected a tensor of floats, integers or i1, of static shape and 1 to 2^47 - 1 elements, got 'index'}}
func.func @index(%x: tensor<f32> {hamkaas.name = "x"}, %i: index {hamkaas.name = "i"}) -> (tensor<f32> {hamkaas.name = "y"}) {
  return %x : tensor<f32>
}
