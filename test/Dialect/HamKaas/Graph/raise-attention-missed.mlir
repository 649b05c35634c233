// RUN: hamkaas-opt %s -hamkaas-raise-attention -split-input-file \
// RUN:   -remarks-filter-missed=hamkaas-raise-attention \
// RUN:   -remark-format=emitRemark -verify-diagnostics -o /dev/null

// Weights times values that are no attention: a remark says why, at the
// operation at fault. Other products have none.

func.func @attention_and_others(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<2x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<2x8x16xf32>, tensor<2x16x8xf32>
  %2 = hamkaas.sliced_softmax %1 static_prefix 8 : tensor<2x8x8xf32>
  %3 = hamkaas.matmul %2, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>
  return %3 : tensor<2x8x16xf32>
}

// -----

func.func @weights_needed(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x8xf32>) {
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<2x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<2x8x16xf32>, tensor<2x16x8xf32>
  // expected-remark @below {{something else needs the weights}}
  %2 = hamkaas.sliced_softmax %1 static_prefix 8 : tensor<2x8x8xf32>
  %3 = hamkaas.matmul %2, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>
  return %3, %2 : tensor<2x8x16xf32>, tensor<2x8x8xf32>
}

// -----

func.func @zeroed_weights_needed(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x8xf32>) {
  %zeros = hamkaas.constant dense<0.0> : tensor<2x8x8xf32>
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<2x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<2x8x16xf32>, tensor<2x16x8xf32>
  // expected-remark @below {{something else needs the weights}}
  %2 = hamkaas.sliced_softmax %1 static_prefix 8 : tensor<2x8x8xf32>
  %3 = hamkaas.compare ne %2, %2 : tensor<2x8x8xf32>, tensor<2x8x8xf32>
  %4 = hamkaas.select %3, %zeros, %2 : tensor<2x8x8xi1>, tensor<2x8x8xf32>, tensor<2x8x8xf32>
  %5 = hamkaas.matmul %4, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>
  return %5, %2 : tensor<2x8x16xf32>, tensor<2x8x8xf32>
}

// -----

func.func @scores_needed(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<2x8x8xf32>) {
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<2x8x16xf32>
  // expected-remark @below {{something else needs the scores}}
  %1 = hamkaas.matmul %q, %0 : tensor<2x8x16xf32>, tensor<2x16x8xf32>
  %2 = hamkaas.sliced_softmax %1 static_prefix 8 : tensor<2x8x8xf32>
  %3 = hamkaas.matmul %2, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>
  return %3, %1 : tensor<2x8x16xf32>, tensor<2x8x8xf32>
}

// -----

func.func @hidden_weights(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>, %here: tensor<2x8x8xi1>) -> tensor<2x8x16xf32> {
  %zeros = hamkaas.constant dense<0.0> : tensor<2x8x8xf32>
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<2x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<2x8x16xf32>, tensor<2x16x8xf32>
  %2 = hamkaas.sliced_softmax %1 static_prefix 8 : tensor<2x8x8xf32>
  // expected-remark @below {{a condition hides weights after the softmax}}
  %3 = hamkaas.select %here, %zeros, %2 : tensor<2x8x8xi1>, tensor<2x8x8xf32>, tensor<2x8x8xf32>
  %4 = hamkaas.matmul %3, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>
  return %4 : tensor<2x8x16xf32>
}

// -----

func.func @other_weights(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>, %here: tensor<2x8x8xi1>) -> tensor<2x8x16xf32> {
  %ones = hamkaas.constant dense<1.0> : tensor<2x8x8xf32>
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<2x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<2x8x16xf32>, tensor<2x16x8xf32>
  %2 = hamkaas.sliced_softmax %1 static_prefix 8 : tensor<2x8x8xf32>
  // expected-remark @below {{weights are replaced by other numbers than 0}}
  %3 = hamkaas.select %here, %ones, %2 : tensor<2x8x8xi1>, tensor<2x8x8xf32>, tensor<2x8x8xf32>
  %4 = hamkaas.matmul %3, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>
  return %4 : tensor<2x8x16xf32>
}

// -----

func.func @part_of_a_row(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<2x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<2x8x16xf32>, tensor<2x16x8xf32>
  // expected-remark @below {{the weights are no softmax of whole rows}}
  %2 = hamkaas.sliced_softmax %1 static_prefix 4 : tensor<2x8x8xf32>
  %3 = hamkaas.matmul %2, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>
  return %3 : tensor<2x8x16xf32>
}

// -----

// Soft capping.

func.func @other_scores(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<2x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<2x8x16xf32>, tensor<2x16x8xf32>
  // expected-remark @below {{attention does not do this with scores}}
  %2 = hamkaas.tanh %1 : tensor<2x8x8xf32>
  %3 = hamkaas.sliced_softmax %2 static_prefix 8 : tensor<2x8x8xf32>
  %4 = hamkaas.matmul %3, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>
  return %4 : tensor<2x8x16xf32>
}

// -----

func.func @scaled_bias(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>, %bias: tensor<2x8x8xf32>) -> tensor<2x8x16xf32> {
  %scale = hamkaas.constant dense<0.5> : tensor<1x1x1xf32>
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<2x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<2x8x16xf32>, tensor<2x16x8xf32>
  // expected-remark @below {{a sum of scores that is no bias}}
  %2 = hamkaas.add %1, %bias : tensor<2x8x8xf32>, tensor<2x8x8xf32>
  %3 = hamkaas.mul %2, %scale : tensor<2x8x8xf32>, tensor<1x1x1xf32>
  %4 = hamkaas.sliced_softmax %3 static_prefix 8 : tensor<2x8x8xf32>
  %5 = hamkaas.matmul %4, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>
  return %5 : tensor<2x8x16xf32>
}

// -----

func.func @mask_of_numbers(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>, %mask: tensor<2x8x8xi1>, %a: tensor<2x8x8xf32>) -> tensor<2x8x16xf32> {
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<2x8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<2x8x16xf32>, tensor<2x16x8xf32>
  // expected-remark @below {{a select of scores that is no mask}}
  %2 = hamkaas.select %mask, %a, %1 : tensor<2x8x8xi1>, tensor<2x8x8xf32>, tensor<2x8x8xf32>
  %3 = hamkaas.sliced_softmax %2 static_prefix 8 : tensor<2x8x8xf32>
  %4 = hamkaas.matmul %3, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>
  return %4 : tensor<2x8x16xf32>
}

// -----

func.func @keys_as_columns(%q: tensor<2x8x16xf32>, %k: tensor<2x16x8xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  // expected-remark @below {{the keys are not a permute}}
  %0 = hamkaas.matmul %q, %k : tensor<2x8x16xf32>, tensor<2x16x8xf32>
  %1 = hamkaas.sliced_softmax %0 static_prefix 8 : tensor<2x8x8xf32>
  %2 = hamkaas.matmul %1, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>
  return %2 : tensor<2x8x16xf32>
}

// -----

func.func @half(%q: tensor<2x8x16xf16>, %k: tensor<2x8x16xf16>, %v: tensor<2x8x16xf16>) -> tensor<2x8x16xf16> {
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<2x8x16xf16>
  %1 = hamkaas.matmul %q, %0 : tensor<2x8x16xf16>, tensor<2x16x8xf16>
  %2 = hamkaas.cast %1 : tensor<2x8x8xf16> -> tensor<2x8x8xf32>
  %3 = hamkaas.sliced_softmax %2 static_prefix 8 : tensor<2x8x8xf32>
  %4 = hamkaas.cast %3 : tensor<2x8x8xf32> -> tensor<2x8x8xf16>
  // expected-remark @below {{the elements are not float32}}
  %5 = hamkaas.matmul %4, %v : tensor<2x8x8xf16>, tensor<2x8x16xf16>
  return %5 : tensor<2x8x16xf16>
}

// -----

func.func @one_matrix(%q: tensor<8x16xf32>, %k: tensor<8x16xf32>, %v: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = hamkaas.permute %k [1, 0] : tensor<8x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<8x16xf32>, tensor<16x8xf32>
  %2 = hamkaas.sliced_softmax %1 static_prefix 8 : tensor<8x8xf32>
  // expected-remark @below {{the values are no batch of matrices}}
  %3 = hamkaas.matmul %2, %v : tensor<8x8xf32>, tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}

// -----

// Heads of one product are batches of the other.

func.func @other_batches(%q: tensor<2x24x16xf32>, %k: tensor<2x5x16xf32>, %v: tensor<6x5x16xf32>) -> tensor<6x8x16xf32> {
  %0 = hamkaas.permute %k [0, 2, 1] : tensor<2x5x16xf32>
  %1 = hamkaas.matmul %q, %0 : tensor<2x24x16xf32>, tensor<2x16x5xf32>
  %2 = hamkaas.reshape %1 : tensor<2x24x5xf32> -> tensor<6x8x5xf32>
  %3 = hamkaas.sliced_softmax %2 static_prefix 5 : tensor<6x8x5xf32>
  // expected-remark @below {{keys and values are in batches of other sizes}}
  %4 = hamkaas.matmul %3, %v : tensor<6x8x5xf32>, tensor<6x5x16xf32>
  return %4 : tensor<6x8x16xf32>
}

// -----

// One key stands apart, as a step of decoding has it, but its value does not.

func.func @key_apart(%q: tensor<4x1x16xf32>, %kc: tensor<4x8x16xf32>, %vc: tensor<4x8x16xf32>, %k: tensor<4x1x16xf32>, %here: tensor<1x1x8xi1>) -> tensor<4x1x16xf32> {
  %there = hamkaas.broadcast %here : tensor<1x1x8xi1> -> tensor<4x1x8xi1>
  %0 = hamkaas.mul %q, %k : tensor<4x1x16xf32>, tensor<4x1x16xf32>
  %1 = hamkaas.reduce sum %0 over [2] : tensor<4x1x16xf32>
  %2 = hamkaas.reshape %1 : tensor<4x1xf32> -> tensor<4x1x1xf32>
  %3 = hamkaas.broadcast %2 : tensor<4x1x1xf32> -> tensor<4x1x8xf32>
  %4 = hamkaas.permute %kc [0, 2, 1] : tensor<4x8x16xf32>
  %5 = hamkaas.matmul %q, %4 : tensor<4x1x16xf32>, tensor<4x16x8xf32>
  %6 = hamkaas.select %there, %3, %5 : tensor<4x1x8xi1>, tensor<4x1x8xf32>, tensor<4x1x8xf32>
  %7 = hamkaas.sliced_softmax %6 static_prefix 8 : tensor<4x1x8xf32>
  // expected-remark @below {{one of the keys, but none of the values, stands apart}}
  %8 = hamkaas.matmul %7, %vc : tensor<4x1x8xf32>, tensor<4x8x16xf32>
  return %8 : tensor<4x1x16xf32>
}
