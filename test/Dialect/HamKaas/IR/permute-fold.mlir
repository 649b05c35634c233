// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func @identity(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT:    return %[[X]]
func.func @identity(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.permute %x[0, 1] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @chain(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4xf32>
// CHECK:         %[[Y:.*]] = hamkaas.permute %[[X]][2, 1, 0] : tensor<2x3x4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @chain(%x: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
  %0 = hamkaas.permute %x[2, 0, 1] : tensor<2x3x4xf32>
  %1 = hamkaas.permute %0[0, 2, 1] : tensor<4x2x3xf32>
  return %1 : tensor<4x3x2xf32>
}

// CHECK-LABEL: func @there_and_back(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4xf32>
// CHECK-NEXT:    return %[[X]]
func.func @there_and_back(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = hamkaas.permute %x[2, 0, 1] : tensor<2x3x4xf32>
  %1 = hamkaas.permute %0[1, 2, 0] : tensor<4x2x3xf32>
  return %1 : tensor<2x3x4xf32>
}

// Dimensions of size 1 may go anywhere without an element moving.

// CHECK-LABEL: func @keeps_order(
// CHECK-SAME:    %[[X:.*]]: tensor<2x1x3x1xf32>
// CHECK:         %[[Y:.*]] = hamkaas.reshape %[[X]] : tensor<2x1x3x1xf32> -> tensor<1x2x1x3xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @keeps_order(%x: tensor<2x1x3x1xf32>) -> tensor<1x2x1x3xf32> {
  %0 = hamkaas.permute %x[3, 0, 1, 2] : tensor<2x1x3x1xf32>
  return %0 : tensor<1x2x1x3xf32>
}

// CHECK-LABEL: func @moves(
// CHECK:         hamkaas.permute %{{.*}}[2, 1, 0] : tensor<2x1x3xf32>
func.func @moves(%x: tensor<2x1x3xf32>) -> tensor<3x1x2xf32> {
  %0 = hamkaas.permute %x[2, 1, 0] : tensor<2x1x3xf32>
  return %0 : tensor<3x1x2xf32>
}

// One element everywhere has no order.

// CHECK-LABEL: func @of_one_element(
// CHECK-SAME:    %[[X:.*]]: tensor<1x1x1xf32>
// CHECK:         %[[Y:.*]] = hamkaas.broadcast %[[X]] : tensor<1x1x1xf32> -> tensor<4x2x3xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @of_one_element(%x: tensor<1x1x1xf32>) -> tensor<4x2x3xf32> {
  %0 = hamkaas.broadcast %x : tensor<1x1x1xf32> -> tensor<2x3x4xf32>
  %1 = hamkaas.permute %0[2, 0, 1] : tensor<2x3x4xf32>
  return %1 : tensor<4x2x3xf32>
}

// CHECK-LABEL: func @of_repeated_rows(
// CHECK:         hamkaas.permute
func.func @of_repeated_rows(%x: tensor<1x3x1xf32>) -> tensor<4x2x3xf32> {
  %0 = hamkaas.broadcast %x : tensor<1x3x1xf32> -> tensor<2x3x4xf32>
  %1 = hamkaas.permute %0[2, 0, 1] : tensor<2x3x4xf32>
  return %1 : tensor<4x2x3xf32>
}
