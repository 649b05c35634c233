// RUN: hamkaas-opt %s -hamkaas-use-winograd | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-use-winograd=max-error=3e-5 | FileCheck %s --check-prefix=SIX
// RUN: hamkaas-opt %s -hamkaas-use-winograd=max-error=1e-7 | FileCheck %s --check-prefix=NONE --implicit-check-not=winograd

// Tiles of 4 x 4: 36 products of 49 tiles.

ml_program.global private @w(#ml_program.extern<tensor<3x3x32x64xf32>>) : tensor<3x3x32x64xf32>
// CHECK-LABEL: func @four(
// CHECK:         %[[W:.*]] = ml_program.global_load_const @w
// CHECK:         hamkaas.group movement(%{{.*}}) {hamkaas.ops = "pad"} : (tensor<1x28x896xf32>) -> tensor<1x30x960xf32>
// CHECK:         %[[X:.*]] = hamkaas.reshape %{{.*}} : tensor<1x30x960xf32> -> tensor<1x30x30x32xf32>
// CHECK:         %[[V:.*]] = hamkaas.winograd_input %[[X]] tile 4 : tensor<1x30x30x32xf32>
// CHECK:         %[[LEFT:.*]] = hamkaas.reshape %[[V]] : tensor<6x6x1x7x7x32xf32> -> tensor<36x49x32xf32>
// CHECK:         %[[G:.*]] = hamkaas.constant dense<{{.*}}> : tensor<36x9xf32>
// CHECK:         %[[ROWS:.*]] = hamkaas.reshape %[[W]] : tensor<3x3x32x64xf32> -> tensor<9x2048xf32>
// CHECK:         %[[U:.*]] = hamkaas.matmul %[[G]], %[[ROWS]]
// CHECK:         %[[RIGHT:.*]] = hamkaas.reshape %[[U]] : tensor<36x2048xf32> -> tensor<36x32x64xf32>
// CHECK:         %[[PRODUCT:.*]] = hamkaas.matmul %[[LEFT]], %[[RIGHT]]
// CHECK:         %[[M:.*]] = hamkaas.reshape %[[PRODUCT]] : tensor<36x49x64xf32> -> tensor<6x6x1x7x7x64xf32>
// CHECK:         %[[Y:.*]] = hamkaas.winograd_output %[[M]] : tensor<6x6x1x7x7x64xf32>
// CHECK:         return %[[Y]]
func.func @four(%x: tensor<1x28x28x32xf32>) -> tensor<1x28x28x64xf32> {
  %w = ml_program.global_load_const @w : tensor<3x3x32x64xf32>
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x28x28x32xf32>, tensor<3x3x32x64xf32>
  return %0 : tensor<1x28x28x64xf32>
}

// Tiles of 2 x 2, without padding.

// CHECK-LABEL: func @two(
// CHECK-SAME:    %[[X:.*]]: tensor<2x12x18x32xf32>
// CHECK:         hamkaas.winograd_input %[[X]] tile 2
// CHECK:         hamkaas.winograd_output %{{.*}} : tensor<4x4x2x5x8x64xf32>
func.func @two(%x: tensor<2x12x18x32xf32>) -> tensor<2x10x16x64xf32> {
  %w = ml_program.global_load_const @w : tensor<3x3x32x64xf32>
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<2x12x18x32xf32>, tensor<3x3x32x64xf32>
  return %0 : tensor<2x10x16x64xf32>
}

// Not with strides, of few tiles or parts of them, or weights known at run time.

// CHECK-LABEL: func @others(
// CHECK-NOT:     hamkaas.winograd
// CHECK:         return
func.func @others(%x: tensor<1x28x28x32xf32>, %v: tensor<3x3x32x64xf32>, %y: tensor<1x8x8x32xf32>, %z: tensor<1x27x27x32xf32>) -> (tensor<1x14x14x64xf32>, tensor<1x28x28x64xf32>, tensor<1x8x8x64xf32>, tensor<1x27x27x64xf32>) {
  %w = ml_program.global_load_const @w : tensor<3x3x32x64xf32>
  %0 = hamkaas.conv %x, %w strides [2, 2] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x28x28x32xf32>, tensor<3x3x32x64xf32>
  %1 = hamkaas.conv %x, %v strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x28x28x32xf32>, tensor<3x3x32x64xf32>
  %2 = hamkaas.conv %y, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x8x8x32xf32>, tensor<3x3x32x64xf32>
  %3 = hamkaas.conv %z, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x27x27x32xf32>, tensor<3x3x32x64xf32>
  return %0, %1, %2, %3 : tensor<1x14x14x64xf32>, tensor<1x28x28x64xf32>, tensor<1x8x8x64xf32>, tensor<1x27x27x64xf32>
}

// Not where the transformed images would have 2^47 elements or more.

// CHECK-LABEL: func @huge(
// CHECK-NOT:     hamkaas.winograd
// CHECK:         return
func.func @huge(%x: tensor<1x1048576x1048576x32xf32>) -> tensor<1x1048574x1048574x64xf32> {
  %w = ml_program.global_load_const @w : tensor<3x3x32x64xf32>
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x1048576x1048576x32xf32>, tensor<3x3x32x64xf32>
  return %0 : tensor<1x1048574x1048574x64xf32>
}

// Tiles of 6 x 6 where their error is allowed, none where none is.

// CHECK-LABEL: func @six(
// CHECK:         hamkaas.winograd_input %{{.*}} tile 4
// SIX-LABEL:   func @six(
// SIX:           hamkaas.winograd_input %{{.*}} tile 6 : tensor<1x38x50x32xf32>
// SIX:           hamkaas.constant dense<{{.*}}> : tensor<64x9xf32>
// SIX:           hamkaas.winograd_output %{{.*}} : tensor<8x8x1x6x8x64xf32>
// NONE:        func @six(
// NONE:          hamkaas.conv
func.func @six(%x: tensor<1x38x50x32xf32>) -> tensor<1x36x48x64xf32> {
  %w = ml_program.global_load_const @w : tensor<3x3x32x64xf32>
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x38x50x32xf32>, tensor<3x3x32x64xf32>
  return %0 : tensor<1x36x48x64xf32>
}
