// RUN: hamkaas-opt --hamkaas-simplify %s | FileCheck %s

// Slices of a concatenation that another one joins are taken from its operands,
// as in a cyclic shift of both dimensions of an image.

// CHECK-LABEL: func @shift(
// CHECK-SAME:    %[[X:.*]]: tensor<2x5x7xf32>
// CHECK-DAG:     %[[A:.*]] = hamkaas.strided_slice %[[X]] offsets [0, 2, 0] sizes [2, 3, 7]
// CHECK-DAG:     %[[B:.*]] = hamkaas.strided_slice %[[X]] offsets [0, 0, 0] sizes [2, 2, 7]
// CHECK-DAG:     %[[A0:.*]] = hamkaas.strided_slice %[[A]] offsets [0, 0, 3] sizes [2, 3, 4] strides [1, 1, 1]
// CHECK-DAG:     %[[B0:.*]] = hamkaas.strided_slice %[[B]] offsets [0, 0, 3] sizes [2, 2, 4] strides [1, 1, 1]
// CHECK-DAG:     %[[L:.*]] = hamkaas.concat %[[A0]], %[[B0]] dim 1
// CHECK-DAG:     %[[A1:.*]] = hamkaas.strided_slice %[[A]] offsets [0, 0, 0] sizes [2, 3, 3] strides [1, 1, 1]
// CHECK-DAG:     %[[B1:.*]] = hamkaas.strided_slice %[[B]] offsets [0, 0, 0] sizes [2, 2, 3] strides [1, 1, 1]
// CHECK-DAG:     %[[R:.*]] = hamkaas.concat %[[A1]], %[[B1]] dim 1
// CHECK:         %[[Y:.*]] = hamkaas.concat %[[L]], %[[R]] dim 2
// CHECK-NEXT:    return %[[Y]]
func.func @shift(%x: tensor<2x5x7xf32>) -> tensor<2x5x7xf32> {
  %0 = hamkaas.strided_slice %x offsets [0, 2, 0] sizes [2, 3, 7] strides [1, 1, 1] : tensor<2x5x7xf32>
  %1 = hamkaas.strided_slice %x offsets [0, 0, 0] sizes [2, 2, 7] strides [1, 1, 1] : tensor<2x5x7xf32>
  %2 = hamkaas.concat %0, %1 dim 1 : tensor<2x3x7xf32>, tensor<2x2x7xf32>
  %3 = hamkaas.strided_slice %2 offsets [0, 0, 3] sizes [2, 5, 4] strides [1, 1, 1] : tensor<2x5x7xf32>
  %4 = hamkaas.strided_slice %2 offsets [0, 0, 0] sizes [2, 5, 3] strides [1, 1, 1] : tensor<2x5x7xf32>
  %5 = hamkaas.concat %3, %4 dim 2 : tensor<2x5x4xf32>, tensor<2x5x3xf32>
  return %5 : tensor<2x5x7xf32>
}

// Beside the concatenation as it is, as in a reflected margin.

// CHECK-LABEL: func @margin(
// CHECK:         %[[M:.*]] = hamkaas.concat %arg0, %arg1 dim 1
// CHECK:         %[[L0:.*]] = hamkaas.strided_slice %arg0 offsets [0, 0, 2] sizes [2, 3, 2] strides [1, 1, -1]
// CHECK-NEXT:    %[[L1:.*]] = hamkaas.strided_slice %arg1 offsets [0, 0, 2] sizes [2, 2, 2] strides [1, 1, -1]
// CHECK-NEXT:    %[[L:.*]] = hamkaas.concat %[[L0]], %[[L1]] dim 1
// CHECK-NEXT:    hamkaas.concat %[[L]], %[[M]] dim 2
func.func @margin(%x: tensor<2x3x7xf32>, %y: tensor<2x2x7xf32>) -> tensor<2x5x9xf32> {
  %0 = hamkaas.concat %x, %y dim 1 : tensor<2x3x7xf32>, tensor<2x2x7xf32>
  %1 = hamkaas.strided_slice %0 offsets [0, 0, 2] sizes [2, 5, 2] strides [1, 1, -1] : tensor<2x5x7xf32>
  %2 = hamkaas.concat %1, %0 dim 2 : tensor<2x5x2xf32>, tensor<2x5x7xf32>
  return %2 : tensor<2x5x9xf32>
}

// Not where others read the concatenation, or a slice lacks a part of it.

// CHECK-LABEL: func @others(
// CHECK:         hamkaas.concat %arg0, %arg1 dim 1
// CHECK-NEXT:    hamkaas.strided_slice
// CHECK-NEXT:    hamkaas.concat
// CHECK-NEXT:    return
func.func @others(%x: tensor<2x3x7xf32>, %y: tensor<2x2x7xf32>) -> (tensor<2x5x7xf32>, tensor<2x5x9xf32>) {
  %0 = hamkaas.concat %x, %y dim 1 : tensor<2x3x7xf32>, tensor<2x2x7xf32>
  %1 = hamkaas.strided_slice %0 offsets [0, 0, 2] sizes [2, 5, 2] strides [1, 1, -1] : tensor<2x5x7xf32>
  %2 = hamkaas.concat %1, %0 dim 2 : tensor<2x5x2xf32>, tensor<2x5x7xf32>
  return %0, %2 : tensor<2x5x7xf32>, tensor<2x5x9xf32>
}

// CHECK-LABEL: func @part(
// CHECK:         hamkaas.concat %arg0, %arg1 dim 1
// CHECK-NEXT:    hamkaas.strided_slice
// CHECK-NEXT:    hamkaas.strided_slice
// CHECK-NEXT:    hamkaas.concat
// CHECK-NEXT:    return
func.func @part(%x: tensor<2x3x7xf32>, %y: tensor<2x2x7xf32>) -> tensor<2x4x5xf32> {
  %0 = hamkaas.concat %x, %y dim 1 : tensor<2x3x7xf32>, tensor<2x2x7xf32>
  %1 = hamkaas.strided_slice %0 offsets [0, 0, 2] sizes [2, 4, 2] strides [1, 1, -1] : tensor<2x5x7xf32>
  %2 = hamkaas.strided_slice %0 offsets [0, 1, 0] sizes [2, 4, 3] strides [1, 1, 1] : tensor<2x5x7xf32>
  %3 = hamkaas.concat %1, %2 dim 2 : tensor<2x4x2xf32>, tensor<2x4x3xf32>
  return %3 : tensor<2x4x5xf32>
}

// A block of layers that each read all before them: a concatenation reads an
// earlier one of its first operands.

// CHECK-LABEL: func.func @dense_block
// CHECK:         %[[A:.*]] = hamkaas.concat %arg0, %arg1 dim 1
// CHECK:         %[[B:.*]] = hamkaas.concat %[[A]], %arg2 dim 1
// CHECK:         %[[C:.*]] = hamkaas.concat %[[B]], %arg3 dim 1
// CHECK-NEXT:    return %[[A]], %[[B]], %[[C]]
func.func @dense_block(%arg0: tensor<1x8x4xf32>, %arg1: tensor<1x2x4xf32>, %arg2: tensor<1x2x4xf32>, %arg3: tensor<1x2x4xf32>) -> (tensor<1x10x4xf32>, tensor<1x12x4xf32>, tensor<1x14x4xf32>) {
  %0 = hamkaas.concat %arg0, %arg1 dim 1 : tensor<1x8x4xf32>, tensor<1x2x4xf32>
  %1 = hamkaas.concat %arg0, %arg1, %arg2 dim 1 : tensor<1x8x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
  %2 = hamkaas.concat %arg0, %arg1, %arg2, %arg3 dim 1 : tensor<1x8x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
  return %0, %1, %2 : tensor<1x10x4xf32>, tensor<1x12x4xf32>, tensor<1x14x4xf32>
}

// Not where operands stay in memory for someone else.

// CHECK-LABEL: func.func @not_shared
// CHECK:         hamkaas.concat %arg0, %arg1 dim 1
// CHECK:         hamkaas.concat %arg0, %arg1, %arg2 dim 1
// CHECK:         hamkaas.relu %arg1
func.func @not_shared(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>, %arg2: tensor<2x2xf32>) -> (tensor<2x4xf32>, tensor<2x6xf32>, tensor<2x2xf32>) {
  %1 = hamkaas.concat %arg0, %arg1 dim 1 : tensor<2x2xf32>, tensor<2x2xf32>
  %2 = hamkaas.concat %arg0, %arg1, %arg2 dim 1 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
  %3 = hamkaas.relu %arg1 : tensor<2x2xf32>
  return %1, %2, %3 : tensor<2x4xf32>, tensor<2x6xf32>, tensor<2x2xf32>
}

// Nor where the earlier one is along another dimension.

// CHECK-LABEL: func.func @other_dimension
// CHECK:         hamkaas.concat %arg0, %arg1 dim 0
// CHECK:         hamkaas.concat %arg0, %arg1, %arg2 dim 1
func.func @other_dimension(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>, %arg2: tensor<2x2xf32>) -> (tensor<4x2xf32>, tensor<2x6xf32>) {
  %0 = hamkaas.concat %arg0, %arg1 dim 0 : tensor<2x2xf32>, tensor<2x2xf32>
  %1 = hamkaas.concat %arg0, %arg1, %arg2 dim 1 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<2x6xf32>
}
