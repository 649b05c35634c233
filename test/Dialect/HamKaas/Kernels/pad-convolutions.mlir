// RUN: hamkaas-opt %s -hamkaas-pad-convolutions | FileCheck %s --check-prefixes=CHECK,APART
// RUN: hamkaas-opt %s -hamkaas-pad-convolutions=permutes=true | FileCheck %s --check-prefixes=CHECK,TOGETHER

// The last spatial dimension is padded together with the channels. The rows of
// zeros, one before and one behind, are noted.

// CHECK-LABEL: func @padded(
// CHECK-SAME:    %[[X:.*]]: tensor<1x5x6x4xf32>, %[[W:.*]]: tensor<3x3x4x8xf32>
// CHECK-NEXT:    %[[ROWS:.*]] = hamkaas.reshape %[[X]] : tensor<1x5x6x4xf32> -> tensor<1x5x24xf32>
// CHECK-NEXT:    %[[COPY:.*]] = hamkaas.group movement(%[[ROWS]]) {hamkaas.ops = "pad"} : (tensor<1x5x24xf32>) -> tensor<1x7x36xf32>
// CHECK:           tensor.pad %{{.*}} low[0, 1, 4] high[0, 1, 8]
// CHECK:         %[[PADDED:.*]] = hamkaas.reshape %[[COPY]] : tensor<1x7x36xf32> -> tensor<1x7x9x4xf32>
// CHECK-NEXT:    hamkaas.conv %[[PADDED]], %[[W]] strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 {hamkaas.zero_rows = array<i64: 1, 1>}
func.func @padded(%x: tensor<1x5x6x4xf32>, %w: tensor<3x3x4x8xf32>) -> tensor<1x5x7x8xf32> {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 2] groups 1 : tensor<1x5x6x4xf32>, tensor<3x3x4x8xf32>
  return %0 : tensor<1x5x7x8xf32>
}

// Columns of zeros are not.

// CHECK-LABEL: func @columns(
// CHECK:         hamkaas.group movement
// CHECK-NOT:     hamkaas.zero_rows
// CHECK:         return
func.func @columns(%x: tensor<1x5x6x4xf32>, %w: tensor<3x3x4x8xf32>) -> tensor<1x3x6x8xf32> {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 1] to [0, 1] groups 1 : tensor<1x5x6x4xf32>, tensor<3x3x4x8xf32>
  return %0 : tensor<1x3x6x8xf32>
}

// A copy many times as large as operand and result is not made.

// CHECK-LABEL: func @far(
// CHECK-NOT:     hamkaas.group
// CHECK:         return
func.func @far(%x: tensor<1x4x3xf32>, %w: tensor<1x3x2xf32>) -> tensor<1x2x2xf32> {
  %0 = hamkaas.conv %x, %w strides [1048576] dilations [1] pad [1048576] to [0] groups 1 : tensor<1x4x3xf32>, tensor<1x3x2xf32>
  return %0 : tensor<1x2x2xf32>
}

// A depthwise convolution leaves out what lies outside.

// CHECK-LABEL: func @depthwise(
// CHECK-NOT:     hamkaas.group
// CHECK:         return
func.func @depthwise(%x: tensor<1x5x4xf32>, %w: tensor<3x1x4xf32>) -> tensor<1x5x4xf32> {
  %0 = hamkaas.conv %x, %w strides [1] dilations [1] pad [1] to [1] groups 4 : tensor<1x5x4xf32>, tensor<3x1x4xf32>
  return %0 : tensor<1x5x4xf32>
}

// Nothing to do without padding; other types ask for each position.

// CHECK-LABEL: func @others(
// CHECK-NOT:     hamkaas.group
// CHECK:         return
func.func @others(%x: tensor<1x5x4xf32>, %w: tensor<3x4x8xf32>, %y: tensor<1x5x4xf64>, %v: tensor<3x4x8xf64>) -> (tensor<1x3x8xf32>, tensor<1x5x8xf64>) {
  %0 = hamkaas.conv %x, %w strides [1] dilations [1] pad [0] to [0] groups 1 : tensor<1x5x4xf32>, tensor<3x4x8xf32>
  %1 = hamkaas.conv %y, %v strides [1] dilations [1] pad [1] to [1] groups 1 : tensor<1x5x4xf64>, tensor<3x4x8xf64>
  return %0, %1 : tensor<1x3x8xf32>, tensor<1x5x8xf64>
}

// The copy of an image whose channels come first may permute it.

// CHECK-LABEL: func @channels_first(
// APART:         hamkaas.permute
// APART:         hamkaas.group movement(%{{.*}}) {hamkaas.ops = "pad"}
// TOGETHER-SAME:   %[[X:.*]]: tensor<1x4x5x6xf32>
// TOGETHER-NEXT:   %[[COPY:.*]] = hamkaas.group movement(%[[X]]) {hamkaas.ops = "permute+pad"} : (tensor<1x4x5x6xf32>) -> tensor<1x7x9x4xf32>
// TOGETHER:          %[[LAST:.*]] = hamkaas.permute %{{.*}}[0, 2, 3, 1] : tensor<1x4x5x6xf32>
// TOGETHER:          tensor.pad %[[LAST]] low[0, 1, 1, 0] high[0, 1, 2, 0]
// CHECK:         hamkaas.conv
func.func @channels_first(%x: tensor<1x4x5x6xf32>, %w: tensor<3x3x4x8xf32>) -> tensor<1x5x7x8xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x4x5x6xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 2] groups 1 : tensor<1x5x6x4xf32>, tensor<3x3x4x8xf32>
  return %1 : tensor<1x5x7x8xf32>
}

// One that others read is permuted once for all.

// CHECK-LABEL: func @two_readers(
// CHECK:         hamkaas.permute
// CHECK:         hamkaas.group movement(%{{.*}}) {hamkaas.ops = "pad"}
// CHECK:         return
func.func @two_readers(%x: tensor<1x4x5x6xf32>, %w: tensor<3x3x4x8xf32>) -> (tensor<1x5x6x8xf32>, tensor<1x5x6x4xf32>) {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x4x5x6xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x5x6x4xf32>, tensor<3x3x4x8xf32>
  %2 = hamkaas.relu %0 : tensor<1x5x6x4xf32>
  return %1, %2 : tensor<1x5x6x8xf32>, tensor<1x5x6x4xf32>
}

// Groups of channels that fill lines are images of their own in a copy that may
// permute, here of channels that come first and of others.

// CHECK-LABEL: func @groups(
// APART:         hamkaas.group movement(%{{.*}}) {hamkaas.ops = "pad"} : (tensor<2x5x192xf32>) -> tensor<2x7x288xf32>
// APART:         hamkaas.group movement(%{{.*}}) {hamkaas.ops = "pad"} : (tensor<2x5x192xf32>) -> tensor<2x7x288xf32>
// TOGETHER-SAME:   %[[X:.*]]: tensor<2x32x5x6xf32>, %[[Y:.*]]: tensor<2x5x6x32xf32>, %[[W:.*]]: tensor<3x3x16x64xf32>
// TOGETHER-NEXT:   %[[FIRST:.*]] = hamkaas.reshape %[[X]] : tensor<2x32x5x6xf32> -> tensor<2x2x16x5x6xf32>
// TOGETHER-NEXT:   %[[COPY:.*]] = hamkaas.group movement(%[[FIRST]]) {hamkaas.ops = "permute+pad"} : (tensor<2x2x16x5x6xf32>) -> tensor<2x2x7x9x16xf32>
// TOGETHER:          %[[MOVED:.*]] = hamkaas.permute %{{.*}}[1, 0, 3, 4, 2] : tensor<2x2x16x5x6xf32>
// TOGETHER:          tensor.pad %[[MOVED]] low[0, 0, 1, 1, 0] high[0, 0, 1, 2, 0]
// TOGETHER:        %[[BACK:.*]] = hamkaas.permute %[[COPY]][1, 2, 3, 0, 4] : tensor<2x2x7x9x16xf32>
// TOGETHER-NEXT:   %[[READ:.*]] = hamkaas.reshape %[[BACK]] : tensor<2x7x9x2x16xf32> -> tensor<2x7x9x32xf32>
// TOGETHER-NEXT:   hamkaas.conv %[[READ]], %[[W]] strides [2, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 2
// TOGETHER-NEXT:   %[[LAST:.*]] = hamkaas.reshape %[[Y]] : tensor<2x5x6x32xf32> -> tensor<2x5x6x2x16xf32>
// TOGETHER-NEXT:   hamkaas.group movement(%[[LAST]]) {hamkaas.ops = "permute+pad"} : (tensor<2x5x6x2x16xf32>) -> tensor<2x2x7x9x16xf32>
// TOGETHER:          hamkaas.permute %{{.*}}[3, 0, 1, 2, 4] : tensor<2x5x6x2x16xf32>
func.func @groups(%x: tensor<2x32x5x6xf32>, %y: tensor<2x5x6x32xf32>, %w: tensor<3x3x16x64xf32>) -> (tensor<2x3x7x64xf32>, tensor<2x3x7x64xf32>) {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<2x32x5x6xf32>
  %1 = hamkaas.conv %0, %w strides [2, 1] dilations [1, 1] pad [1, 1] to [1, 2] groups 2 : tensor<2x5x6x32xf32>, tensor<3x3x16x64xf32>
  %2 = hamkaas.conv %y, %w strides [2, 1] dilations [1, 1] pad [1, 1] to [1, 2] groups 2 : tensor<2x5x6x32xf32>, tensor<3x3x16x64xf32>
  return %1, %2 : tensor<2x3x7x64xf32>, tensor<2x3x7x64xf32>
}

// Not groups of few channels.

// CHECK-LABEL: func @small_groups(
// CHECK:         hamkaas.group movement(%{{.*}}) {hamkaas.ops = "pad"}
func.func @small_groups(%x: tensor<2x5x6x32xf32>, %w: tensor<3x3x8x64xf32>) -> tensor<2x5x6x64xf32> {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 4 : tensor<2x5x6x32xf32>, tensor<3x3x8x64xf32>
  return %0 : tensor<2x5x6x64xf32>
}
