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

func.func @loop(%x: tensor<4x2xf16> {hamkaas.name = "x"}, %c: tensor<2xbf16> {hamkaas.name = "c"}) -> (tensor<bf16> {hamkaas.name = "y"}) {
  %0 = hamkaas.scan 4 from(%c) over(%x) with() : (tensor<2xbf16>, tensor<4x2xf16>) -> tensor<2xbf16> {
  ^bb0(%a: tensor<2xbf16>, %b: tensor<2xf16>):
    %1 = hamkaas.bitcast %b : tensor<2xf16> -> tensor<2xbf16>
    %2 = hamkaas.add %a, %1 : tensor<2xbf16>, tensor<2xbf16>
    hamkaas.yield %2 : tensor<2xbf16>
  }
  // expected-error-re @below {{'scan' at {{.*}} has no gradient: 'bitcast' at {{.*}} has no gradient: the bits of a float have no derivative}}
  %1 = hamkaas.reduce sum %0 over [0] : tensor<2xbf16>
  return %1 : tensor<bf16>
}

// -----

func.func @iter_arg_of_its_own(%x: tensor<4xf32> {hamkaas.name = "x"}, %c: tensor<f32> {hamkaas.name = "c"}) -> (tensor<f32> {hamkaas.name = "y"}) {
  // expected-error @below {{x 0: expected a value that y depends on by operations on floats}}
  %0, %1 = hamkaas.scan 4 from(%c, %c) over(%x) with() : (tensor<f32>, tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %r: tensor<f32>):
    %1 = hamkaas.add %b, %r : tensor<f32>, tensor<f32>
    hamkaas.yield %a, %1 : tensor<f32>, tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// Only what the rest of the compiler takes is differentiated.
// expected-error @below {{expected a tensor of floats, integers or i1, of static shape and 1 to 2^47 - 1 elements, got 'index'}}
func.func @index(%x: tensor<f32> {hamkaas.name = "x"}, %i: index {hamkaas.name = "i"}) -> (tensor<f32> {hamkaas.name = "y"}) {
  return %x : tensor<f32>
}
