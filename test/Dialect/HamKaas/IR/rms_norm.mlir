// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @vector(
// CHECK:         hamkaas.rms_norm %{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>
func.func @vector(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %0 = hamkaas.rms_norm %x, %w : tensor<8xf32>, tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @rows(
// CHECK:         hamkaas.rms_norm %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8xf32>
func.func @rows(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = hamkaas.rms_norm %x, %w : tensor<4x8xf32>, tensor<8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @epsilon(
// CHECK:         hamkaas.rms_norm %{{.*}}, %{{.*}} epsilon 0.000000e+00 : tensor<8xf32>, tensor<8xf32>
func.func @epsilon(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %0 = hamkaas.rms_norm %x, %w epsilon 0.0 : tensor<8xf32>, tensor<8xf32>
  return %0 : tensor<8xf32>
}
