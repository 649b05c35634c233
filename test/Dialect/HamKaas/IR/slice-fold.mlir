// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func @chain(
// CHECK-SAME:    %[[X:.*]]: tensor<8x2xf32>
// CHECK:         %[[Y:.*]] = hamkaas.slice %[[X]][3, 4] : tensor<8x2xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @chain(%x: tensor<8x2xf32>) -> tensor<1x2xf32> {
  %0 = hamkaas.slice %x[2, 6] : tensor<8x2xf32>
  %1 = hamkaas.slice %0[1, 2] : tensor<4x2xf32>
  return %1 : tensor<1x2xf32>
}

// CHECK-LABEL: func @all_rows(
// CHECK-SAME:    %[[X:.*]]: tensor<8x2xf32>
// CHECK-NEXT:    return %[[X]]
func.func @all_rows(%x: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %0 = hamkaas.slice %x[0, 8] : tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// CHECK-LABEL: func @single(
// CHECK:         hamkaas.slice %{{.*}}[0, 7] : tensor<8x2xf32>
func.func @single(%x: tensor<8x2xf32>) -> tensor<7x2xf32> {
  %0 = hamkaas.slice %x[0, 7] : tensor<8x2xf32>
  return %0 : tensor<7x2xf32>
}

// CHECK-LABEL: func @of_concat(
// CHECK-SAME:    %[[A:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<4x3xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.slice %[[B]][1, 4] : tensor<4x3xf32>
// CHECK-NEXT:    return %[[A]], %[[Y]]
func.func @of_concat(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>)
    -> (tensor<2x3xf32>, tensor<3x3xf32>) {
  %0 = hamkaas.concat %a, %b dim 0 : tensor<2x3xf32>, tensor<4x3xf32>
  %1 = hamkaas.slice %0[0, 2] : tensor<6x3xf32>
  %2 = hamkaas.slice %0[3, 6] : tensor<6x3xf32>
  return %1, %2 : tensor<2x3xf32>, tensor<3x3xf32>
}

// Rows of two operands, and of operands that are joined otherwise.

// CHECK-LABEL: func @of_several(
// CHECK:         %[[C:.*]] = hamkaas.concat
// CHECK-NEXT:    %[[D:.*]] = hamkaas.concat
// CHECK-NEXT:    hamkaas.slice %[[C]][1, 3]
// CHECK-NEXT:    hamkaas.slice %[[D]][0, 1]
func.func @of_several(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>)
    -> (tensor<2x3xf32>, tensor<1x6xf32>) {
  %0 = hamkaas.concat %a, %b dim 0 : tensor<2x3xf32>, tensor<4x3xf32>
  %1 = hamkaas.concat %a, %a dim 1 : tensor<2x3xf32>, tensor<2x3xf32>
  %2 = hamkaas.slice %0[1, 3] : tensor<6x3xf32>
  %3 = hamkaas.slice %1[0, 1] : tensor<2x6xf32>
  return %2, %3 : tensor<2x3xf32>, tensor<1x6xf32>
}
