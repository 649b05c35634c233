// RUN: hamkaas-opt %s -hamkaas-use-winograd=element-cost=12 | FileCheck %s
// RUN: hamkaas-opt %s "-hamkaas-use-winograd=element-cost=12 word-cost=2" | FileCheck %s --check-prefix=WORDS
// RUN: hamkaas-opt %s -hamkaas-use-winograd | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=hamkaas.winograd

// Products of 16-bit integers are exact. Without costs, nothing is chosen.

ml_program.global private @w(#ml_program.extern<tensor<3x3x64x64xi8>>) : tensor<3x3x64x64xi8>
ml_program.global private @deep(#ml_program.extern<tensor<3x3x2048x64xi8>>) : tensor<3x3x2048x64xi8>
ml_program.global private @words(#ml_program.extern<tensor<3x3x64x64xi16>>) : tensor<3x3x64x64xi16>

// Where bytes are multiplied twice as fast, few tiles do not pay off.

// CHECK-LABEL:   func @few_tiles(
// CHECK:           hamkaas.winograd_input
// WORDS-LABEL:   func @few_tiles(
// WORDS-NOT:       hamkaas.winograd_input
// WORDS:           hamkaas.conv
func.func @few_tiles(%x: tensor<1x14x14x64xui8>) -> tensor<1x14x14x64xi32> {
  %0 = hamkaas.cast %x : tensor<1x14x14x64xui8> -> tensor<1x14x14x64xi16>
  %1 = hamkaas.cast %0 : tensor<1x14x14x64xi16> -> tensor<1x14x14x64xi32>
  %w = ml_program.global_load_const @w : tensor<3x3x64x64xi8>
  %2 = hamkaas.cast %w : tensor<3x3x64x64xi8> -> tensor<3x3x64x64xi16>
  %3 = hamkaas.cast %2 : tensor<3x3x64x64xi16> -> tensor<3x3x64x64xi32>
  %4 = hamkaas.conv %1, %3 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x14x14x64xi32>, tensor<3x3x64x64xi32>
  return %4 : tensor<1x14x14x64xi32>
}

// UNKNOWN-LABEL: func @bytes(
// CHECK-LABEL:   func @bytes(
// WORDS-LABEL:   func @bytes(
// WORDS:           hamkaas.winograd_input %{{.*}} tile 4
// CHECK:           %[[X:.*]] = hamkaas.cast %{{.*}} : tensor<1x28x28x64xui8> -> tensor<1x28x28x64xi16>
// CHECK:           %[[W:.*]] = hamkaas.cast %{{.*}} : tensor<3x3x64x64xi8> -> tensor<3x3x64x64xi16>
// CHECK:           %[[G:.*]] = hamkaas.constant dense<{{.*}}> : tensor<36x9xi16>
// CHECK:           %[[ROWS:.*]] = hamkaas.reshape %[[W]] : {{.*}} -> tensor<9x4096xi16>
// CHECK:           %[[A:.*]] = hamkaas.cast %[[G]] : {{.*}} -> tensor<36x9xi32>
// CHECK:           %[[B:.*]] = hamkaas.cast %[[ROWS]] : {{.*}} -> tensor<9x4096xi32>
// CHECK:           %[[U:.*]] = hamkaas.matmul %[[A]], %[[B]]
// CHECK:           hamkaas.cast %[[U]] : tensor<36x4096xi32> -> tensor<36x4096xi16>
// CHECK:           hamkaas.group movement({{.*}} : (tensor<1x28x1792xi16>) -> tensor<1x30x1920xi16>
// CHECK:           %[[V:.*]] = hamkaas.winograd_input %{{.*}} tile 4 : tensor<1x30x30x64xi16>
// CHECK:           hamkaas.matmul %{{.*}}, %{{.*}} : tensor<36x49x64xi32>, tensor<36x64x64xi32>
// CHECK:           %[[Y:.*]] = hamkaas.winograd_output %{{.*}} : tensor<6x6x1x7x7x64xi32>
// CHECK:           return %[[Y]]
func.func @bytes(%x: tensor<1x28x28x64xui8>) -> tensor<1x28x28x64xi32> {
  %0 = hamkaas.cast %x : tensor<1x28x28x64xui8> -> tensor<1x28x28x64xi16>
  %1 = hamkaas.cast %0 : tensor<1x28x28x64xi16> -> tensor<1x28x28x64xi32>
  %w = ml_program.global_load_const @w : tensor<3x3x64x64xi8>
  %2 = hamkaas.cast %w : tensor<3x3x64x64xi8> -> tensor<3x3x64x64xi16>
  %3 = hamkaas.cast %2 : tensor<3x3x64x64xi16> -> tensor<3x3x64x64xi32>
  %4 = hamkaas.conv %1, %3 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x28x28x64xi32>, tensor<3x3x64x64xi32>
  return %4 : tensor<1x28x28x64xi32>
}

// A difference of bytes that spans 256 numbers fits 16 bits once transformed.
// One that spans 511 does with tiles of 2 x 2 alone.

// UNKNOWN-LABEL: func @differences(
// CHECK-LABEL:   func @differences(
// CHECK:           hamkaas.winograd_input %{{.*}} tile 4
// CHECK:           hamkaas.winograd_input %{{.*}} tile 2
// CHECK:           return
func.func @differences(%x: tensor<1x28x28x64xui8>, %z: tensor<1x1x1x1xui8>) -> (tensor<1x28x28x64xi32>, tensor<1x28x28x64xi32>) {
  %c = hamkaas.constant dense<124> : tensor<1x1x1x1xi16>
  %d = hamkaas.cast %z : tensor<1x1x1x1xui8> -> tensor<1x1x1x1xi16>
  %0 = hamkaas.cast %x : tensor<1x28x28x64xui8> -> tensor<1x28x28x64xi16>
  %w = ml_program.global_load_const @w : tensor<3x3x64x64xi8>
  %1 = hamkaas.cast %w : tensor<3x3x64x64xi8> -> tensor<3x3x64x64xi16>
  %2 = hamkaas.cast %1 : tensor<3x3x64x64xi16> -> tensor<3x3x64x64xi32>
  %3 = hamkaas.sub %0, %c : tensor<1x28x28x64xi16>, tensor<1x1x1x1xi16>
  %4 = hamkaas.cast %3 : tensor<1x28x28x64xi16> -> tensor<1x28x28x64xi32>
  %5 = hamkaas.conv %4, %2 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x28x28x64xi32>, tensor<3x3x64x64xi32>
  %6 = hamkaas.sub %0, %d : tensor<1x28x28x64xi16>, tensor<1x1x1x1xi16>
  %7 = hamkaas.cast %6 : tensor<1x28x28x64xi16> -> tensor<1x28x28x64xi32>
  %8 = hamkaas.conv %7, %2 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x28x28x64xi32>, tensor<3x3x64x64xi32>
  return %5, %8 : tensor<1x28x28x64xi32>, tensor<1x28x28x64xi32>
}

// Not of larger integers, with sums of more than 30 bits, with weights known at
// run time, of 32-bit integers, or with strides.

// CHECK-LABEL: func @others(
// CHECK-NOT:     hamkaas.winograd
func.func @others(%x: tensor<1x28x28x64xi16>, %b: tensor<1x28x28x64xi8>, %d: tensor<1x28x28x2048xui8>, %v: tensor<3x3x64x64xi8>, %i: tensor<1x28x28x64xi32>) -> (tensor<1x28x28x64xi32>, tensor<1x28x28x64xi32>, tensor<1x28x28x64xi32>, tensor<1x28x28x64xi32>, tensor<1x28x28x64xi32>, tensor<1x14x14x64xi32>) {
  %w = ml_program.global_load_const @w : tensor<3x3x64x64xi8>
  %w16 = hamkaas.cast %w : tensor<3x3x64x64xi8> -> tensor<3x3x64x64xi16>
  %w32 = hamkaas.cast %w16 : tensor<3x3x64x64xi16> -> tensor<3x3x64x64xi32>
  %u = ml_program.global_load_const @words : tensor<3x3x64x64xi16>
  %u32 = hamkaas.cast %u : tensor<3x3x64x64xi16> -> tensor<3x3x64x64xi32>
  %deep = ml_program.global_load_const @deep : tensor<3x3x2048x64xi8>
  %deep16 = hamkaas.cast %deep : tensor<3x3x2048x64xi8> -> tensor<3x3x2048x64xi16>
  %deep32 = hamkaas.cast %deep16 : tensor<3x3x2048x64xi16> -> tensor<3x3x2048x64xi32>
  %x32 = hamkaas.cast %x : tensor<1x28x28x64xi16> -> tensor<1x28x28x64xi32>
  %0 = hamkaas.conv %x32, %w32 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x28x28x64xi32>, tensor<3x3x64x64xi32>
  %b16 = hamkaas.cast %b : tensor<1x28x28x64xi8> -> tensor<1x28x28x64xi16>
  %b32 = hamkaas.cast %b16 : tensor<1x28x28x64xi16> -> tensor<1x28x28x64xi32>
  %1 = hamkaas.conv %b32, %u32 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x28x28x64xi32>, tensor<3x3x64x64xi32>
  %d16 = hamkaas.cast %d : tensor<1x28x28x2048xui8> -> tensor<1x28x28x2048xi16>
  %d32 = hamkaas.cast %d16 : tensor<1x28x28x2048xi16> -> tensor<1x28x28x2048xi32>
  %2 = hamkaas.conv %d32, %deep32 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x28x28x2048xi32>, tensor<3x3x2048x64xi32>
  %v16 = hamkaas.cast %v : tensor<3x3x64x64xi8> -> tensor<3x3x64x64xi16>
  %v32 = hamkaas.cast %v16 : tensor<3x3x64x64xi16> -> tensor<3x3x64x64xi32>
  %3 = hamkaas.conv %b32, %v32 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x28x28x64xi32>, tensor<3x3x64x64xi32>
  %4 = hamkaas.conv %i, %w32 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x28x28x64xi32>, tensor<3x3x64x64xi32>
  %5 = hamkaas.conv %b32, %w32 strides [2, 2] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x28x28x64xi32>, tensor<3x3x64x64xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<1x28x28x64xi32>, tensor<1x28x28x64xi32>, tensor<1x28x28x64xi32>, tensor<1x28x28x64xi32>, tensor<1x28x28x64xi32>, tensor<1x14x14x64xi32>
}

// A knob chooses the tile, or the direct convolution. One that is not exact is
// dropped.

// CHECK-LABEL: func @knobs(
// CHECK:         hamkaas.winograd_input %{{.*}} tile 2
// CHECK:         hamkaas.conv {{.*}}knobs = {winograd = "off"}
// CHECK:         hamkaas.conv
// CHECK-NOT:     knobs
// CHECK:         return
func.func @knobs(%x: tensor<1x28x28x64xui8>) -> (tensor<1x28x28x64xi32>, tensor<1x28x28x64xi32>, tensor<1x28x28x64xi32>) {
  %0 = hamkaas.cast %x : tensor<1x28x28x64xui8> -> tensor<1x28x28x64xi16>
  %1 = hamkaas.cast %0 : tensor<1x28x28x64xi16> -> tensor<1x28x28x64xi32>
  %w = ml_program.global_load_const @w : tensor<3x3x64x64xi8>
  %2 = hamkaas.cast %w : tensor<3x3x64x64xi8> -> tensor<3x3x64x64xi16>
  %3 = hamkaas.cast %2 : tensor<3x3x64x64xi16> -> tensor<3x3x64x64xi32>
  %4 = hamkaas.conv %1, %3 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 {hamkaas.knobs = {winograd = "2"}} : tensor<1x28x28x64xi32>, tensor<3x3x64x64xi32>
  %5 = hamkaas.conv %1, %3 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 {hamkaas.knobs = {winograd = "off"}} : tensor<1x28x28x64xi32>, tensor<3x3x64x64xi32>
  %6 = hamkaas.conv %1, %3 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 {hamkaas.knobs = {winograd = "6"}} : tensor<1x28x28x64xi32>, tensor<3x3x64x64xi32>
  return %4, %5, %6 : tensor<1x28x28x64xi32>, tensor<1x28x28x64xi32>, tensor<1x28x28x64xi32>
}

// Groups have matrices of their own.

ml_program.global private @groups_w(#ml_program.extern<tensor<3x3x32x64xi8>>) : tensor<3x3x32x64xi8>
// CHECK-LABEL: func @groups(
// CHECK:         hamkaas.winograd_input %{{.*}} tile 4 groups 2 : tensor<1x30x30x64xi16>
// CHECK:         hamkaas.matmul {{.*}} : tensor<72x49x32xi32>, tensor<72x32x32xi32>
// CHECK:         hamkaas.winograd_output %{{.*}} : tensor<6x6x2x1x7x7x32xi32>
func.func @groups(%x: tensor<1x28x28x64xui8>) -> tensor<1x28x28x64xi32> {
  %0 = hamkaas.cast %x : tensor<1x28x28x64xui8> -> tensor<1x28x28x64xi16>
  %1 = hamkaas.cast %0 : tensor<1x28x28x64xi16> -> tensor<1x28x28x64xi32>
  %w = ml_program.global_load_const @groups_w : tensor<3x3x32x64xi8>
  %2 = hamkaas.cast %w : tensor<3x3x32x64xi8> -> tensor<3x3x32x64xi16>
  %3 = hamkaas.cast %2 : tensor<3x3x32x64xi16> -> tensor<3x3x32x64xi32>
  %4 = hamkaas.conv %1, %3 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 2 : tensor<1x28x28x64xi32>, tensor<3x3x32x64xi32>
  return %4 : tensor<1x28x28x64xi32>
}
