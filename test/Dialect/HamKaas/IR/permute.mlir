// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @rotate(
// CHECK:         hamkaas.permute %{{.*}}[2, 0, 1] : tensor<2x3x4xf32>
func.func @rotate(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = hamkaas.permute %x[2, 0, 1] : tensor<2x3x4xf32>
  return %0 : tensor<4x2x3xf32>
}

// CHECK-LABEL: func @integers(
// CHECK:         hamkaas.permute %{{.*}}[1, 0] : tensor<2x3xi64>
func.func @integers(%x: tensor<2x3xi64>) -> tensor<3x2xi64> {
  %0 = hamkaas.permute %x[1, 0] : tensor<2x3xi64>
  return %0 : tensor<3x2xi64>
}
