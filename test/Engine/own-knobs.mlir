// Operations get the knobs that they have, where nothing else takes them.
// RUN: hamkaas-opt %s --pass-pipeline="builtin.module(hamkaas-use-engines{engines=hamkaas:rows=4:grain=512:winograd=off:block-rows=0})" | FileCheck %s
// RUN: hamkaas-opt %s --pass-pipeline="builtin.module(hamkaas-use-engines{engines=hamkaas:depth=9@matmul,hamkaas,hamkaas:rows=2})" | FileCheck %s --check-prefix=PART
// RUN: hamkaas-opt %s --pass-pipeline="builtin.module(hamkaas-use-engines{engines=hamkaas@sliced_softmax,sample path=%engines/hamkaas-engine-sample.so})" | FileCheck %s --check-prefix=KEPT
// RUN: not hamkaas-opt %s --pass-pipeline="builtin.module(hamkaas-use-engines{engines=hamkaas:rows=x})" 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: engine 'hamkaas': expected knob 'rows' to be an integer from 0 to 16 (default 0), got 'x'

// A number has no knobs.

// CHECK-LABEL: func.func @main
// CHECK:       hamkaas.constant dense<2.000000e+00> : tensor<4x6xf32>
// CHECK:       hamkaas.matmul %{{.*}} {hamkaas.knobs = {rows = 4 : i64}}
// CHECK:       hamkaas.add %{{.*}} {hamkaas.knobs = {grain = 512 : i64}}
// CHECK:       hamkaas.sliced_softmax %{{.*}} {hamkaas.knobs = {grain = 512 : i64}}
// CHECK:       hamkaas.conv %{{.*}} {hamkaas.knobs = {rows = 4 : i64, winograd = "off"}}

// PART-LABEL:  func.func @main
// PART-NOT:    knobs
// PART:        hamkaas.conv
// PART-NOT:    knobs

// KEPT-NOT:    hamkaas.engine_call
// KEPT-NOT:    knobs
func.func @main(%x: tensor<4x8xf32> {hamkaas.name = "x"}, %w: tensor<8x6xf32> {hamkaas.name = "w"}, %i: tensor<1x6x6x4xf32> {hamkaas.name = "i"}, %k: tensor<3x3x4x5xf32> {hamkaas.name = "k"}) -> (tensor<4x6xf32> {hamkaas.name = "y"}, tensor<4x8xf32> {hamkaas.name = "s"}, tensor<1x4x4x5xf32> {hamkaas.name = "z"}) {
  %0 = hamkaas.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32>
  %two = hamkaas.constant dense<2.0> : tensor<4x6xf32>
  %1 = hamkaas.add %0, %two : tensor<4x6xf32>, tensor<4x6xf32>
  %2 = hamkaas.sliced_softmax %x static_prefix 8 : tensor<4x8xf32>
  %3 = hamkaas.conv %i, %k strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x6x6x4xf32>, tensor<3x3x4x5xf32>
  return %1, %2, %3 : tensor<4x6xf32>, tensor<4x8xf32>, tensor<1x4x4x5xf32>
}
