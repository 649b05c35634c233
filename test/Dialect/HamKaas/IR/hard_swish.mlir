// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @hard_swish(
// CHECK:         hamkaas.hard_swish %{{.*}} : tensor<2x3xf32>
func.func @hard_swish(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.hard_swish %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
