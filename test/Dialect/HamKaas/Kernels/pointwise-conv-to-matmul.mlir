// RUN: hamkaas-opt %s -hamkaas-pointwise-conv-to-matmul | FileCheck %s --check-prefixes=CHECK,SINGLE
// RUN: hamkaas-opt %s -hamkaas-pointwise-conv-to-matmul=batches=true | FileCheck %s --check-prefixes=CHECK,SEVERAL

// Positions are rows, channels columns. The bias and what follows work on the
// product in its own shape.

// CHECK-LABEL: func @pointwise(
// CHECK-SAME:    %[[X:.*]]: tensor<2x5x6x4xf32>, %[[W:.*]]: tensor<1x1x4x8xf32>, %[[B:.*]]: tensor<1x1x1x8xf32>, %[[Y:.*]]: tensor<2x5x6x8xf32>
// CHECK-DAG:     %[[LEFT:.*]] = hamkaas.reshape %[[X]] : tensor<2x5x6x4xf32> -> tensor<60x4xf32>
// CHECK-DAG:     %[[RIGHT:.*]] = hamkaas.reshape %[[W]] : tensor<1x1x4x8xf32> -> tensor<4x8xf32>
// CHECK:         %[[PRODUCT:.*]] = hamkaas.matmul %[[LEFT]], %[[RIGHT]]
// CHECK:         %[[BIAS:.*]] = hamkaas.reshape %[[B]] : tensor<1x1x1x8xf32> -> tensor<1x8xf32>
// CHECK:         %[[SUM:.*]] = hamkaas.add %[[PRODUCT]], %[[BIAS]] : tensor<60x8xf32>
// CHECK:         %[[OTHER:.*]] = hamkaas.reshape %[[Y]] : tensor<2x5x6x8xf32> -> tensor<60x8xf32>
// CHECK:         %[[BOTH:.*]] = hamkaas.add %[[SUM]], %[[OTHER]] : tensor<60x8xf32>
// CHECK:         hamkaas.reshape %[[BOTH]] : tensor<60x8xf32> -> tensor<2x5x6x8xf32>
func.func @pointwise(%x: tensor<2x5x6x4xf32>, %w: tensor<1x1x4x8xf32>, %b: tensor<1x1x1x8xf32>, %y: tensor<2x5x6x8xf32>) -> tensor<2x5x6x8xf32> {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<2x5x6x4xf32>, tensor<1x1x4x8xf32>
  %1 = hamkaas.add %0, %b : tensor<2x5x6x8xf32>, tensor<1x1x1x8xf32>
  %2 = hamkaas.add %1, %y : tensor<2x5x6x8xf32>, tensor<2x5x6x8xf32>
  return %2 : tensor<2x5x6x8xf32>
}

// With strides, some of the positions.

// CHECK-LABEL: func @strided(
// CHECK:         %[[TAKEN:.*]] = hamkaas.strided_slice %{{.*}} offsets [0, 0, 0, 0] sizes [1, 3, 2, 4] strides [1, 2, 3, 1] : tensor<1x5x6x4xf32>
// CHECK:         %[[LEFT:.*]] = hamkaas.reshape %[[TAKEN]] : tensor<1x3x2x4xf32> -> tensor<6x4xf32>
// CHECK:         hamkaas.matmul %[[LEFT]]
func.func @strided(%x: tensor<1x5x6x4xf32>, %w: tensor<1x1x4x8xf32>) -> tensor<1x3x2x8xf32> {
  %0 = hamkaas.conv %x, %w strides [2, 3] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x5x6x4xf32>, tensor<1x1x4x8xf32>
  return %0 : tensor<1x3x2x8xf32>
}

// An image whose channels come first stays so.

// CHECK-LABEL: func @channels_first(
// CHECK-SAME:    %[[X:.*]]: tensor<1x4x5x6xf32>, %[[W:.*]]: tensor<1x1x4x8xf32>
// CHECK-DAG:     %[[RIGHT:.*]] = hamkaas.reshape %[[X]] : tensor<1x4x5x6xf32> -> tensor<4x30xf32>
// CHECK-DAG:     %[[WEIGHTS:.*]] = hamkaas.reshape %[[W]] : tensor<1x1x4x8xf32> -> tensor<4x8xf32>
// CHECK-DAG:     %[[LEFT:.*]] = hamkaas.permute %[[WEIGHTS]][1, 0]
// CHECK:         %[[PRODUCT:.*]] = hamkaas.matmul %[[LEFT]], %[[RIGHT]]
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.reshape %[[PRODUCT]] : tensor<8x30xf32> -> tensor<1x8x5x6xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @channels_first(%x: tensor<1x4x5x6xf32>, %w: tensor<1x1x4x8xf32>) -> tensor<1x8x5x6xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x4x5x6xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x5x6x4xf32>, tensor<1x1x4x8xf32>
  %2 = hamkaas.permute %1 [0, 3, 1, 2] : tensor<1x5x6x8xf32>
  return %2 : tensor<1x8x5x6xf32>
}

// With what follows it: numbers a channel are reshaped, and another image is
// read as it was before its permute.

// CHECK-LABEL: func @channels_first_with_activation(
// CHECK-SAME:    %[[X:.*]]: tensor<1x4x5x6xf32>, %[[W:.*]]: tensor<1x1x4x8xf32>, %[[B:.*]]: tensor<1x1x1x8xf32>, %[[Z:.*]]: tensor<1x8x5x6xf32>
// CHECK:         %[[PRODUCT:.*]] = hamkaas.matmul %{{.*}} : tensor<8x4xf32>, tensor<4x30xf32>
// CHECK:         %[[FIRST:.*]] = hamkaas.reshape %[[B]] : tensor<1x1x1x8xf32> -> tensor<1x8x1x1xf32>
// CHECK:         %[[BIAS:.*]] = hamkaas.reshape %[[FIRST]] : tensor<1x8x1x1xf32> -> tensor<8x1xf32>
// CHECK:         %[[SUM:.*]] = hamkaas.add %[[PRODUCT]], %[[BIAS]] : tensor<8x30xf32>, tensor<8x1xf32>
// CHECK:         %[[OTHER:.*]] = hamkaas.reshape %[[Z]] : tensor<1x8x5x6xf32> -> tensor<8x30xf32>
// CHECK:         %[[BOTH:.*]] = hamkaas.add %[[OTHER]], %[[SUM]]
// CHECK:         %[[Y:.*]] = hamkaas.relu %[[BOTH]]
// CHECK-NOT:     hamkaas.permute
// CHECK:         return
func.func @channels_first_with_activation(%x: tensor<1x4x5x6xf32>, %w: tensor<1x1x4x8xf32>, %b: tensor<1x1x1x8xf32>, %z: tensor<1x8x5x6xf32>) -> tensor<1x8x5x6xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x4x5x6xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x5x6x4xf32>, tensor<1x1x4x8xf32>
  %2 = hamkaas.add %1, %b : tensor<1x5x6x8xf32>, tensor<1x1x1x8xf32>
  %3 = hamkaas.permute %z [0, 2, 3, 1] : tensor<1x8x5x6xf32>
  %4 = hamkaas.add %3, %2 : tensor<1x5x6x8xf32>, tensor<1x5x6x8xf32>
  %5 = hamkaas.relu %4 : tensor<1x5x6x8xf32>
  %6 = hamkaas.permute %5 [0, 3, 1, 2] : tensor<1x5x6x8xf32>
  return %6 : tensor<1x8x5x6xf32>
}

// CHECK-LABEL: func @channels_first_with_leaky_relu(
// CHECK:         %[[PRODUCT:.*]] = hamkaas.matmul %{{.*}} : tensor<8x4xf32>, tensor<4x30xf32>
// CHECK:         hamkaas.select
// CHECK-NOT:     hamkaas.permute
// CHECK:         return
func.func @channels_first_with_leaky_relu(%x: tensor<1x4x5x6xf32>, %w: tensor<1x1x4x8xf32>, %a: tensor<1x1x1x8xf32>) -> tensor<1x8x5x6xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x4x5x6xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x5x6x4xf32>, tensor<1x1x4x8xf32>
  %2 = hamkaas.mul %1, %a : tensor<1x5x6x8xf32>, tensor<1x1x1x8xf32>
  %3 = hamkaas.compare lt %1, %2 : tensor<1x5x6x8xf32>, tensor<1x5x6x8xf32>
  %4 = hamkaas.select %3, %2, %1 : tensor<1x5x6x8xi1>, tensor<1x5x6x8xf32>, tensor<1x5x6x8xf32>
  %5 = hamkaas.permute %4 [0, 3, 1, 2] : tensor<1x5x6x8xf32>
  return %5 : tensor<1x8x5x6xf32>
}

// With strides, positions are taken before anything else.

// CHECK-LABEL: func @channels_first_strided(
// CHECK-SAME:    %[[X:.*]]: tensor<1x4x9x8xf32>
// CHECK:         %[[TAKEN:.*]] = hamkaas.strided_slice %[[X]] offsets [0, 0, 0, 0] sizes [1, 4, 5, 3] strides [1, 1, 2, 3] : tensor<1x4x9x8xf32>
// CHECK:         %[[RIGHT:.*]] = hamkaas.reshape %[[TAKEN]] : tensor<1x4x5x3xf32> -> tensor<4x15xf32>
// CHECK:         hamkaas.matmul %{{.*}}, %[[RIGHT]]
// CHECK-NOT:     hamkaas.permute
// CHECK:         return
func.func @channels_first_strided(%x: tensor<1x4x9x8xf32>, %w: tensor<1x1x4x8xf32>) -> tensor<1x8x5x3xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x4x9x8xf32>
  %1 = hamkaas.conv %0, %w strides [2, 3] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x9x8x4xf32>, tensor<1x1x4x8xf32>
  %2 = hamkaas.permute %1 [0, 3, 1, 2] : tensor<1x5x3x8xf32>
  return %2 : tensor<1x8x5x3xf32>
}

// Not if the positions, 49, would leave much of four vectors of 16 unused.

// CHECK-LABEL: func @few_positions(
// CHECK:         hamkaas.permute %{{.*}}[0, 2, 3, 1]
// CHECK:         hamkaas.matmul %{{.*}} : tensor<49x4xf32>, tensor<4x8xf32>
// CHECK:         hamkaas.permute %{{.*}}[0, 3, 1, 2]
// CHECK:         return
func.func @few_positions(%x: tensor<1x4x7x7xf32>, %w: tensor<1x1x4x8xf32>) -> tensor<1x8x7x7xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x4x7x7xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x7x7x4xf32>, tensor<1x1x4x8xf32>
  %2 = hamkaas.permute %1 [0, 3, 1, 2] : tensor<1x7x7x8xf32>
  return %2 : tensor<1x8x7x7xf32>
}

// Another image may be read twice.

// CHECK-LABEL: func @other_image_twice(
// CHECK-NOT:     hamkaas.permute %{{.*}}[0
// CHECK:         hamkaas.select
// CHECK:         return
func.func @other_image_twice(%x: tensor<1x4x5x6xf32>, %w: tensor<1x1x4x8xf32>, %z: tensor<1x8x5x6xf32>, %b: tensor<1x1x1x8xf32>) -> tensor<1x8x5x6xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x4x5x6xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x5x6x4xf32>, tensor<1x1x4x8xf32>
  %2 = hamkaas.permute %z [0, 2, 3, 1] : tensor<1x8x5x6xf32>
  %3 = hamkaas.compare lt %1, %b : tensor<1x5x6x8xf32>, tensor<1x1x1x8xf32>
  %4 = hamkaas.select %3, %2, %2 : tensor<1x5x6x8xi1>, tensor<1x5x6x8xf32>, tensor<1x5x6x8xf32>
  %5 = hamkaas.permute %4 [0, 3, 1, 2] : tensor<1x5x6x8xf32>
  return %5 : tensor<1x8x5x6xf32>
}

// Not if an operation that nothing reads stands behind the permute.

// CHECK-LABEL: func @unused(
// CHECK:         hamkaas.permute %{{.*}}[0, 2, 3, 1]
// CHECK:         hamkaas.permute %{{.*}}[0, 3, 1, 2]
// CHECK:         return
func.func @unused(%x: tensor<1x4x5x6xf32>, %w: tensor<1x1x4x8xf32>, %z: tensor<1x8x5x6xf32>) -> tensor<1x8x5x6xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x4x5x6xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x5x6x4xf32>, tensor<1x1x4x8xf32>
  %2 = hamkaas.permute %1 [0, 3, 1, 2] : tensor<1x5x6x8xf32>
  %3 = hamkaas.relu %z : tensor<1x8x5x6xf32>
  %4 = hamkaas.permute %3 [0, 2, 3, 1] : tensor<1x8x5x6xf32>
  %5 = hamkaas.add %1, %4 : tensor<1x5x6x8xf32>, tensor<1x5x6x8xf32>
  return %2 : tensor<1x8x5x6xf32>
}

// Not if another image has its channels last, nor if its sum has a second use.

// CHECK-LABEL: func @channels_last(
// CHECK:         hamkaas.permute %{{.*}}[0, 2, 3, 1]
// CHECK:         hamkaas.matmul %{{.*}} : tensor<30x4xf32>, tensor<4x8xf32>
// CHECK:         hamkaas.permute %{{.*}}[0, 3, 1, 2]
// CHECK:         return
func.func @channels_last(%x: tensor<1x4x5x6xf32>, %w: tensor<1x1x4x8xf32>, %z: tensor<1x5x6x8xf32>) -> tensor<1x8x5x6xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x4x5x6xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x5x6x4xf32>, tensor<1x1x4x8xf32>
  %2 = hamkaas.mul %1, %z : tensor<1x5x6x8xf32>, tensor<1x5x6x8xf32>
  %3 = hamkaas.permute %2 [0, 3, 1, 2] : tensor<1x5x6x8xf32>
  return %3 : tensor<1x8x5x6xf32>
}

// CHECK-LABEL: func @two_uses(
// CHECK:         hamkaas.permute %{{.*}}[0, 2, 3, 1]
// CHECK:         hamkaas.permute %{{.*}}[0, 3, 1, 2]
// CHECK:         return
func.func @two_uses(%x: tensor<1x4x5x6xf32>, %w: tensor<1x1x4x8xf32>) -> (tensor<1x8x5x6xf32>, tensor<1x5x6x8xf32>) {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x4x5x6xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x5x6x4xf32>, tensor<1x1x4x8xf32>
  %2 = hamkaas.permute %1 [0, 3, 1, 2] : tensor<1x5x6x8xf32>
  return %2, %1 : tensor<1x8x5x6xf32>, tensor<1x5x6x8xf32>
}

// Several images repeat the weights.

// CHECK-LABEL: func @images(
// SINGLE:         hamkaas.permute %{{.*}}[0, 2, 3, 1]
// SINGLE:         hamkaas.permute %{{.*}}[0, 3, 1, 2]
// SEVERAL:         %[[W:.*]] = hamkaas.permute %{{.*}}[1, 0] : tensor<4x8xf32>
// SEVERAL:         %[[ALONE:.*]] = hamkaas.reshape %[[W]] : tensor<8x4xf32> -> tensor<1x8x4xf32>
// SEVERAL:         %[[LEFT:.*]] = hamkaas.broadcast %[[ALONE]] : tensor<1x8x4xf32> -> tensor<3x8x4xf32>
// SEVERAL:         %[[RIGHT:.*]] = hamkaas.reshape %{{.*}} : tensor<3x4x5x6xf32> -> tensor<3x4x30xf32>
// SEVERAL:         %[[PRODUCT:.*]] = hamkaas.matmul %[[LEFT]], %[[RIGHT]]
// SEVERAL:         %[[Y:.*]] = hamkaas.relu %[[PRODUCT]] : tensor<3x8x30xf32>
// SEVERAL:         hamkaas.reshape %[[Y]] : tensor<3x8x30xf32> -> tensor<3x8x5x6xf32>
// CHECK:         return
func.func @images(%x: tensor<3x4x5x6xf32>, %w: tensor<1x1x4x8xf32>) -> tensor<3x8x5x6xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<3x4x5x6xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<3x5x6x4xf32>, tensor<1x1x4x8xf32>
  %2 = hamkaas.relu %1 : tensor<3x5x6x8xf32>
  %3 = hamkaas.permute %2 [0, 3, 1, 2] : tensor<3x5x6x8xf32>
  return %3 : tensor<3x8x5x6xf32>
}

// The groups of an image are a batch of products.

// CHECK-LABEL: func @groups(
// SINGLE:         hamkaas.conv
// SEVERAL-SAME:    %[[X:.*]]: tensor<1x4x5x6xf32>, %[[W:.*]]: tensor<1x1x2x8xf32>
// SEVERAL:         %[[WEIGHTS:.*]] = hamkaas.reshape %[[W]] : tensor<1x1x2x8xf32> -> tensor<2x8xf32>
// SEVERAL:         %[[TURNED:.*]] = hamkaas.permute %[[WEIGHTS]][1, 0] : tensor<2x8xf32>
// SEVERAL:         %[[LEFT:.*]] = hamkaas.reshape %[[TURNED]] : tensor<8x2xf32> -> tensor<2x4x2xf32>
// SEVERAL:         %[[RIGHT:.*]] = hamkaas.reshape %[[X]] : tensor<1x4x5x6xf32> -> tensor<2x2x30xf32>
// SEVERAL:         %[[PRODUCT:.*]] = hamkaas.matmul %[[LEFT]], %[[RIGHT]]
// SEVERAL:         hamkaas.reshape %[[PRODUCT]] : tensor<2x4x30xf32> -> tensor<1x8x5x6xf32>
// CHECK:         return
func.func @groups(%x: tensor<1x4x5x6xf32>, %w: tensor<1x1x2x8xf32>) -> tensor<1x8x5x6xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x4x5x6xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 2 : tensor<1x5x6x4xf32>, tensor<1x1x2x8xf32>
  %2 = hamkaas.permute %1 [0, 3, 1, 2] : tensor<1x5x6x8xf32>
  return %2 : tensor<1x8x5x6xf32>
}

// Groups of several images are so many products, whose weights are repeated if
// that takes no more memory than the images. Depthwise ones stay.

// CHECK-LABEL: func @other_groups(
// SINGLE-NOT:    hamkaas.matmul
// SEVERAL-SAME:    %[[X:.*]]: tensor<3x4x5x6xf32>, %[[W:[^:]*]]: tensor<1x1x2x8xf32>
// SEVERAL:         %[[WEIGHTS:.*]] = hamkaas.reshape %{{.*}} : tensor<8x2xf32> -> tensor<1x8x2xf32>
// SEVERAL:         %[[ALL:.*]] = hamkaas.broadcast %[[WEIGHTS]] : tensor<1x8x2xf32> -> tensor<3x8x2xf32>
// SEVERAL:         %[[LEFT:.*]] = hamkaas.reshape %[[ALL]] : tensor<3x8x2xf32> -> tensor<6x4x2xf32>
// SEVERAL:         %[[RIGHT:.*]] = hamkaas.reshape %[[X]] : tensor<3x4x5x6xf32> -> tensor<6x2x30xf32>
// SEVERAL:         %[[PRODUCT:.*]] = hamkaas.matmul %[[LEFT]], %[[RIGHT]]
// SEVERAL:         hamkaas.reshape %[[PRODUCT]] : tensor<6x4x30xf32> -> tensor<3x8x5x6xf32>
// SEVERAL-NOT:     hamkaas.matmul
// CHECK:         return
func.func @other_groups(%x: tensor<3x4x5x6xf32>, %w: tensor<1x1x2x8xf32>, %y: tensor<1x4x5x6xf32>, %d: tensor<1x1x1x4xf32>) -> (tensor<3x8x5x6xf32>, tensor<1x4x5x6xf32>) {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<3x4x5x6xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 2 : tensor<3x5x6x4xf32>, tensor<1x1x2x8xf32>
  %2 = hamkaas.permute %1 [0, 3, 1, 2] : tensor<3x5x6x8xf32>
  %3 = hamkaas.permute %y [0, 2, 3, 1] : tensor<1x4x5x6xf32>
  %4 = hamkaas.conv %3, %d strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 4 : tensor<1x5x6x4xf32>, tensor<1x1x1x4xf32>
  %5 = hamkaas.permute %4 [0, 3, 1, 2] : tensor<1x5x6x4xf32>
  return %2, %5 : tensor<3x8x5x6xf32>, tensor<1x4x5x6xf32>
}

// CHECK-LABEL: func @large_weights(
// CHECK-NOT:     hamkaas.matmul
// CHECK:         return
func.func @large_weights(%x: tensor<3x4x5x6xf32>, %w: tensor<1x1x2x100xf32>) -> tensor<3x100x5x6xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<3x4x5x6xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 2 : tensor<3x5x6x4xf32>, tensor<1x1x2x100xf32>
  %2 = hamkaas.permute %1 [0, 3, 1, 2] : tensor<3x5x6x100xf32>
  return %2 : tensor<3x100x5x6xf32>
}

// Larger windows, groups whose channels come last, padding and other types
// stay.

// CHECK-LABEL: func @others(
// CHECK-NOT:     hamkaas.matmul
// CHECK:         return
func.func @others(%x: tensor<1x5x4xf32>, %w: tensor<3x4x8xf32>, %g: tensor<1x2x8xf32>, %p: tensor<1x4x8xf32>, %y: tensor<1x5x4xf64>, %v: tensor<1x4x8xf64>) -> (tensor<1x3x8xf32>, tensor<1x5x8xf32>, tensor<1x7x8xf32>, tensor<1x5x8xf64>) {
  %0 = hamkaas.conv %x, %w strides [1] dilations [1] pad [0] to [0] groups 1 : tensor<1x5x4xf32>, tensor<3x4x8xf32>
  %1 = hamkaas.conv %x, %g strides [1] dilations [1] pad [0] to [0] groups 2 : tensor<1x5x4xf32>, tensor<1x2x8xf32>
  %2 = hamkaas.conv %x, %p strides [1] dilations [1] pad [1] to [1] groups 1 : tensor<1x5x4xf32>, tensor<1x4x8xf32>
  %3 = hamkaas.conv %y, %v strides [1] dilations [1] pad [0] to [0] groups 1 : tensor<1x5x4xf64>, tensor<1x4x8xf64>
  return %0, %1, %2, %3 : tensor<1x3x8xf32>, tensor<1x5x8xf32>, tensor<1x7x8xf32>, tensor<1x5x8xf64>
}

// The product has the knobs of products.

// CHECK-LABEL: func @knobs(
// CHECK:         hamkaas.matmul {{.*}} {hamkaas.knobs = {rows = 3 : i64}}
func.func @knobs(%x: tensor<1x5x6x4xf32>, %w: tensor<1x1x4x8xf32>) -> tensor<1x5x6x8xf32> {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 {hamkaas.knobs = {rows = 3, winograd = "off"}} : tensor<1x5x6x4xf32>, tensor<1x1x4x8xf32>
  return %0 : tensor<1x5x6x8xf32>
}
