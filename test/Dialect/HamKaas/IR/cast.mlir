// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s

// Both types are in the text.

// CHECK-LABEL: func @cast(
// CHECK:         hamkaas.cast %{{.*}} : tensor<2x3xf32> -> tensor<2x3xui8>
func.func @cast(%x: tensor<2x3xf32>) -> tensor<2x3xui8> {
  %0 = hamkaas.cast %x : tensor<2x3xf32> -> tensor<2x3xui8>
  return %0 : tensor<2x3xui8>
}
