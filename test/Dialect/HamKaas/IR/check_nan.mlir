// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @floats(
// CHECK:         hamkaas.check_nan %{{.*}}, "input 'x'" : tensor<2x3xf32>
func.func @floats(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.check_nan %x, "input 'x'" : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
