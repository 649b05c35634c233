// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_arguments(%x: tensor<4xf32>) {
  // expected-error @below {{expected the arguments of the body to have the types of the inputs ('tensor<4xf32>'), got ('tensor<5xf32>')}}
  %0 = hamkaas.group elementwise(%x) : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%a: tensor<5xf32>):
    hamkaas.yield %a : tensor<5xf32>
  }
  return
}

// -----

func.func @c1_count(%x: tensor<4xf32>) {
  // expected-error @below {{expected the arguments of the body to have the types of the inputs ('tensor<4xf32>', 'tensor<4xf32>'), got ('tensor<4xf32>')}}
  %0 = hamkaas.group elementwise(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    hamkaas.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @c2_yield(%x: tensor<4xf32>) {
  // expected-error @below {{expected the body to yield the types of the results ('tensor<5xf32>'), got ('tensor<4xf32>')}}
  %0 = hamkaas.group elementwise(%x) : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%a: tensor<4xf32>):
    hamkaas.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @c2_other_end(%x: tensor<4xf32>) {
  // expected-error @below {{expected the body to end with hamkaas.yield, got hamkaas.relu}}
  %0 = hamkaas.group elementwise(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = hamkaas.relu %a : tensor<4xf32>
  }
  return
}

// -----

func.func @c2_empty_body(%x: tensor<4xf32>) {
  // expected-error @below {{expects a non-empty block}}
  %0 = hamkaas.group elementwise(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
  }
  return
}

// -----

func.func @c3_results(%x: tensor<4xf32>) {
  // expected-error @below {{expected one result beside 'updated', got 2}}
  %0:2 = hamkaas.group elementwise(%x) {updated = 0 : i64} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    hamkaas.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @c3_index(%x: tensor<4xf32>) {
  // expected-error @below {{expected 'updated' to be the index of one of 1 inputs, got 1}}
  %0 = hamkaas.group elementwise(%x) {updated = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    hamkaas.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @c3_type(%x: tensor<4xf32>, %y: tensor<2x2xf32>) {
  // expected-error @below {{expected the updated input to have the type of the result ('tensor<2x2xf32>'), got 'tensor<4xf32>'}}
  %0 = hamkaas.group elementwise(%x, %y) {updated = 0 : i64} : (tensor<4xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<2x2xf32>):
    hamkaas.yield %b : tensor<2x2xf32>
  }
  return
}

// -----

func.func @value_from_above(%x: tensor<4xf32>) {
  // expected-note @below {{required by region isolation constraints}}
  %0 = hamkaas.group elementwise() : () -> tensor<4xf32> {
    // expected-error @below {{using value defined outside the region}}
    hamkaas.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @unknown_family(%x: tensor<4xf32>) {
  // expected-error @+2 {{to be one of: view, elementwise, row, contraction, movement}}
  // expected-error @below {{failed to parse HamKaas_KernelFamilyAttr}}
  %0 = hamkaas.group quantum(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    hamkaas.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @yield_outside(%x: tensor<4xf32>) {
  // expected-error @below {{'hamkaas.yield' op expects parent op to be one of 'hamkaas.group, hamkaas.scan'}}
  hamkaas.yield %x : tensor<4xf32>
}
