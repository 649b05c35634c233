// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @transforms(
// CHECK-NEXT:    %[[V:.*]] = hamkaas.winograd_input %{{.*}} tile 4 : tensor<2x6x10x3xf32>
// CHECK-NEXT:    hamkaas.winograd_output %[[V]] : tensor<6x6x2x1x2x3xf32>
// CHECK-NEXT:    return %{{.*}} : tensor<2x4x8x3xf32>
func.func @transforms(%x: tensor<2x6x10x3xf32>) -> tensor<2x4x8x3xf32> {
  %0 = hamkaas.winograd_input %x tile 4 : tensor<2x6x10x3xf32>
  %1 = hamkaas.winograd_output %0 : tensor<6x6x2x1x2x3xf32>
  return %1 : tensor<2x4x8x3xf32>
}
