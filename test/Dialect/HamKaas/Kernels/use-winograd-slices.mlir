// RUN: hamkaas-opt %s -hamkaas-use-winograd=max-bytes=5000000 | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-use-winograd=max-bytes=100000 | FileCheck %s --check-prefix=LEAST
// RUN: hamkaas-opt %s -hamkaas-use-winograd | FileCheck %s --check-prefix=WHOLE --implicit-check-not=hamkaas.slice --implicit-check-not=hamkaas.concat

// 36 x 64 tiles of 96 channels take 0.9 MB an image: four images at once. The
// weights are transformed once.

// CHECK-LABEL: func @weights(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<3x3x32x64xf32>, %[[X:[a-z0-9]+]]: tensor<8x32x32x32xf32>
// CHECK:         %[[U:.*]] = hamkaas.reshape %{{.*}} : tensor<36x2048xf32> -> tensor<36x32x64xf32>
// CHECK:         hamkaas.slice %[[X]][0, 4] : tensor<8x32x32x32xf32>
// CHECK:         hamkaas.group movement(%{{.*}}) {hamkaas.ops = "pad"} : (tensor<4x32x1024xf32>) -> tensor<4x34x1088xf32>
// CHECK:         hamkaas.winograd_input %{{.*}} tile 4 : tensor<4x34x34x32xf32>
// CHECK:         hamkaas.matmul %{{.*}}, %[[U]] : tensor<36x256x32xf32>, tensor<36x32x64xf32>
// CHECK:         %[[FIRST:.*]] = hamkaas.winograd_output
// CHECK:         hamkaas.slice %[[X]][4, 8] : tensor<8x32x32x32xf32>
// CHECK:         hamkaas.matmul %{{.*}}, %[[U]]
// CHECK:         %[[SECOND:.*]] = hamkaas.winograd_output
// CHECK:         %[[Y:.*]] = hamkaas.concat %[[FIRST]], %[[SECOND]] dim 0 : tensor<4x32x32x64xf32>, tensor<4x32x32x64xf32>
// CHECK:         return %[[Y]]

// Slices have at least 128 tiles.

// LEAST-LABEL: func @weights(
// LEAST:         hamkaas.matmul %{{.*}} : tensor<36x128x32xf32>, tensor<36x32x64xf32>
// WHOLE-LABEL: func @weights(
// WHOLE:         hamkaas.matmul %{{.*}} : tensor<36x512x32xf32>, tensor<36x32x64xf32>
func.func @weights(%w: tensor<3x3x32x64xf32>, %x: tensor<8x32x32x32xf32>) -> tensor<8x32x32x64xf32> {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<8x32x32x32xf32>, tensor<3x3x32x64xf32>
  return %0 : tensor<8x32x32x64xf32>
}

// The products of slices are added up in their order. Only a slice is padded at
// once.

// CHECK-LABEL: func @gradient(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8x32x32x32xf32>, %[[G:[a-z0-9]+]]: tensor<8x32x32x64xf32>
// CHECK-NOT:     hamkaas.pad
// CHECK:         %[[X0:.*]] = hamkaas.slice %[[X]][0, 4]
// CHECK:         hamkaas.pad %[[X0]] {{.*}} : tensor<4x32x32x32xf32>
// CHECK:         %[[G0:.*]] = hamkaas.slice %[[G]][0, 4]
// CHECK:         hamkaas.winograd_gradient %[[G0]] tile 4
// CHECK:         %[[FIRST:.*]] = hamkaas.matmul %{{.*}} : tensor<36x32x256xf32>, tensor<36x256x64xf32>
// CHECK:         %[[SECOND:.*]] = hamkaas.matmul %{{.*}} : tensor<36x32x256xf32>, tensor<36x256x64xf32>
// CHECK:         %[[SUM:.*]] = hamkaas.add %[[SECOND]], %[[FIRST]]
// CHECK:         hamkaas.reshape %[[SUM]] : tensor<36x32x64xf32> -> tensor<36x2048xf32>
// LEAST-LABEL: func @gradient(
// WHOLE-LABEL: func @gradient(
func.func @gradient(%x: tensor<8x32x32x32xf32>, %g: tensor<8x32x32x64xf32>) -> tensor<3x3x32x64xf32> {
  %0 = hamkaas.permute %x [3, 1, 2, 0] : tensor<8x32x32x32xf32>
  %1 = hamkaas.pad %0 low [0, 1, 1, 0] high [0, 1, 1, 0] interior [0, 0, 0, 0] value 0.0 : f32 : tensor<32x32x32x8xf32>
  %2 = hamkaas.permute %g [1, 2, 0, 3] : tensor<8x32x32x64xf32>
  %3 = hamkaas.conv %1, %2 strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<32x34x34x8xf32>, tensor<32x32x8x64xf32>
  %4 = hamkaas.permute %3 [1, 2, 0, 3] : tensor<32x3x3x64xf32>
  return %4 : tensor<3x3x32x64xf32>
}

// Parameters are those of networks that do not train.

ml_program.global private @w(#ml_program.extern<tensor<3x3x32x64xf32>>) : tensor<3x3x32x64xf32>
// CHECK-LABEL: func @parameters(
// CHECK-NOT:     hamkaas.concat
// CHECK:         hamkaas.matmul %{{.*}} : tensor<36x512x32xf32>, tensor<36x32x64xf32>
// LEAST-LABEL: func @parameters(
// LEAST-NOT:     hamkaas.concat
// WHOLE-LABEL: func @parameters(
func.func @parameters(%x: tensor<8x32x32x32xf32>) -> tensor<8x32x32x64xf32> {
  %w = ml_program.global_load_const @w : tensor<3x3x32x64xf32>
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<8x32x32x32xf32>, tensor<3x3x32x64xf32>
  return %0 : tensor<8x32x32x64xf32>
}
