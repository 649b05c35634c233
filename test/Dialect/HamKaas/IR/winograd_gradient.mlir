// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @tiles(
// CHECK-SAME:    -> tensor<6x6x2x1x2x3xf32>
// CHECK-NEXT:    hamkaas.winograd_gradient %{{.*}} tile 4 : tensor<2x4x8x3xf32>
func.func @tiles(%x: tensor<2x4x8x3xf32>) -> tensor<6x6x2x1x2x3xf32> {
  %0 = hamkaas.winograd_gradient %x tile 4 : tensor<2x4x8x3xf32>
  return %0 : tensor<6x6x2x1x2x3xf32>
}
