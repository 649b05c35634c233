// RUN: hamkaas-opt --hamkaas-simplify %s | FileCheck %s

// Dilated windows that reach over the image on both sides are its middle.

// CHECK-LABEL: func @middle(
// CHECK-SAME:    %[[X:.*]]: tensor<1x4x5x2xf32>, %[[W:.*]]: tensor<3x3x2x8xf32>
// CHECK-NEXT:    %[[M:.*]] = hamkaas.strided_slice %[[W]] offsets [1, 1, 0, 0] sizes [1, 1, 2, 8] strides [1, 1, 1, 1]
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.conv %[[X]], %[[M]] strides [1, 1] dilations [24, 24] pad [0, 0] to [0, 0] groups 1
// CHECK-NEXT:    return %[[Y]]
func.func @middle(%x: tensor<1x4x5x2xf32>, %w: tensor<3x3x2x8xf32>) -> tensor<1x4x5x8xf32> {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [24, 24] pad [24, 24] to [24, 24] groups 1 : tensor<1x4x5x2xf32>, tensor<3x3x2x8xf32>
  return %0 : tensor<1x4x5x8xf32>
}

// Along one dimension alone: the other has one column more than the dilation.

// CHECK-LABEL: func @one_dimension(
// CHECK:         hamkaas.strided_slice %{{.*}} offsets [1, 0, 0, 0] sizes [1, 3, 2, 8] strides [1, 1, 1, 1]
// CHECK-NEXT:    hamkaas.conv %{{.*}} dilations [12, 12] pad [0, 12] to [0, 12] groups 1
func.func @one_dimension(%x: tensor<1x12x13x2xf32>, %w: tensor<3x3x2x8xf32>) -> tensor<1x12x13x8xf32> {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [12, 12] pad [12, 12] to [12, 12] groups 1 : tensor<1x12x13x2xf32>, tensor<3x3x2x8xf32>
  return %0 : tensor<1x12x13x8xf32>
}

// One end; the stride decides what the last window reads.

// CHECK-LABEL: func @ends(
// CHECK:         hamkaas.strided_slice %{{.*}} offsets [2, 0, 0] sizes [3, 1, 1] strides [1, 1, 1]
// CHECK-NEXT:    hamkaas.conv %{{.*}} strides [2] dilations [1] pad [0] to [0] groups 1
// CHECK-SAME:      : tensor<1x3x1xf32>, tensor<3x1x1xf32>
// CHECK:         hamkaas.strided_slice %{{.*}} offsets [0, 0, 0] sizes [2, 1, 1] strides [1, 1, 1]
// CHECK-NEXT:    hamkaas.conv %{{.*}} strides [3] dilations [2] pad [0] to [3] groups 1
func.func @ends(%x: tensor<1x3x1xf32>, %w: tensor<5x1x1xf32>, %v: tensor<4x1x1xf32>) -> (tensor<1x1x1xf32>, tensor<1x2x1xf32>) {
  %0 = hamkaas.conv %x, %w strides [2] dilations [1] pad [2] to [0] groups 1 : tensor<1x3x1xf32>, tensor<5x1x1xf32>
  %1 = hamkaas.conv %x, %v strides [3] dilations [2] pad [0] to [7] groups 1 : tensor<1x3x1xf32>, tensor<4x1x1xf32>
  return %0, %1 : tensor<1x1x1xf32>, tensor<1x2x1xf32>
}

// Each element meets the image somewhere.

// CHECK-LABEL: func @all(
// CHECK-NEXT:    hamkaas.conv
// CHECK-NEXT:    return
func.func @all(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x8xf32>) -> tensor<1x4x4x8xf32> {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [3, 3] pad [3, 3] to [3, 3] groups 1 : tensor<1x4x4x2xf32>, tensor<3x3x2x8xf32>
  return %0 : tensor<1x4x4x8xf32>
}

// A long window is not searched.

// CHECK-LABEL: func @long(
// CHECK-NEXT:    hamkaas.conv
// CHECK-NEXT:    return
func.func @long(%x: tensor<1x4x1xf32>, %w: tensor<1099511627776x1x1xf32>) -> tensor<1x5x1xf32> {
  %0 = hamkaas.conv %x, %w strides [1] dilations [1] pad [1099511627776] to [0] groups 1 : tensor<1x4x1xf32>, tensor<1099511627776x1x1xf32>
  return %0 : tensor<1x5x1xf32>
}
