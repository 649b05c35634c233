// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @kernel(
// CHECK:         hamkaas.has_dot_products : i1
func.func @kernel() -> i1 {
  %has = hamkaas.has_dot_products : i1
  return %has : i1
}
