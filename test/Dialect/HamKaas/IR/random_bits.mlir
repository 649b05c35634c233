// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s

// The shape, and the offset if it is not 0.

// CHECK-LABEL: func @random_bits(
// CHECK-SAME:    %[[G:.*]]: tensor<3xui64>
// CHECK:         hamkaas.random_bits %[[G]] [2, 3] offset 4 : tensor<3xui64>
// CHECK:         hamkaas.random_bits %[[G]] [] : tensor<3xui64>
func.func @random_bits(%g: tensor<3xui64>)
    -> (tensor<2x3xui32>, tensor<ui32>) {
  %0 = hamkaas.random_bits %g [2, 3] offset 4 : tensor<3xui64>
  %1 = hamkaas.random_bits %g [] offset 0 : tensor<3xui64>
  return %0, %1 : tensor<2x3xui32>, tensor<ui32>
}
