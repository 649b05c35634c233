// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @tiles(
// CHECK-SAME:    -> tensor<2x4x8x3xf32>
// CHECK-NEXT:    hamkaas.winograd_output %{{.*}} : tensor<6x6x2x1x2x3xf32>
func.func @tiles(%x: tensor<6x6x2x1x2x3xf32>) -> tensor<2x4x8x3xf32> {
  %0 = hamkaas.winograd_output %x : tensor<6x6x2x1x2x3xf32>
  return %0 : tensor<2x4x8x3xf32>
}

// CHECK-LABEL: func @part(
// CHECK-SAME:    -> tensor<2x3x7x3xf32>
// CHECK-NEXT:    hamkaas.winograd_output %{{.*}} to [3, 7] : tensor<6x6x2x1x2x3xf32>
func.func @part(%x: tensor<6x6x2x1x2x3xf32>) -> tensor<2x3x7x3xf32> {
  %0 = hamkaas.winograd_output %x to [3, 7] : tensor<6x6x2x1x2x3xf32>
  return %0 : tensor<2x3x7x3xf32>
}

// CHECK-LABEL: func @integers(
// CHECK-SAME:    -> tensor<2x3x7x3xi32>
// CHECK-NEXT:    hamkaas.winograd_output %{{.*}} to [3, 7] : tensor<6x6x2x1x2x3xi32>
func.func @integers(%x: tensor<6x6x2x1x2x3xi32>) -> tensor<2x3x7x3xi32> {
  %0 = hamkaas.winograd_output %x to [3, 7] : tensor<6x6x2x1x2x3xi32>
  return %0 : tensor<2x3x7x3xi32>
}

// CHECK-LABEL: func @groups(
// CHECK-SAME:    -> tensor<2x3x7x15xf32>
// CHECK-NEXT:    hamkaas.winograd_output %{{.*}} to [3, 7] : tensor<6x6x5x2x1x2x3xf32>
func.func @groups(%x: tensor<6x6x5x2x1x2x3xf32>) -> tensor<2x3x7x15xf32> {
  %0 = hamkaas.winograd_output %x to [3, 7] : tensor<6x6x5x2x1x2x3xf32>
  return %0 : tensor<2x3x7x15xf32>
}
