// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func @one(
// CHECK-SAME:    %[[A:.*]]: tensor<2xf32>
// CHECK-NEXT:    return %[[A]]
func.func @one(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = hamkaas.concat %a dim 0 : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func @nested(
// CHECK-SAME:    %[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<3xf32>
// CHECK:         %[[Y:.*]] = hamkaas.concat %[[A]], %[[A]], %[[B]], %[[B]] dim 0
// CHECK-NEXT:    return %[[Y]]
func.func @nested(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<10xf32> {
  %0 = hamkaas.concat %a, %b dim 0 : tensor<2xf32>, tensor<3xf32>
  %1 = hamkaas.concat %a, %0, %b dim 0 : tensor<2xf32>, tensor<5xf32>, tensor<3xf32>
  return %1 : tensor<10xf32>
}

// A concatenation with other users is made once.

// CHECK-LABEL: func @shared(
// CHECK-COUNT-2: hamkaas.concat
func.func @shared(%a: tensor<2xf32>) -> (tensor<4xf32>, tensor<6xf32>) {
  %0 = hamkaas.concat %a, %a dim 0 : tensor<2xf32>, tensor<2xf32>
  %1 = hamkaas.concat %a, %0 dim 0 : tensor<2xf32>, tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<6xf32>
}
