// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @rows(
// CHECK-SAME:    -> tensor<2x3xf32>
// CHECK:         hamkaas.log_sum_exp %{{.*}} : tensor<2x3x4xf32>
func.func @rows(%x: tensor<2x3x4xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.log_sum_exp %x : tensor<2x3x4xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @one_row(
// CHECK-SAME:    -> tensor<bf16>
// CHECK:         hamkaas.log_sum_exp %{{.*}} : tensor<5xbf16>
func.func @one_row(%x: tensor<5xbf16>) -> tensor<bf16> {
  %0 = hamkaas.log_sum_exp %x : tensor<5xbf16>
  return %0 : tensor<bf16>
}
