// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @rows(
// CHECK:         hamkaas.slice %{{.*}}[1, 3] : tensor<4x2xf32>
func.func @rows(%x: tensor<4x2xf32>) -> tensor<2x2xf32> {
  %0 = hamkaas.slice %x[1, 3] : tensor<4x2xf32>
  return %0 : tensor<2x2xf32>
}

// CHECK-LABEL: func @integers(
// CHECK:         hamkaas.slice %{{.*}}[0, 1] : tensor<3xi64>
func.func @integers(%x: tensor<3xi64>) -> tensor<1xi64> {
  %0 = hamkaas.slice %x[0, 1] : tensor<3xi64>
  return %0 : tensor<1xi64>
}
