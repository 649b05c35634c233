// RUN: hamkaas-opt %s -hamkaas-planar-convolutions=lanes=8 -split-input-file | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-planar-convolutions -split-input-file | FileCheck %s --check-prefix=NONE

// NONE-NOT: hamkaas.planar

// Three of eight lanes would be used: positions are the lanes. The weights lie
// in the order in which they are read. What follows joins the kernel.

// CHECK-LABEL: func @few(
// CHECK-SAME:    %[[X:.*]]: tensor<1x16x20x32xf32>, %[[W:.*]]: tensor<3x16x3x3xf32>
// CHECK:         %[[C:.*]] = hamkaas.permute %[[W]][1, 2, 3, 0] : tensor<3x16x3x3xf32>
// CHECK-NEXT:    %[[G:.*]] = hamkaas.group reduction(%[[X]], %[[C]])
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<1x16x20x32xf32>, %[[B:.*]]: tensor<16x3x3x3xf32>):
// CHECK-NEXT:      %[[L:.*]] = hamkaas.permute %[[A]][0, 2, 3, 1]
// CHECK-NEXT:      %[[P:.*]] = hamkaas.permute %[[B]][1, 2, 0, 3] : tensor<16x3x3x3xf32>
// CHECK-NEXT:      %[[Y:.*]] = hamkaas.conv %[[L]], %[[P]] strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 {hamkaas.planar}
// CHECK-NEXT:      %[[R:.*]] = hamkaas.relu %[[Y]]
// CHECK-NEXT:      %[[F:.*]] = hamkaas.permute %[[R]][0, 3, 1, 2]
// CHECK-NEXT:      hamkaas.yield %[[F]]
// CHECK:         return %[[G]]
func.func @few(%x: tensor<1x16x20x32xf32>, %w: tensor<3x16x3x3xf32>) -> tensor<1x3x20x32xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x16x20x32xf32>
  %1 = hamkaas.permute %w [2, 3, 1, 0] : tensor<3x16x3x3xf32>
  %2 = hamkaas.conv %0, %1 strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x20x32x16xf32>, tensor<3x3x16x3xf32>
  %3 = hamkaas.relu %2 : tensor<1x20x32x3xf32>
  %4 = hamkaas.permute %3 [0, 3, 1, 2] : tensor<1x20x32x3xf32>
  return %4 : tensor<1x3x20x32xf32>
}

// -----

// Images whose channels come last are permuted, and the result back.

// CHECK-LABEL: func @last(
// CHECK-SAME:    %[[X:.*]]: tensor<1x20x32x16xf32>, %[[W:.*]]: tensor<3x3x16x3xf32>
// CHECK:         %[[F:.*]] = hamkaas.permute %[[X]][0, 3, 1, 2]
// CHECK:         %[[G:.*]] = hamkaas.group reduction(%[[F]], %{{.*}})
// CHECK:           hamkaas.conv %{{.*}} {hamkaas.planar}
// CHECK-NEXT:      hamkaas.permute %{{.*}}[0, 3, 1, 2]
// CHECK-NEXT:      hamkaas.yield
// CHECK:         %[[R:.*]] = hamkaas.permute %[[G]][0, 2, 3, 1]
// CHECK-NEXT:    return %[[R]]
func.func @last(%x: tensor<1x20x32x16xf32>, %w: tensor<3x3x16x3xf32>) -> tensor<1x18x30x3xf32> {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x20x32x16xf32>, tensor<3x3x16x3xf32>
  return %0 : tensor<1x18x30x3xf32>
}

// -----

// The kernel ends where another operation than a pointwise one follows.

// CHECK-LABEL: func @joined(
// CHECK:         %[[G:.*]] = hamkaas.group reduction(
// CHECK:         %[[S:.*]] = hamkaas.sigmoid %[[G]]
// CHECK-NEXT:    hamkaas.concat %[[S]], %{{.*}}
func.func @joined(%x: tensor<1x16x20x32xf32>, %w: tensor<3x3x16x3xf32>, %z: tensor<1x3x20x32xf32>) -> tensor<1x6x20x32xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<1x16x20x32xf32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x20x32x16xf32>, tensor<3x3x16x3xf32>
  %2 = hamkaas.permute %1 [0, 3, 1, 2] : tensor<1x20x32x3xf32>
  %3 = hamkaas.sigmoid %2 : tensor<1x3x20x32xf32>
  %4 = hamkaas.concat %3, %z dim 1 : tensor<1x3x20x32xf32>, tensor<1x3x20x32xf32>
  return %4 : tensor<1x6x20x32xf32>
}

// -----

// Many channels, few products for a permute, strides along rows, tiles that the
// user asks for, and rows whose sums would take too much of a stack.

// CHECK-LABEL: func @others(
// CHECK-NOT:     hamkaas.planar
// CHECK:         return
func.func @others(%l: tensor<1x2x9002x2xf32>, %v: tensor<2x3x2x2xf32>, %x: tensor<1x20x32x16xf32>, %m: tensor<3x3x16x7xf32>, %p: tensor<2x2x16x3xf32>, %w: tensor<3x3x16x3xf32>) -> (tensor<1x2x9000x2xf32>, tensor<1x18x30x7xf32>, tensor<1x19x31x3xf32>, tensor<1x18x15x3xf32>, tensor<1x18x30x3xf32>) {
  %0 = hamkaas.conv %x, %m strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x20x32x16xf32>, tensor<3x3x16x7xf32>
  %1 = hamkaas.conv %x, %p strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x20x32x16xf32>, tensor<2x2x16x3xf32>
  %2 = hamkaas.conv %x, %w strides [1, 2] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x20x32x16xf32>, tensor<3x3x16x3xf32>
  %3 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 {hamkaas.knobs = {rows = 4 : i64}} : tensor<1x20x32x16xf32>, tensor<3x3x16x3xf32>
  %4 = hamkaas.permute %l [0, 3, 1, 2] : tensor<1x2x9002x2xf32>
  %5 = hamkaas.permute %4 [0, 2, 3, 1] : tensor<1x2x2x9002xf32>
  %6 = hamkaas.conv %5, %v strides [1, 1] dilations [1, 1] pad [1, 0] to [0, 0] groups 1 : tensor<1x2x9002x2xf32>, tensor<2x3x2x2xf32>
  return %6, %0, %1, %2, %3 : tensor<1x2x9000x2xf32>, tensor<1x18x30x7xf32>, tensor<1x19x31x3xf32>, tensor<1x18x15x3xf32>, tensor<1x18x30x3xf32>
}
