// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @tiles(
// CHECK-SAME:    -> tensor<2x4x8x3xf32>
// CHECK-NEXT:    hamkaas.winograd_output %{{.*}} : tensor<6x6x2x1x2x3xf32>
func.func @tiles(%x: tensor<6x6x2x1x2x3xf32>) -> tensor<2x4x8x3xf32> {
  %0 = hamkaas.winograd_output %x : tensor<6x6x2x1x2x3xf32>
  return %0 : tensor<2x4x8x3xf32>
}
