// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @rows(
// CHECK:         hamkaas.layer_norm %{{.*}} epsilon 1.000000e-05 : tensor<2x8xf32>
func.func @rows(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = hamkaas.layer_norm %x epsilon 1.0e-5 : tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// CHECK-LABEL: func @row(
// CHECK:         hamkaas.layer_norm %{{.*}} epsilon 0.000000e+00 : tensor<8xf16>
func.func @row(%x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = hamkaas.layer_norm %x epsilon 0.0 : tensor<8xf16>
  return %0 : tensor<8xf16>
}
