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

// CHECK-LABEL: func @row(
// CHECK-SAME:    -> tensor<2x6x5x3xf32>
// CHECK-NEXT:    hamkaas.winograd_output %{{.*}} window [1, 7] to [6, 5] : tensor<1x8x2x6x3x3xf32>
func.func @row(%x: tensor<1x8x2x6x3x3xf32>) -> tensor<2x6x5x3xf32> {
  %0 = hamkaas.winograd_output %x window [1, 7] to [6, 5] : tensor<1x8x2x6x3x3xf32>
  return %0 : tensor<2x6x5x3xf32>
}

// CHECK-LABEL: func @column_of_groups(
// CHECK-SAME:    -> tensor<2x8x10x15xf32>
// CHECK-NEXT:    hamkaas.winograd_output %{{.*}} window [3, 1] : tensor<6x1x5x2x2x10x3xf32>
func.func @column_of_groups(%x: tensor<6x1x5x2x2x10x3xf32>) -> tensor<2x8x10x15xf32> {
  %0 = hamkaas.winograd_output %x window [3, 1] : tensor<6x1x5x2x2x10x3xf32>
  return %0 : tensor<2x8x10x15xf32>
}
