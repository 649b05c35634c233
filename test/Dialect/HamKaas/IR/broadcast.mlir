// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s

// Both shapes are in the text.

// CHECK-LABEL: func @broadcast(
// CHECK:         hamkaas.broadcast %{{.*}} : tensor<1x3xf32> -> tensor<2x3xf32>
func.func @broadcast(%x: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.broadcast %x : tensor<1x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
