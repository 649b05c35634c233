// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_steps(%h: tensor<4xf32>) {
  // expected-error @below {{expected at least 1 step, got 0}}
  %0 = hamkaas.scan 0 from(%h) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    hamkaas.yield %c : tensor<4xf32>
  }
  return
}

// -----

func.func @c2_rows(%x: tensor<2x4xf32>) {
  // expected-error @below {{expected input 0 to have 3 rows, got 'tensor<2x4xf32>'}}
  %0 = hamkaas.scan 3 from() over(%x) with() : (tensor<2x4xf32>) -> tensor<3x4xf32> {
  ^bb0(%row: tensor<4xf32>):
    hamkaas.yield %row : tensor<4xf32>
  }
  return
}

// -----

func.func @c2_scalar(%x: tensor<f32>) {
  // expected-error @below {{expected input 0 to have 3 rows, got 'tensor<f32>'}}
  %0 = hamkaas.scan 3 from() over(%x) with() : (tensor<f32>) -> tensor<3x4xf32> {
  ^bb0(%row: tensor<4xf32>):
    hamkaas.yield %row : tensor<4xf32>
  }
  return
}

// -----

func.func @c3_argument(%x: tensor<3x4xf32>) {
  // expected-error @below {{expected the arguments of the body to have the types ('tensor<4xf32>'), got ('tensor<3x4xf32>')}}
  %0 = hamkaas.scan 3 from() over(%x) with() : (tensor<3x4xf32>) -> tensor<3x3x4xf32> {
  ^bb0(%row: tensor<3x4xf32>):
    hamkaas.yield %row : tensor<3x4xf32>
  }
  return
}

// -----

func.func @c4_count(%h: tensor<4xf32>) {
  // expected-error @below {{expected at least 1 results, got 0}}
  "hamkaas.scan"(%h) <{operandSegmentSizes = array<i32: 1, 0, 0>, steps = 3 : i64}> ({
  ^bb0(%c: tensor<4xf32>):
    hamkaas.yield
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @c4_output(%x: tensor<3x4xf32>) {
  // expected-error @below {{expected an output of 3 rows, got 'tensor<4xf32>'}}
  %0 = hamkaas.scan 3 from() over(%x) with() : (tensor<3x4xf32>) -> tensor<4xf32> {
  ^bb0(%row: tensor<4xf32>):
    hamkaas.yield %row : tensor<4xf32>
  }
  return
}

// -----

func.func @c4_yield(%h: tensor<4xf32>) {
  // expected-error @below {{expected the body to yield the types ('tensor<4xf32>')}}
  %0 = hamkaas.scan 3 from(%h) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    hamkaas.yield %c, %c : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @c4_final(%h: tensor<4xf32>) {
  // expected-error @below {{expected the first results to have the types of the inits ('tensor<4xf32>'), got ('tensor<2xf32>')}}
  %0 = hamkaas.scan 3 from(%h) over() with() : (tensor<4xf32>) -> tensor<2xf32> {
  ^bb0(%c: tensor<4xf32>):
    hamkaas.yield %c : tensor<4xf32>
  }
  return
}

// -----

func.func @isolated(%h: tensor<4xf32>) {
  // expected-note @below {{required by region isolation constraints}}
  %0 = hamkaas.scan 3 from(%h) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    // expected-error @below {{using value defined outside the region}}
    %1 = hamkaas.add %c, %h : tensor<4xf32>, tensor<4xf32>
    hamkaas.yield %1 : tensor<4xf32>
  }
  return
}
