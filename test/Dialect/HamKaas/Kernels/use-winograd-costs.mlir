// RUN: hamkaas-opt %s -hamkaas-use-winograd=element-cost=12 | FileCheck %s
// RUN: hamkaas-opt %s "-hamkaas-use-winograd=element-cost=12 most-bytes=1000" | FileCheck %s --check-prefix=SMALL
// RUN: hamkaas-opt %s -hamkaas-use-winograd=element-cost=20 | FileCheck %s --check-prefix=DEAR
// RUN: hamkaas-opt %s -hamkaas-use-winograd | FileCheck %s --check-prefix=UNKNOWN

// With a known cost of an element, the least time decides. Few tiles and few
// channels pay off: 36 * (16 + 12 * 16 * (1 / 64 + 1 / 64)) multiply-adds per
// pair of channels are less than 9 * 256.

ml_program.global private @w16(#ml_program.extern<tensor<3x3x16x16xf32>>) : tensor<3x3x16x16xf32>
ml_program.global private @w32(#ml_program.extern<tensor<3x3x8x32xf32>>) : tensor<3x3x8x32xf32>
ml_program.global private @w64(#ml_program.extern<tensor<3x3x64x64xf32>>) : tensor<3x3x64x64xf32>

// CHECK-LABEL: func @few_tiles(
// CHECK:         hamkaas.winograd_input %{{.*}} tile 4 : tensor<1x18x18x64xf32>
// CHECK:         hamkaas.winograd_input %{{.*}} tile 2 : tensor<1x10x10x64xf32>
// CHECK:         hamkaas.conv {{.*}} : tensor<1x4x4x64xf32>
// DEAR-LABEL:  func @few_tiles(
// DEAR:          hamkaas.winograd_input %{{.*}} tile 4 : tensor<1x18x18x64xf32>
// DEAR:          hamkaas.winograd_input %{{.*}} tile 2 : tensor<1x10x10x64xf32>
// None of them, if their transformed images are to take 1000 bytes at most.
// SMALL-LABEL: func @few_tiles(
// SMALL-NOT:     hamkaas.winograd_input
// SMALL:         return
// UNKNOWN:     func @few_tiles(
// UNKNOWN:       hamkaas.winograd_input %{{.*}} tile 2 : tensor<1x18x18x64xf32>
// UNKNOWN:       hamkaas.winograd_output
// UNKNOWN:       hamkaas.conv {{.*}} : tensor<1x8x8x64xf32>
func.func @few_tiles(%x: tensor<1x16x16x64xf32>, %y: tensor<1x8x8x64xf32>, %z: tensor<1x4x4x64xf32>) -> (tensor<1x16x16x64xf32>, tensor<1x8x8x64xf32>, tensor<1x4x4x64xf32>) {
  %w = ml_program.global_load_const @w64 : tensor<3x3x64x64xf32>
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x16x16x64xf32>, tensor<3x3x64x64xf32>
  %1 = hamkaas.conv %y, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x8x8x64xf32>, tensor<3x3x64x64xf32>
  %2 = hamkaas.conv %z, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x4x4x64xf32>, tensor<3x3x64x64xf32>
  return %0, %1, %2 : tensor<1x16x16x64xf32>, tensor<1x8x8x64xf32>, tensor<1x4x4x64xf32>
}

// CHECK-LABEL: func @few_channels(
// CHECK:         hamkaas.winograd_input %{{.*}} tile 4 : tensor<1x30x30x16xf32>
// CHECK:         hamkaas.winograd_input %{{.*}} tile 4 : tensor<1x30x30x8xf32>
// DEAR-LABEL:  func @few_channels(
// DEAR:          hamkaas.winograd_input %{{.*}} tile 4 : tensor<1x30x30x16xf32>
// DEAR:          hamkaas.conv {{.*}} : tensor<1x28x28x8xf32>
func.func @few_channels(%x: tensor<1x28x28x16xf32>, %y: tensor<1x28x28x8xf32>) -> (tensor<1x28x28x16xf32>, tensor<1x28x28x32xf32>) {
  %v = ml_program.global_load_const @w16 : tensor<3x3x16x16xf32>
  %w = ml_program.global_load_const @w32 : tensor<3x3x8x32xf32>
  %0 = hamkaas.conv %x, %v strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x28x28x16xf32>, tensor<3x3x16x16xf32>
  %1 = hamkaas.conv %y, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x28x28x8xf32>, tensor<3x3x8x32xf32>
  return %0, %1 : tensor<1x28x28x16xf32>, tensor<1x28x28x32xf32>
}

// Transforming the weights in each run takes the time of 36 tiles.

// CHECK-LABEL: func @weights(
// CHECK:         hamkaas.winograd_input %{{.*}} tile 2 : tensor<1x18x18x64xf32>
// CHECK:         hamkaas.conv {{.*}} : tensor<1x8x8x64xf32>
// CHECK:         return
func.func @weights(%w: tensor<3x3x64x64xf32>, %x: tensor<1x16x16x64xf32>, %y: tensor<1x8x8x64xf32>) -> (tensor<1x16x16x64xf32>, tensor<1x8x8x64xf32>) {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x16x16x64xf32>, tensor<3x3x64x64xf32>
  %1 = hamkaas.conv %y, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x8x8x64xf32>, tensor<3x3x64x64xf32>
  return %0, %1 : tensor<1x16x16x64xf32>, tensor<1x8x8x64xf32>
}

// Incomplete tiles: 16 x 16 positions for 14 x 14, and 8 x 8 for 7 x 7. Where
// there is no padding, they take a copy.

// CHECK-LABEL: func @parts(
// CHECK:         hamkaas.group movement(%{{.*}}) {hamkaas.ops = "pad"} : (tensor<1x14x896xf32>) -> tensor<1x18x1152xf32>
// CHECK:         hamkaas.winograd_input %{{.*}} tile 4 : tensor<1x18x18x64xf32>
// CHECK:         hamkaas.winograd_output %{{.*}} to [14, 14] : tensor<6x6x1x4x4x64xf32>
// CHECK:         hamkaas.group movement(%{{.*}}) {hamkaas.ops = "pad"} : (tensor<1x9x576xf32>) -> tensor<1x10x640xf32>
// CHECK:         hamkaas.winograd_input %{{.*}} tile 2 : tensor<1x10x10x64xf32>
// CHECK:         hamkaas.winograd_output %{{.*}} to [7, 7] : tensor<4x4x1x4x4x64xf32>
// UNKNOWN-LABEL: func @parts(
// UNKNOWN:       hamkaas.winograd_input %{{.*}} tile 2 : tensor<1x16x16x64xf32>
// UNKNOWN:       hamkaas.conv
func.func @parts(%x: tensor<1x14x14x64xf32>, %y: tensor<1x9x9x64xf32>) -> (tensor<1x14x14x64xf32>, tensor<1x7x7x64xf32>) {
  %w = ml_program.global_load_const @w64 : tensor<3x3x64x64xf32>
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x14x14x64xf32>, tensor<3x3x64x64xf32>
  %1 = hamkaas.conv %y, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x9x9x64xf32>, tensor<3x3x64x64xf32>
  return %0, %1 : tensor<1x14x14x64xf32>, tensor<1x7x7x64xf32>
}

// With a dilation of 2, a window contains every second row and column: four
// separate images of 14 x 14; with a dilation of its rows alone, every second
// row, two of 14 x 28. Not for sizes that 2 does not divide.

// CHECK-LABEL: func @dilated(
// CHECK:         hamkaas.group movement(%{{.*}}) {hamkaas.ops = "pad"} : (tensor<1x28x1792xf32>) -> tensor<1x32x2048xf32>
// CHECK:         %[[ROWS:.*]] = hamkaas.reshape %{{.*}} : tensor<1x32x32x64xf32> -> tensor<1x16x2x16x2x64xf32>
// CHECK:         %[[PARTS:.*]] = hamkaas.permute %[[ROWS]][0, 2, 4, 1, 3, 5]
// CHECK:         hamkaas.reshape %[[PARTS]] : tensor<1x2x2x16x16x64xf32> -> tensor<4x16x16x64xf32>
// CHECK:         hamkaas.winograd_input %{{.*}} tile 4 : tensor<4x18x18x64xf32>
// CHECK:         %[[Y:.*]] = hamkaas.winograd_output %{{.*}} to [14, 14] : tensor<6x6x4x4x4x64xf32>
// CHECK:         %[[SPLIT:.*]] = hamkaas.reshape %[[Y]] : tensor<4x14x14x64xf32> -> tensor<1x2x2x14x14x64xf32>
// CHECK:         %[[JOINED:.*]] = hamkaas.permute %[[SPLIT]][0, 3, 1, 4, 2, 5]
// CHECK:         %[[RESULT:.*]] = hamkaas.reshape %[[JOINED]] : tensor<1x14x2x14x2x64xf32> -> tensor<1x28x28x64xf32>
// CHECK:         hamkaas.conv {{.*}} dilations [2, 2]
// CHECK:         hamkaas.reshape %{{.*}} : tensor<1x2x1x16x30x64xf32> -> tensor<2x16x30x64xf32>
// CHECK:         hamkaas.winograd_output %{{.*}} to [14, 28] : tensor<6x6x2x4x7x64xf32>
// CHECK:         return %[[RESULT]]
// UNKNOWN-LABEL: func @dilated(
// UNKNOWN-NOT:   hamkaas.winograd_
// UNKNOWN:       return
func.func @dilated(%x: tensor<1x28x28x64xf32>, %y: tensor<1x27x28x64xf32>) -> (tensor<1x28x28x64xf32>, tensor<1x27x28x64xf32>, tensor<1x28x28x64xf32>) {
  %w = ml_program.global_load_const @w64 : tensor<3x3x64x64xf32>
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [2, 2] pad [2, 2] to [2, 2] groups 1 : tensor<1x28x28x64xf32>, tensor<3x3x64x64xf32>
  %1 = hamkaas.conv %y, %w strides [1, 1] dilations [2, 2] pad [2, 2] to [2, 2] groups 1 : tensor<1x27x28x64xf32>, tensor<3x3x64x64xf32>
  %2 = hamkaas.conv %x, %w strides [1, 1] dilations [2, 1] pad [2, 1] to [2, 1] groups 1 : tensor<1x28x28x64xf32>, tensor<3x3x64x64xf32>
  return %0, %1, %2 : tensor<1x28x28x64xf32>, tensor<1x27x28x64xf32>, tensor<1x28x28x64xf32>
}

// A window of 5 x 5 is four of 3 x 3, with zeros beyond it. The images are
// copied for each. Not for few channels. 4 x 4 windows have tiles of 3 x 3.

ml_program.global private @w5(#ml_program.extern<tensor<5x5x64x64xf32>>) : tensor<5x5x64x64xf32>
ml_program.global private @v5(#ml_program.extern<tensor<5x5x8x8xf32>>) : tensor<5x5x8x8xf32>
ml_program.global private @w4(#ml_program.extern<tensor<4x4x64x64xf32>>) : tensor<4x4x64x64xf32>
// CHECK-LABEL: func @windows(
// CHECK:         %[[W:.*]] = ml_program.global_load_const @w5
// CHECK:         hamkaas.group movement(%{{.*}}) {hamkaas.ops = "pad"} : (tensor<1x28x1792xf32>) -> tensor<1x33x2112xf32>
// CHECK:         %[[X:.*]] = hamkaas.reshape %{{.*}} : tensor<1x33x2112xf32> -> tensor<1x33x33x64xf32>
// CHECK:         %[[A:.*]] = hamkaas.strided_slice %[[X]] offsets [0, 0, 0, 0] sizes [1, 30, 30, 64]
// CHECK:         %[[B:.*]] = hamkaas.strided_slice %[[X]] offsets [0, 0, 3, 0] sizes [1, 30, 30, 64]
// CHECK:         %[[C:.*]] = hamkaas.strided_slice %[[X]] offsets [0, 3, 0, 0] sizes [1, 30, 30, 64]
// CHECK:         %[[D:.*]] = hamkaas.strided_slice %[[X]] offsets [0, 3, 3, 0] sizes [1, 30, 30, 64]
// CHECK:         %[[COPIES:.*]] = hamkaas.concat %[[A]], %[[B]], %[[C]], %[[D]] dim 3
// CHECK:         %[[PADDED:.*]] = hamkaas.pad %[[W]] low [0, 0, 0, 0] high [1, 1, 0, 0]
// CHECK:         %[[PARTS:.*]] = hamkaas.reshape %[[PADDED]] : tensor<6x6x64x64xf32> -> tensor<2x3x2x3x64x64xf32>
// CHECK:         %[[ORDERED:.*]] = hamkaas.permute %[[PARTS]][1, 3, 0, 2, 4, 5]
// CHECK:         hamkaas.reshape %[[ORDERED]] : tensor<3x3x2x2x64x64xf32> -> tensor<3x3x256x64xf32>
// CHECK:         hamkaas.winograd_input %[[COPIES]] tile 4 : tensor<1x30x30x256xf32>
// CHECK:         %[[Y:.*]] = hamkaas.winograd_output
// CHECK:         hamkaas.conv {{.*}} tensor<5x5x8x8xf32>
// CHECK:         hamkaas.winograd_input %{{.*}} tile 3 window [4, 4] : tensor<1x33x33x64xf32>
// CHECK:         hamkaas.winograd_output %{{.*}} window [4, 4] to [28, 28]
// CHECK:         return %[[Y]]
// UNKNOWN-LABEL: func @windows(
// UNKNOWN-NOT:   hamkaas.winograd_
// UNKNOWN:       return
func.func @windows(%x: tensor<1x28x28x64xf32>, %y: tensor<1x28x28x8xf32>) -> (tensor<1x28x28x64xf32>, tensor<1x28x28x8xf32>, tensor<1x28x28x64xf32>) {
  %w5 = ml_program.global_load_const @w5 : tensor<5x5x64x64xf32>
  %v5 = ml_program.global_load_const @v5 : tensor<5x5x8x8xf32>
  %w4 = ml_program.global_load_const @w4 : tensor<4x4x64x64xf32>
  %0 = hamkaas.conv %x, %w5 strides [1, 1] dilations [1, 1] pad [2, 2] to [2, 2] groups 1 : tensor<1x28x28x64xf32>, tensor<5x5x64x64xf32>
  %1 = hamkaas.conv %y, %v5 strides [1, 1] dilations [1, 1] pad [2, 2] to [2, 2] groups 1 : tensor<1x28x28x8xf32>, tensor<5x5x8x8xf32>
  %2 = hamkaas.conv %x, %w4 strides [1, 1] dilations [1, 1] pad [1, 1] to [2, 2] groups 1 : tensor<1x28x28x64xf32>, tensor<4x4x64x64xf32>
  return %0, %1, %2 : tensor<1x28x28x64xf32>, tensor<1x28x28x8xf32>, tensor<1x28x28x64xf32>
}

// Groups have matrices of their own, and images in the copy. Not with 8 channels
// each, whose transforms take as long as the products, nor with weights known at
// run time.

ml_program.global private @g(#ml_program.extern<tensor<3x3x32x128xf32>>) : tensor<3x3x32x128xf32>
ml_program.global private @g8(#ml_program.extern<tensor<3x3x8x128xf32>>) : tensor<3x3x8x128xf32>
// CHECK-LABEL: func @groups(
// CHECK:         %[[W:.*]] = hamkaas.reshape %{{.*}} : tensor<36x4096xf32> -> tensor<36x32x4x32xf32>
// CHECK:         %[[PERMUTED:.*]] = hamkaas.permute %[[W]][0, 2, 1, 3]
// CHECK:         %[[MATRICES:.*]] = hamkaas.reshape %[[PERMUTED]] : tensor<36x4x32x32xf32> -> tensor<144x32x32xf32>
// CHECK:         %[[COPY:.*]] = hamkaas.group movement(%{{.*}}) {hamkaas.ops = "permute+pad"} : (tensor<2x14x14x4x32xf32>) -> tensor<4x2x18x18x32xf32>
// CHECK:         %[[IMAGES:.*]] = hamkaas.reshape %[[COPY]] : tensor<4x2x18x18x32xf32> -> tensor<8x18x18x32xf32>
// CHECK:         %[[INPUT:.*]] = hamkaas.winograd_input %[[IMAGES]] tile 4 : tensor<8x18x18x32xf32>
// CHECK:         %[[TILES:.*]] = hamkaas.reshape %[[INPUT]] : tensor<6x6x8x4x4x32xf32> -> tensor<6x6x4x2x4x4x32xf32>
// CHECK:         %[[X:.*]] = hamkaas.reshape %[[TILES]] : tensor<6x6x4x2x4x4x32xf32> -> tensor<144x32x32xf32>
// CHECK:         %[[PRODUCT:.*]] = hamkaas.matmul %[[X]], %[[MATRICES]]
// CHECK:         %[[Y:.*]] = hamkaas.reshape %[[PRODUCT]] : tensor<144x32x32xf32> -> tensor<6x6x4x2x4x4x32xf32>
// CHECK:         hamkaas.winograd_output %[[Y]] to [14, 14] : tensor<6x6x4x2x4x4x32xf32>
// CHECK:         hamkaas.conv {{.*}} groups 16
// CHECK:         hamkaas.conv {{.*}} groups 4
// UNKNOWN-LABEL: func @groups(
// UNKNOWN-NOT:   hamkaas.winograd_
// UNKNOWN:       return
func.func @groups(%x: tensor<2x14x14x128xf32>, %w: tensor<3x3x32x128xf32>) -> (tensor<2x14x14x128xf32>, tensor<2x14x14x128xf32>, tensor<2x14x14x128xf32>) {
  %g = ml_program.global_load_const @g : tensor<3x3x32x128xf32>
  %g8 = ml_program.global_load_const @g8 : tensor<3x3x8x128xf32>
  %0 = hamkaas.conv %x, %g strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 4 : tensor<2x14x14x128xf32>, tensor<3x3x32x128xf32>
  %1 = hamkaas.conv %x, %g8 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 16 : tensor<2x14x14x128xf32>, tensor<3x3x8x128xf32>
  %2 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 4 : tensor<2x14x14x128xf32>, tensor<3x3x32x128xf32>
  return %0, %1, %2 : tensor<2x14x14x128xf32>, tensor<2x14x14x128xf32>, tensor<2x14x14x128xf32>
}

// Windows along one dimension have tiles along it, of 8 elements at most. Not
// those of 8 elements, nor those of 3 x 2.

ml_program.global private @w1x3(#ml_program.extern<tensor<1x3x64x64xf32>>) : tensor<1x3x64x64xf32>
ml_program.global private @w7x1(#ml_program.extern<tensor<7x1x64x64xf32>>) : tensor<7x1x64x64xf32>
ml_program.global private @w1x8(#ml_program.extern<tensor<1x8x64x64xf32>>) : tensor<1x8x64x64xf32>
ml_program.global private @w3x2(#ml_program.extern<tensor<3x2x64x64xf32>>) : tensor<3x2x64x64xf32>
// CHECK-LABEL: func @one_dimension(
// CHECK:         hamkaas.winograd_input %{{.*}} tile 6 window [1, 3] : tensor<1x28x32x64xf32>
// CHECK:         hamkaas.matmul %{{.*}}, %{{.*}} : tensor<8x140x64xf32>, tensor<8x64x64xf32>
// CHECK:         hamkaas.winograd_output %{{.*}} window [1, 3] to [28, 28] : tensor<1x8x1x28x5x64xf32>
// CHECK:         hamkaas.winograd_input %{{.*}} tile 2 window [7, 1] : tensor<1x34x28x64xf32>
// CHECK:         hamkaas.winograd_output %{{.*}} window [7, 1] : tensor<8x1x1x14x28x64xf32>
// CHECK:         hamkaas.conv {{.*}} tensor<1x8x64x64xf32>
// CHECK:         hamkaas.conv {{.*}} tensor<3x2x64x64xf32>
// UNKNOWN-LABEL: func @one_dimension(
// UNKNOWN-NOT:   hamkaas.winograd_
// UNKNOWN:       return
func.func @one_dimension(%x: tensor<1x28x28x64xf32>) -> (tensor<1x28x28x64xf32>, tensor<1x28x28x64xf32>, tensor<1x28x21x64xf32>, tensor<1x26x27x64xf32>) {
  %w1x3 = ml_program.global_load_const @w1x3 : tensor<1x3x64x64xf32>
  %w7x1 = ml_program.global_load_const @w7x1 : tensor<7x1x64x64xf32>
  %w1x8 = ml_program.global_load_const @w1x8 : tensor<1x8x64x64xf32>
  %w3x2 = ml_program.global_load_const @w3x2 : tensor<3x2x64x64xf32>
  %0 = hamkaas.conv %x, %w1x3 strides [1, 1] dilations [1, 1] pad [0, 1] to [0, 1] groups 1 : tensor<1x28x28x64xf32>, tensor<1x3x64x64xf32>
  %1 = hamkaas.conv %x, %w7x1 strides [1, 1] dilations [1, 1] pad [3, 0] to [3, 0] groups 1 : tensor<1x28x28x64xf32>, tensor<7x1x64x64xf32>
  %2 = hamkaas.conv %x, %w1x8 strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x28x28x64xf32>, tensor<1x8x64x64xf32>
  %3 = hamkaas.conv %x, %w3x2 strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x28x28x64xf32>, tensor<3x2x64x64xf32>
  return %0, %1, %2, %3 : tensor<1x28x28x64xf32>, tensor<1x28x28x64xf32>, tensor<1x28x21x64xf32>, tensor<1x26x27x64xf32>
}

// Sequences are images of one row, also with a dilation. The bias stands between
// the convolution and the reshape of its result.

ml_program.global private @w3(#ml_program.extern<tensor<3x64x64xf32>>) : tensor<3x64x64xf32>
// CHECK-LABEL: func @sequences(
// CHECK-SAME:      %[[X:[^:]*]]: tensor<1x120x64xf32>, %[[B:[^:]*]]: tensor<1x120x64xf32>
// CHECK:         %[[ROW:.*]] = hamkaas.reshape %[[X]] : tensor<1x120x64xf32> -> tensor<1x1x120x64xf32>
// CHECK:         hamkaas.winograd_input %{{.*}} tile 6 window [1, 3] : tensor<1x1x122x64xf32>
// CHECK:         %[[Y:.*]] = hamkaas.winograd_output %{{.*}} window [1, 3] : tensor<1x8x1x1x20x64xf32>
// CHECK:         %[[SUM:.*]] = hamkaas.add %[[Y]], %{{.*}} : tensor<1x1x120x64xf32>, tensor<1x1x120x64xf32>
// CHECK:         hamkaas.reshape %[[SUM]] : tensor<1x1x120x64xf32> -> tensor<1x120x64xf32>
// CHECK:         hamkaas.reshape %{{.*}} : tensor<1x1x4x1x32x64xf32> -> tensor<4x1x32x64xf32>
// CHECK:         hamkaas.winograd_input %{{.*}} tile 6 window [1, 3] : tensor<4x1x32x64xf32>
// CHECK:         hamkaas.winograd_output %{{.*}} window [1, 3] : tensor<1x8x4x1x5x64xf32>
// CHECK:         return
// UNKNOWN-LABEL: func @sequences(
// UNKNOWN-NOT:   hamkaas.winograd_
// UNKNOWN:       return
func.func @sequences(%x: tensor<1x120x64xf32>, %b: tensor<1x120x64xf32>) -> (tensor<1x120x64xf32>, tensor<1x120x64xf32>) {
  %w = ml_program.global_load_const @w3 : tensor<3x64x64xf32>
  %0 = hamkaas.conv %x, %w strides [1] dilations [1] pad [1] to [1] groups 1 : tensor<1x120x64xf32>, tensor<3x64x64xf32>
  %1 = hamkaas.add %0, %b : tensor<1x120x64xf32>, tensor<1x120x64xf32>
  %2 = hamkaas.conv %x, %w strides [1] dilations [4] pad [4] to [4] groups 1 : tensor<1x120x64xf32>, tensor<3x64x64xf32>
  return %1, %2 : tensor<1x120x64xf32>, tensor<1x120x64xf32>
}

// With strides of 2, even and odd rows and columns are channels of a window of
// half the size. Not where a row before the last padded one is not read.

ml_program.global private @s4(#ml_program.extern<tensor<4x4x64x64xf32>>) : tensor<4x4x64x64xf32>
// CHECK-LABEL: func @strides(
// CHECK-SAME:      %[[X:[^:]*]]: tensor<1x64x64x64xf32>
// CHECK:         %[[W:.*]] = ml_program.global_load_const @s4
// CHECK:         hamkaas.group movement(%{{.*}}) {hamkaas.ops = "pad"} : (tensor<1x64x4096xf32>) -> tensor<1x66x4224xf32>
// CHECK:         %[[ROWS:.*]] = hamkaas.reshape %{{.*}} : tensor<1x66x66x64xf32> -> tensor<1x33x2x33x2x64xf32>
// CHECK:         %[[PHASES:.*]] = hamkaas.permute %[[ROWS]][0, 1, 3, 2, 4, 5]
// CHECK:         hamkaas.reshape %[[PHASES]] : tensor<1x33x33x2x2x64xf32> -> tensor<1x33x33x256xf32>
// CHECK:         hamkaas.winograd_input %{{.*}} tile 4 window [2, 2] : tensor<1x33x33x256xf32>
// CHECK:         %[[Y:.*]] = hamkaas.winograd_output %{{.*}} window [2, 2] : tensor<5x5x1x8x8x64xf32>
// CHECK:         hamkaas.conv {{.*}} tensor<1x67x64x64xf32>
// CHECK:         return %[[Y]]
// UNKNOWN-LABEL: func @strides(
// UNKNOWN-NOT:   hamkaas.winograd_
// UNKNOWN:       return
func.func @strides(%x: tensor<1x64x64x64xf32>, %y: tensor<1x67x64x64xf32>) -> (tensor<1x32x32x64xf32>, tensor<1x32x31x64xf32>) {
  %s4 = ml_program.global_load_const @s4 : tensor<4x4x64x64xf32>
  %0 = hamkaas.conv %x, %s4 strides [2, 2] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x64x64x64xf32>, tensor<4x4x64x64xf32>
  %1 = hamkaas.conv %y, %s4 strides [2, 2] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x67x64x64xf32>, tensor<4x4x64x64xf32>
  return %0, %1 : tensor<1x32x32x64xf32>, tensor<1x32x31x64xf32>
}

// 3 x 3 windows with strides of 2 are sums of windows of 2 x 2, 2 x 1, 1 x 2 and
// 1 x 1 of every second row and column of a padded copy, which ends with the
// last tile. One matrix transforms all weights: 25, 8 and 8 elements, and the
// one in the middle. Not where few channels are left.

ml_program.global private @s3(#ml_program.extern<tensor<3x3x64x128xf32>>) : tensor<3x3x64x128xf32>
ml_program.global private @s16(#ml_program.extern<tensor<3x3x16x16xf32>>) : tensor<3x3x16x16xf32>
// CHECK-LABEL: func @phases(
// CHECK-SAME:      %[[X:[^:]*]]: tensor<1x56x56x64xf32>
// CHECK:         %[[W:.*]] = ml_program.global_load_const @s3
// CHECK:         %[[G:.*]] = hamkaas.constant dense<{{.*}}> : tensor<42x9xf32>
// CHECK:         %[[ROWS:.*]] = hamkaas.reshape %[[W]]
// CHECK:         %[[PRODUCT:.*]] = hamkaas.matmul %[[G]], %[[ROWS]]
// CHECK:         %[[U:.*]] = hamkaas.reshape %[[PRODUCT]] : tensor<42x8192xf32> -> tensor<42x64x128xf32>
// CHECK:         hamkaas.group movement({{.*}}"pad"} : (tensor<1x56x3584xf32>) -> tensor<1x57x3648xf32>
// CHECK:         %[[PADDED:.*]] = hamkaas.reshape %{{.*}} -> tensor<1x57x57x64xf32>
// CHECK:         %[[UBOTH:.*]] = hamkaas.slice %[[U]][0, 25]
// CHECK:         %[[ODD:.*]] = hamkaas.strided_slice %[[PADDED]] offsets [0, 0, 0, 0] sizes [1, 29, 29, 64] strides [1, 2, 2, 1]
// CHECK:         hamkaas.winograd_input %[[ODD]] tile 4 window [2, 2]
// CHECK:         hamkaas.matmul %{{.*}}, %[[UBOTH]]
// CHECK:         %[[BOTH:.*]] = hamkaas.winograd_output %{{.*}} window [2, 2] : tensor<5x5x1x7x7x128xf32>
// CHECK:         hamkaas.slice %[[U]][25, 33]
// CHECK:         hamkaas.strided_slice %[[PADDED]] offsets [0, 0, 1, 0] sizes [1, 29, 28, 64]
// CHECK:         hamkaas.winograd_input %{{.*}} tile 7 window [2, 1]
// CHECK:         %[[ROWS:.*]] = hamkaas.winograd_output
// CHECK:         hamkaas.slice %[[U]][33, 41]
// CHECK:         hamkaas.strided_slice %[[PADDED]] offsets [0, 1, 0, 0] sizes [1, 28, 29, 64]
// CHECK:         hamkaas.winograd_input %{{.*}} tile 7 window [1, 2]
// CHECK:         %[[COLUMNS:.*]] = hamkaas.winograd_output
// CHECK:         %[[UONE:.*]] = hamkaas.slice %[[U]][41, 42]
// CHECK:         %[[EVEN:.*]] = hamkaas.strided_slice %[[PADDED]] offsets [0, 1, 1, 0] sizes [1, 28, 28, 64]
// CHECK:         %[[TAP:.*]] = hamkaas.reshape %[[UONE]] : tensor<1x64x128xf32> -> tensor<1x1x64x128xf32>
// CHECK:         %[[SUM:.*]] = hamkaas.conv %[[EVEN]], %[[TAP]] strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0]
// CHECK:         %[[TWO:.*]] = hamkaas.add %[[SUM]], %[[COLUMNS]]
// CHECK:         %[[THREE:.*]] = hamkaas.add %[[TWO]], %[[ROWS]]
// CHECK:         %[[Y:.*]] = hamkaas.add %[[THREE]], %[[BOTH]]
// CHECK:         hamkaas.conv {{.*}} strides [2, 2]
// CHECK:         return %[[Y]]
// SMALL-LABEL: func @phases(
// SMALL-NOT:     hamkaas.strided_slice
// SMALL:         return
// UNKNOWN-LABEL: func @phases(
// UNKNOWN-NOT:   hamkaas.strided_slice
// UNKNOWN:       return
func.func @phases(%x: tensor<1x56x56x64xf32>, %z: tensor<1x20x20x16xf32>) -> (tensor<1x28x28x128xf32>, tensor<1x10x10x16xf32>) {
  %s3 = ml_program.global_load_const @s3 : tensor<3x3x64x128xf32>
  %s16 = ml_program.global_load_const @s16 : tensor<3x3x16x16xf32>
  %0 = hamkaas.conv %x, %s3 strides [2, 2] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x56x56x64xf32>, tensor<3x3x64x128xf32>
  %1 = hamkaas.conv %z, %s16 strides [2, 2] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x20x20x16xf32>, tensor<3x3x16x16xf32>
  return %0, %1 : tensor<1x28x28x128xf32>, tensor<1x10x10x16xf32>
}
