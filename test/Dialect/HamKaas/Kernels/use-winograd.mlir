// RUN: hamkaas-opt %s -hamkaas-use-winograd | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-use-winograd=max-error=3e-5 | FileCheck %s --check-prefix=SIX
// RUN: hamkaas-opt %s -hamkaas-use-winograd=max-error=1e-7 | FileCheck %s --check-prefix=NONE --implicit-check-not=winograd

// Tiles of 4 x 4: 36 products of 49 tiles.

ml_program.global private @w(#ml_program.extern<tensor<3x3x32x64xf32>>) : tensor<3x3x32x64xf32>
// CHECK-LABEL: func @four(
// CHECK:         %[[W:.*]] = ml_program.global_load_const @w
// CHECK:         %[[G:.*]] = hamkaas.constant dense<{{.*}}> : tensor<36x9xf32>
// CHECK:         %[[ROWS:.*]] = hamkaas.reshape %[[W]] : tensor<3x3x32x64xf32> -> tensor<9x2048xf32>
// CHECK:         %[[U:.*]] = hamkaas.matmul %[[G]], %[[ROWS]]
// CHECK:         %[[RIGHT:.*]] = hamkaas.reshape %[[U]] : tensor<36x2048xf32> -> tensor<36x32x64xf32>
// CHECK:         hamkaas.group movement(%{{.*}}) {hamkaas.ops = "pad"} : (tensor<1x28x896xf32>) -> tensor<1x30x960xf32>
// CHECK:         %[[X:.*]] = hamkaas.reshape %{{.*}} : tensor<1x30x960xf32> -> tensor<1x30x30x32xf32>
// CHECK:         %[[V:.*]] = hamkaas.winograd_input %[[X]] tile 4 : tensor<1x30x30x32xf32>
// CHECK:         %[[LEFT:.*]] = hamkaas.reshape %[[V]] : tensor<6x6x1x7x7x32xf32> -> tensor<36x49x32xf32>
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

// Not with strides, of few tiles or parts of them, or of few tiles for weights
// that are transformed in each run.

// CHECK-LABEL: func @others(
// CHECK-NOT:     hamkaas.winograd
// CHECK:         return
func.func @others(%x: tensor<1x28x28x32xf32>, %v: tensor<3x3x32x64xf32>, %u: tensor<1x14x14x32xf32>, %y: tensor<1x8x8x32xf32>, %z: tensor<1x29x29x32xf32>) -> (tensor<1x14x14x64xf32>, tensor<1x14x14x64xf32>, tensor<1x8x8x64xf32>, tensor<1x29x29x64xf32>) {
  %w = ml_program.global_load_const @w : tensor<3x3x32x64xf32>
  %0 = hamkaas.conv %x, %w strides [2, 2] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x28x28x32xf32>, tensor<3x3x32x64xf32>
  %1 = hamkaas.conv %u, %v strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x14x14x32xf32>, tensor<3x3x32x64xf32>
  %2 = hamkaas.conv %y, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x8x8x32xf32>, tensor<3x3x32x64xf32>
  %3 = hamkaas.conv %z, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x29x29x32xf32>, tensor<3x3x32x64xf32>
  return %0, %1, %2, %3 : tensor<1x14x14x64xf32>, tensor<1x14x14x64xf32>, tensor<1x8x8x64xf32>, tensor<1x29x29x64xf32>
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
// SIX:           hamkaas.constant dense<{{.*}}> : tensor<64x9xf32>
// SIX:           hamkaas.winograd_input %{{.*}} tile 6 : tensor<1x38x50x32xf32>
// SIX:           hamkaas.winograd_output %{{.*}} : tensor<8x8x1x6x8x64xf32>
// NONE:        func @six(
// NONE:          hamkaas.conv
func.func @six(%x: tensor<1x38x50x32xf32>) -> tensor<1x36x48x64xf32> {
  %w = ml_program.global_load_const @w : tensor<3x3x32x64xf32>
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x38x50x32xf32>, tensor<3x3x32x64xf32>
  return %0 : tensor<1x36x48x64xf32>
}

// Weights known at run time are transformed in each run.

// CHECK-LABEL: func @weights(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<3x3x32x64xf32>
// CHECK:         %[[ROWS:.*]] = hamkaas.reshape %[[W]] : tensor<3x3x32x64xf32> -> tensor<9x2048xf32>
// CHECK:         hamkaas.matmul %{{.*}}, %[[ROWS]]
// CHECK:         hamkaas.winograd_input %{{.*}} tile 4
// CHECK:         hamkaas.winograd_output %{{.*}} : tensor<6x6x4x7x7x64xf32>
func.func @weights(%w: tensor<3x3x32x64xf32>, %x: tensor<4x28x28x32xf32>) -> tensor<4x28x28x64xf32> {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<4x28x28x32xf32>, tensor<3x3x32x64xf32>
  return %0 : tensor<4x28x28x64xf32>
}

// The gradient of weights: the permutes that make it a convolution are undone.

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x28x28x32xf32>, %[[G:[a-z0-9]+]]: tensor<4x28x28x64xf32>
// CHECK-NOT:     hamkaas.permute
// CHECK:         %[[P:.*]] = hamkaas.pad %[[X]] low [0, 1, 1, 0] high [0, 1, 1, 0]
// CHECK:         %[[V:.*]] = hamkaas.winograd_input %[[P]] tile 4 : tensor<4x30x30x32xf32>
// CHECK:         %[[DATA:.*]] = hamkaas.reshape %[[V]] : tensor<6x6x4x7x7x32xf32> -> tensor<36x196x32xf32>
// CHECK:         %[[D:.*]] = hamkaas.winograd_gradient %[[G]] tile 4 : tensor<4x28x28x64xf32>
// CHECK:         %[[RIGHT:.*]] = hamkaas.reshape %[[D]] : tensor<6x6x4x7x7x64xf32> -> tensor<36x196x64xf32>
// CHECK:         %[[LEFT:.*]] = hamkaas.permute %[[DATA]][0, 2, 1]
// CHECK:         %[[U:.*]] = hamkaas.matmul %[[LEFT]], %[[RIGHT]]
// CHECK:         %[[ROWS:.*]] = hamkaas.reshape %[[U]] : tensor<36x32x64xf32> -> tensor<36x2048xf32>
// CHECK:         %[[T:.*]] = hamkaas.constant dense<{{.*}}> : tensor<9x36xf32>
// CHECK:         %[[SUM:.*]] = hamkaas.matmul %[[T]], %[[ROWS]]
// CHECK:         %[[RESULT:.*]] = hamkaas.reshape %[[SUM]] : tensor<9x2048xf32> -> tensor<3x3x32x64xf32>
// CHECK-NOT:     hamkaas.permute
// CHECK:         return %[[RESULT]]
func.func @gradient(%x: tensor<4x28x28x32xf32>, %g: tensor<4x28x28x64xf32>) -> tensor<3x3x32x64xf32> {
  %0 = hamkaas.permute %x [3, 1, 2, 0] : tensor<4x28x28x32xf32>
  %1 = hamkaas.pad %0 low [0, 1, 1, 0] high [0, 1, 1, 0] interior [0, 0, 0, 0] value 0.0 : f32 : tensor<32x28x28x4xf32>
  %2 = hamkaas.permute %g [1, 2, 0, 3] : tensor<4x28x28x64xf32>
  %3 = hamkaas.conv %1, %2 strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<32x30x30x4xf32>, tensor<28x28x4x64xf32>
  %4 = hamkaas.permute %3 [1, 2, 0, 3] : tensor<32x3x3x64xf32>
  return %4 : tensor<3x3x32x64xf32>
}

// Also without such permutes.

// CHECK-LABEL: func @as_convolution(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<32x30x30x4xf32>, %[[G:[a-z0-9]+]]: tensor<28x28x4x64xf32>
// CHECK:         %[[DATA:.*]] = hamkaas.permute %[[X]][3, 1, 2, 0]
// CHECK:         %[[RIGHT:.*]] = hamkaas.permute %[[G]][2, 0, 1, 3]
// CHECK:         hamkaas.winograd_input %[[DATA]] tile 4
// CHECK:         hamkaas.winograd_gradient %[[RIGHT]] tile 4
// CHECK:         %[[RESULT:.*]] = hamkaas.permute %{{.*}}[2, 0, 1, 3] : tensor<3x3x32x64xf32>
// CHECK:         return %[[RESULT]]
func.func @as_convolution(%x: tensor<32x30x30x4xf32>, %g: tensor<28x28x4x64xf32>) -> tensor<32x3x3x64xf32> {
  %0 = hamkaas.conv %x, %g strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<32x30x30x4xf32>, tensor<28x28x4x64xf32>
  return %0 : tensor<32x3x3x64xf32>
}

// Also if one side is computed from the other.

// CHECK-LABEL: func @data_of_gradient(
// CHECK-SAME:    %[[G:[a-z0-9]+]]: tensor<4x32x34x36xf32>
// CHECK:         %[[W:.*]] = hamkaas.permute %[[G]][1, 2, 0, 3]
// CHECK:         %[[X:.*]] = hamkaas.permute %[[W]][0, 1, 3, 2]
// CHECK:         hamkaas.winograd_gradient %[[G]] tile 2
// CHECK-NOT:     hamkaas.conv
// CHECK:         return
func.func @data_of_gradient(%g: tensor<4x32x34x36xf32>) -> tensor<32x3x3x36xf32> {
  %0 = hamkaas.permute %g [1, 2, 0, 3] : tensor<4x32x34x36xf32>
  %1 = hamkaas.permute %0 [0, 1, 3, 2] : tensor<32x34x4x36xf32>
  %2 = hamkaas.conv %1, %0 strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<32x34x36x4xf32>, tensor<32x34x4x36xf32>
  return %2 : tensor<32x3x3x36xf32>
}

// CHECK-LABEL: func @data_undone(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x34x36x32xf32>
// CHECK:         hamkaas.winograd_input %[[X]] tile 2
// CHECK:         return
func.func @data_undone(%x: tensor<4x34x36x32xf32>) -> tensor<32x3x3x36xf32> {
  %0 = hamkaas.permute %x [3, 1, 2, 0] : tensor<4x34x36x32xf32>
  %1 = hamkaas.permute %0 [0, 1, 3, 2] : tensor<32x34x36x4xf32>
  %2 = hamkaas.conv %0, %1 strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<32x34x36x4xf32>, tensor<32x34x4x36xf32>
  return %2 : tensor<32x3x3x36xf32>
}
