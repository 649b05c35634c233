// RUN: hamkaas-opt %s -hamkaas-split-windows | FileCheck %s

// Rows first, then columns: 5 and 5 elements instead of 25.

// CHECK-LABEL: func @large(
// CHECK-SAME:    %[[X:.*]]: tensor<2x9x8x3xf32>
// CHECK-NEXT:    %[[ROWS:.*]] = hamkaas.pool max %[[X]] window [1, 5] strides [1, 1] dilations [1, 1] pad [0, 2] to [0, 1]
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.pool max %[[ROWS]] window [5, 1] strides [1, 1] dilations [1, 1] pad [2, 0] to [2, 0]
// CHECK-NEXT:    return %[[Y]]
func.func @large(%x: tensor<2x9x8x3xf32>) -> tensor<2x9x7x3xf32> {
  %0 = hamkaas.pool max %x window [5, 5] strides [1, 1] dilations [1, 1] pad [2, 2] to [2, 1] : tensor<2x9x8x3xf32>
  return %0 : tensor<2x9x7x3xf32>
}

// Each kernel takes in permutes.

// CHECK-LABEL: func @channels_first(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x9x8xf32>
// CHECK-NEXT:    %[[LAST:.*]] = hamkaas.permute %[[X]][0, 2, 3, 1]
// CHECK-NEXT:    %[[ROWS:.*]] = hamkaas.pool max %[[LAST]] window [1, 5]
// CHECK-NEXT:    %[[FIRST:.*]] = hamkaas.permute %[[ROWS]][0, 3, 1, 2]
// CHECK-NEXT:    %[[AGAIN:.*]] = hamkaas.permute %[[FIRST]][0, 2, 3, 1]
// CHECK-NEXT:    %[[COLUMNS:.*]] = hamkaas.pool max %[[AGAIN]] window [5, 1]
// CHECK-NEXT:    hamkaas.permute %[[COLUMNS]][0, 3, 1, 2]
func.func @channels_first(%x: tensor<2x3x9x8xf32>) -> tensor<2x3x9x8xf32> {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<2x3x9x8xf32>
  %1 = hamkaas.pool max %0 window [5, 5] strides [1, 1] dilations [1, 1] pad [2, 2] to [2, 2] : tensor<2x9x8x3xf32>
  %2 = hamkaas.permute %1 [0, 3, 1, 2] : tensor<2x9x8x3xf32>
  return %2 : tensor<2x3x9x8xf32>
}

// Dimensions that the window leaves as they are have no part.

// CHECK-LABEL: func @volume(
// CHECK:         hamkaas.pool max {{.*}} window [1, 1, 13]
// CHECK-NEXT:    hamkaas.pool max {{.*}} window [1, 13, 1]
// CHECK-NEXT:    return
func.func @volume(%x: tensor<1x5x20x20x4xf32>) -> tensor<1x5x20x20x4xf32> {
  %0 = hamkaas.pool max %x window [1, 13, 13] strides [1, 1, 1] dilations [1, 1, 1] pad [0, 6, 6] to [0, 6, 6] : tensor<1x5x20x20x4xf32>
  return %0 : tensor<1x5x20x20x4xf32>
}

// A dimension of one element has no part of its own to save with. Neither do
// small windows, or windows that overlap little; sums depend on their order.

// CHECK-LABEL: func @others(
// CHECK-COUNT-4: hamkaas.pool
// CHECK-NOT:     hamkaas.pool
func.func @others(%x: tensor<2x9x8x3xf32>) -> (tensor<2x9x8x3xf32>, tensor<2x9x8x3xf32>, tensor<2x3x2x3xf32>, tensor<2x9x8x3xf32>) {
  %0 = hamkaas.pool max %x window [1, 7] strides [1, 1] dilations [1, 1] pad [0, 3] to [0, 3] : tensor<2x9x8x3xf32>
  %1 = hamkaas.pool max %x window [3, 3] strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] : tensor<2x9x8x3xf32>
  %2 = hamkaas.pool max %x window [5, 5] strides [3, 3] dilations [1, 1] pad [1, 1] to [1, 1] : tensor<2x9x8x3xf32>
  %3 = hamkaas.pool sum %x window [5, 5] strides [1, 1] dilations [1, 1] pad [2, 2] to [2, 2] : tensor<2x9x8x3xf32>
  return %0, %1, %2, %3 : tensor<2x9x8x3xf32>, tensor<2x9x8x3xf32>, tensor<2x3x2x3xf32>, tensor<2x9x8x3xf32>
}
