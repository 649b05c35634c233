// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @erf(
// CHECK:         hamkaas.gelu %{{.*}} : tensor<2x3xf32>
func.func @erf(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.gelu %x approximate none : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @tanh(
// CHECK:         hamkaas.gelu %{{.*}} approximate tanh : tensor<f32>
func.func @tanh(%x: tensor<f32>) -> tensor<f32> {
  %0 = hamkaas.gelu %x approximate tanh : tensor<f32>
  return %0 : tensor<f32>
}
