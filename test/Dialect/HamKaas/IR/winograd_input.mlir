// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @tiles(
// CHECK-SAME:    -> tensor<6x6x2x1x2x3xf32>
// CHECK-NEXT:    hamkaas.winograd_input %{{.*}} tile 4 : tensor<2x6x10x3xf32>
func.func @tiles(%x: tensor<2x6x10x3xf32>) -> tensor<6x6x2x1x2x3xf32> {
  %0 = hamkaas.winograd_input %x tile 4 : tensor<2x6x10x3xf32>
  return %0 : tensor<6x6x2x1x2x3xf32>
}

// CHECK-LABEL: func @integers(
// CHECK-SAME:    -> tensor<4x4x2x2x4x3xi16>
// CHECK-NEXT:    hamkaas.winograd_input %{{.*}} tile 2 : tensor<2x6x10x3xi16>
func.func @integers(%x: tensor<2x6x10x3xi16>) -> tensor<4x4x2x2x4x3xi16> {
  %0 = hamkaas.winograd_input %x tile 2 : tensor<2x6x10x3xi16>
  return %0 : tensor<4x4x2x2x4x3xi16>
}

// CHECK-LABEL: func @groups(
// CHECK-SAME:    -> tensor<6x6x5x2x1x2x3xf32>
// CHECK-NEXT:    hamkaas.winograd_input %{{.*}} tile 4 groups 5 : tensor<2x6x10x15xf32>
func.func @groups(%x: tensor<2x6x10x15xf32>) -> tensor<6x6x5x2x1x2x3xf32> {
  %0 = hamkaas.winograd_input %x tile 4 groups 5 : tensor<2x6x10x15xf32>
  return %0 : tensor<6x6x5x2x1x2x3xf32>
}

// CHECK-LABEL: func @row(
// CHECK-SAME:    -> tensor<1x8x2x6x3x3xf32>
// CHECK-NEXT:    hamkaas.winograd_input %{{.*}} tile 2 window [1, 7] : tensor<2x6x12x3xf32>
func.func @row(%x: tensor<2x6x12x3xf32>) -> tensor<1x8x2x6x3x3xf32> {
  %0 = hamkaas.winograd_input %x tile 2 window [1, 7] : tensor<2x6x12x3xf32>
  return %0 : tensor<1x8x2x6x3x3xf32>
}

// CHECK-LABEL: func @column_of_groups(
// CHECK-SAME:    -> tensor<6x1x5x2x2x10x3xf32>
// CHECK-NEXT:    hamkaas.winograd_input %{{.*}} tile 4 window [3, 1] groups 5 : tensor<2x10x10x15xf32>
func.func @column_of_groups(%x: tensor<2x10x10x15xf32>) -> tensor<6x1x5x2x2x10x3xf32> {
  %0 = hamkaas.winograd_input %x tile 4 window [3, 1] groups 5 : tensor<2x10x10x15xf32>
  return %0 : tensor<6x1x5x2x2x10x3xf32>
}

// CHECK-LABEL: func @square(
// CHECK-SAME:    -> tensor<6x6x2x2x3x3xf32>
// CHECK-NEXT:    hamkaas.winograd_input %{{.*}} tile 3 window [4, 4] : tensor<2x9x12x3xf32>
func.func @square(%x: tensor<2x9x12x3xf32>) -> tensor<6x6x2x2x3x3xf32> {
  %0 = hamkaas.winograd_input %x tile 3 window [4, 4] : tensor<2x9x12x3xf32>
  return %0 : tensor<6x6x2x2x3x3xf32>
}
