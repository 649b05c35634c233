// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @orders(
// CHECK:         hamkaas.argsort %{{.*}} : tensor<2x5xf32>
// CHECK:         hamkaas.argsort %{{.*}} {descending} : tensor<2x5xi64>
// CHECK:         hamkaas.argsort %{{.*}} first 3 {descending} : tensor<2x5xi64>
func.func @orders(%x: tensor<2x5xf32>) -> tensor<2x3xi64> {
  %0 = hamkaas.argsort %x : tensor<2x5xf32>
  %1 = hamkaas.argsort %0 {descending} : tensor<2x5xi64>
  %2 = hamkaas.argsort %1 first 3 {descending} : tensor<2x5xi64>
  return %2 : tensor<2x3xi64>
}
