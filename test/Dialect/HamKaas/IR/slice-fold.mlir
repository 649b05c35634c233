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
