// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s

// Both types are in the text.

// CHECK-LABEL: func @bitcast(
// CHECK:         hamkaas.bitcast %{{.*}} : tensor<2x3xf32> -> tensor<2x3xui32>
func.func @bitcast(%x: tensor<2x3xf32>) -> tensor<2x3xui32> {
  %0 = hamkaas.bitcast %x : tensor<2x3xf32> -> tensor<2x3xui32>
  return %0 : tensor<2x3xui32>
}
