// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func @whole(
// CHECK-SAME:    %[[X:.*]]: tensor<2x1xf32>
// CHECK-NEXT:    return %[[X]]
func.func @whole(%x: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %0 = hamkaas.strided_slice %x offsets [0, 0] sizes [2, 1] strides [1, 7] : tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}

// CHECK-LABEL: func @turned(
// CHECK:         hamkaas.strided_slice
func.func @turned(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = hamkaas.strided_slice %x offsets [1] sizes [2] strides [-1] : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func @chain(
// CHECK-SAME:    %[[X:.*]]: tensor<20x9xf32>
// CHECK:         %[[Y:.*]] = hamkaas.strided_slice %[[X]] offsets [13, 2] sizes [3, 1] strides [-6, 1]
// CHECK-NEXT:    return %[[Y]]
func.func @chain(%x: tensor<20x9xf32>) -> tensor<3x1xf32> {
  %0 = hamkaas.strided_slice %x offsets [1, 0] sizes [7, 9] strides [3, 1] : tensor<20x9xf32>
  %1 = hamkaas.strided_slice %0 offsets [4, 2] sizes [3, 1] strides [-2, 5] : tensor<7x9xf32>
  return %1 : tensor<3x1xf32>
}

// Consecutive elements are a view.

// CHECK-LABEL: func @rows(
// CHECK-SAME:    %[[X:.*]]: tensor<4x5xf32>
// CHECK:         %[[Y:.*]] = hamkaas.slice %[[X]][1, 3] : tensor<4x5xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @rows(%x: tensor<4x5xf32>) -> tensor<2x5xf32> {
  %0 = hamkaas.strided_slice %x offsets [1, 0] sizes [2, 5] strides [1, 1] : tensor<4x5xf32>
  return %0 : tensor<2x5xf32>
}

// CHECK-LABEL: func @within_a_row(
// CHECK-SAME:    %[[X:.*]]: tensor<4x5x6xf32>
// CHECK:         %[[FLAT:.*]] = hamkaas.reshape %[[X]] : tensor<4x5x6xf32> -> tensor<20x6xf32>
// CHECK:         %[[SLICE:.*]] = hamkaas.slice %[[FLAT]][11, 13]
// CHECK:         %[[Y:.*]] = hamkaas.reshape %[[SLICE]] : tensor<2x6xf32> -> tensor<1x2x6xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @within_a_row(%x: tensor<4x5x6xf32>) -> tensor<1x2x6xf32> {
  %0 = hamkaas.strided_slice %x offsets [2, 1, 0] sizes [1, 2, 6] strides [3, 1, 1] : tensor<4x5x6xf32>
  return %0 : tensor<1x2x6xf32>
}

// CHECK-LABEL: func @columns(
// CHECK:         hamkaas.strided_slice
func.func @columns(%x: tensor<4x5xf32>) -> tensor<4x2xf32> {
  %0 = hamkaas.strided_slice %x offsets [0, 1] sizes [4, 2] strides [1, 1] : tensor<4x5xf32>
  return %0 : tensor<4x2xf32>
}

// A slice within one operand of a concatenation reads that operand.

// CHECK-LABEL: func @of_concat(
// CHECK-SAME:    %[[A:.*]]: tensor<4x2xf32>, %[[B:.*]]: tensor<4x6xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.strided_slice %[[B]] offsets [0, 5] sizes [4, 3] strides [1, -2] : tensor<4x6xf32>
// CHECK-NEXT:    return %[[Y]], %[[A]]
func.func @of_concat(%a: tensor<4x2xf32>, %b: tensor<4x6xf32>)
    -> (tensor<4x3xf32>, tensor<4x2xf32>) {
  %0 = hamkaas.concat %a, %b, %a dim 1 : tensor<4x2xf32>, tensor<4x6xf32>, tensor<4x2xf32>
  %1 = hamkaas.strided_slice %0 offsets [0, 7] sizes [4, 3] strides [1, -2] : tensor<4x10xf32>
  %2 = hamkaas.strided_slice %0 offsets [0, 8] sizes [4, 2] strides [1, 1] : tensor<4x10xf32>
  return %1, %2 : tensor<4x3xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: func @of_two_operands(
// CHECK:         %[[C:.*]] = hamkaas.concat
// CHECK-NEXT:    hamkaas.strided_slice %[[C]] offsets [0, 1] sizes [4, 2]
func.func @of_two_operands(%a: tensor<4x2xf32>, %b: tensor<4x6xf32>)
    -> tensor<4x2xf32> {
  %0 = hamkaas.concat %a, %b dim 1 : tensor<4x2xf32>, tensor<4x6xf32>
  %1 = hamkaas.strided_slice %0 offsets [0, 1] sizes [4, 2] strides [1, 1] : tensor<4x8xf32>
  return %1 : tensor<4x2xf32>
}
