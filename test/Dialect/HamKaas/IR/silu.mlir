// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @silu(
// CHECK:         hamkaas.silu %{{.*}} : tensor<2x3xf32>
func.func @silu(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.silu %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @scalar(
// CHECK:         hamkaas.silu %{{.*}} : tensor<f32>
func.func @scalar(%x: tensor<f32>) -> tensor<f32> {
  %0 = hamkaas.silu %x : tensor<f32>
  return %0 : tensor<f32>
}
