// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @sums(
// CHECK:         hamkaas.cumsum %{{.*}} dim 1 : tensor<2x5xf32>
// CHECK:         hamkaas.cumsum %{{.*}} dim 0 {exclusive, reverse} : tensor<2x5xf32>
func.func @sums(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %0 = hamkaas.cumsum %x dim 1 : tensor<2x5xf32>
  %1 = hamkaas.cumsum %0 dim 0 {exclusive, reverse} : tensor<2x5xf32>
  return %1 : tensor<2x5xf32>
}
