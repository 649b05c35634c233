// RUN: hamkaas-opt %s -hamkaas-pointwise-conv-to-matmul | FileCheck %s

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

// Larger windows, groups, padding and other types stay.

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
