// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// Only the last shape of a chain of reshapes is observable.

// CHECK-LABEL: func @chain(
// CHECK-SAME:    %[[X:.*]]: tensor<2x12xf32>
// CHECK:         %[[Y:.*]] = hamkaas.reshape %[[X]] : tensor<2x12xf32> -> tensor<24xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @chain(%x: tensor<2x12xf32>) -> tensor<24xf32> {
  %0 = hamkaas.reshape %x : tensor<2x12xf32> -> tensor<4x6xf32>
  %1 = hamkaas.reshape %0 : tensor<4x6xf32> -> tensor<24xf32>
  return %1 : tensor<24xf32>
}

// CHECK-LABEL: func @same_shape(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT:    return %[[X]]
func.func @same_shape(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.reshape %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @there_and_back(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT:    return %[[X]]
func.func @there_and_back(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.reshape %x : tensor<2x3xf32> -> tensor<6xf32>
  %1 = hamkaas.reshape %0 : tensor<6xf32> -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: func @single(
// CHECK:         hamkaas.reshape %{{.*}} : tensor<2x3xf32> -> tensor<6xf32>
func.func @single(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = hamkaas.reshape %x : tensor<2x3xf32> -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
