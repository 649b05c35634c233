// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func @nothing(
// CHECK-SAME:    %[[X:.*]]: tensor<2x1xf32>
// CHECK-NEXT:    return %[[X]]
func.func @nothing(%x: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %0 = hamkaas.pad %x low [0, 0] high [0, 0] interior [0, 3] value 5.0 : f32 : tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}

// CHECK-LABEL: func @something(
// CHECK:         hamkaas.pad
func.func @something(%x: tensor<2x1xf32>) -> tensor<2x2xf32> {
  %0 = hamkaas.pad %x low [0, 1] high [0, 0] interior [0, 0] value 5.0 : f32 : tensor<2x1xf32>
  return %0 : tensor<2x2xf32>
}
