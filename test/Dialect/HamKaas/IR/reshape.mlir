// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @floats(
// CHECK:         hamkaas.reshape %{{.*}} : tensor<2x12xf32> -> tensor<24xf32>
func.func @floats(%x: tensor<2x12xf32>) -> tensor<24xf32> {
  %0 = hamkaas.reshape %x : tensor<2x12xf32> -> tensor<24xf32>
  return %0 : tensor<24xf32>
}

// CHECK-LABEL: func @integers(
// CHECK:         hamkaas.reshape %{{.*}} : tensor<1xi64> -> tensor<1x1xi64>
func.func @integers(%x: tensor<1xi64>) -> tensor<1x1xi64> {
  %0 = hamkaas.reshape %x : tensor<1xi64> -> tensor<1x1xi64>
  return %0 : tensor<1x1xi64>
}

// CHECK-LABEL: func @scalar(
// CHECK:         hamkaas.reshape %{{.*}} : tensor<1x1xf32> -> tensor<f32>
func.func @scalar(%x: tensor<1x1xf32>) -> tensor<f32> {
  %0 = hamkaas.reshape %x : tensor<1x1xf32> -> tensor<f32>
  return %0 : tensor<f32>
}
