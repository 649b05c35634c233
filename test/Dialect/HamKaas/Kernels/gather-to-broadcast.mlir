// RUN: hamkaas-opt %s -hamkaas-gather-to-broadcast -split-input-file | FileCheck %s

// Nearest neighbours at three times the height and twice the width.

// CHECK-LABEL: func @resize(
// CHECK-SAME:    %[[X:.*]]: tensor<5x2x3xf32>
// CHECK-NEXT:    %[[A:.*]] = hamkaas.reshape %[[X]] : tensor<5x2x3xf32> -> tensor<5x2x1x3x1xf32>
// CHECK-NEXT:    %[[B:.*]] = hamkaas.broadcast %[[A]] : tensor<5x2x1x3x1xf32> -> tensor<5x2x3x3x2xf32>
// CHECK-NEXT:    %[[C:.*]] = hamkaas.reshape %[[B]] : tensor<5x2x3x3x2xf32> -> tensor<5x6x6xf32>
// CHECK-NEXT:    return %[[C]]
func.func @resize(%x: tensor<5x2x3xf32>) -> tensor<5x6x6xf32> {
  %w = hamkaas.constant dense<[0, 0, 1, 1, 2, 2]> : tensor<6xi64>
  %h = hamkaas.constant dense<[0, 0, 0, 1, 1, 1]> : tensor<6xi64>
  %0 = hamkaas.gather %x, %w dim 2 : tensor<5x2x3xf32>, tensor<6xi64>
  %1 = hamkaas.gather %0, %h dim 1 : tensor<5x2x6xf32>, tensor<6xi64>
  return %1 : tensor<5x6x6xf32>
}

// -----

// All elements again and again, counted from the end.

// CHECK-LABEL: func @tiled(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3xi8>
// CHECK-NEXT:    %[[A:.*]] = hamkaas.reshape %[[X]] : tensor<2x3xi8> -> tensor<2x1x3xi8>
// CHECK-NEXT:    %[[B:.*]] = hamkaas.broadcast %[[A]] : tensor<2x1x3xi8> -> tensor<2x2x3xi8>
// CHECK-NEXT:    hamkaas.reshape %[[B]] : tensor<2x2x3xi8> -> tensor<2x6xi8>
func.func @tiled(%x: tensor<2x3xi8>) -> tensor<2x6xi8> {
  %i = hamkaas.constant dense<[-3, -2, -1, 0, 1, 2]> : tensor<6xi64>
  %0 = hamkaas.gather %x, %i dim 1 : tensor<2x3xi8>, tensor<6xi64>
  return %0 : tensor<2x6xi8>
}

// -----

// Some of the elements, in reverse order; one of them.

// CHECK-LABEL: func @some(
// CHECK-SAME:    %[[X:.*]]: tensor<6xf32>
// CHECK:         %[[S:.*]] = hamkaas.strided_slice %[[X]] offsets [5] sizes [3] strides [-2]
// CHECK:         hamkaas.broadcast {{.*}} : tensor<3x1xf32> -> tensor<3x2xf32>
// CHECK:         %[[O:.*]] = hamkaas.strided_slice %[[X]] offsets [4] sizes [1] strides [1]
// CHECK:         hamkaas.broadcast {{.*}} : tensor<1x1xf32> -> tensor<1x7xf32>
func.func @some(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<7xf32>) {
  %i = hamkaas.constant dense<[5, 5, 3, 3, 1, 1]> : tensor<6xi64>
  %j = hamkaas.constant dense<4> : tensor<7xi64>
  %0 = hamkaas.gather %x, %i dim 0 : tensor<6xf32>, tensor<6xi64>
  %1 = hamkaas.gather %x, %j dim 0 : tensor<6xf32>, tensor<7xi64>
  return %0, %1 : tensor<6xf32>, tensor<7xf32>
}

// -----

// A gather that others read, too, is repeated apart.

// CHECK-LABEL: func @two_users(
// CHECK:         %[[A:.*]] = hamkaas.broadcast {{.*}} : tensor<2x3x1xf32> -> tensor<2x3x2xf32>
// CHECK:         %[[B:.*]] = hamkaas.reshape %[[A]]
// CHECK:         hamkaas.reshape %[[B]]
// CHECK:         hamkaas.broadcast {{.*}} : tensor<2x1x6xf32> -> tensor<2x2x6xf32>
// CHECK-NOT:     hamkaas.gather
func.func @two_users(%x: tensor<2x3xf32>) -> (tensor<2x6xf32>, tensor<4x6xf32>) {
  %w = hamkaas.constant dense<[0, 0, 1, 1, 2, 2]> : tensor<6xi64>
  %h = hamkaas.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
  %0 = hamkaas.gather %x, %w dim 1 : tensor<2x3xf32>, tensor<6xi64>
  %1 = hamkaas.gather %0, %h dim 0 : tensor<2x6xf32>, tensor<4xi64>
  return %0, %1 : tensor<2x6xf32>, tensor<4x6xf32>
}

// -----

// Other indices, of several dimensions or of no element: nothing to do.

// CHECK-LABEL: func @irregular(
// CHECK-NOT:     hamkaas.broadcast
// CHECK:         return
func.func @irregular(%x: tensor<6xf32>, %y: tensor<4xi64>) -> (tensor<5xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<4xf32>) {
  %i = hamkaas.constant dense<[0, 0, 1, 2, 2]> : tensor<5xi64>
  %j = hamkaas.constant dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>
  %k = hamkaas.constant dense<6> : tensor<2xi64>
  %0 = hamkaas.gather %x, %i dim 0 : tensor<6xf32>, tensor<5xi64>
  %1 = hamkaas.gather %x, %j dim 0 : tensor<6xf32>, tensor<2x2xi64>
  %2 = hamkaas.gather %x, %k dim 0 : tensor<6xf32>, tensor<2xi64>
  %3 = hamkaas.gather %x, %y dim 0 : tensor<6xf32>, tensor<4xi64>
  return %0, %1, %2, %3 : tensor<5xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<4xf32>
}
