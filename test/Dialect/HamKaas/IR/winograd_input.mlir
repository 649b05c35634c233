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
