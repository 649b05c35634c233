// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @kernel(
// CHECK:         hamkaas.has_cpu_feature dot_products : i1
// CHECK:         hamkaas.has_cpu_feature tile_products : i1
func.func @kernel() -> (i1, i1) {
  %dot = hamkaas.has_cpu_feature dot_products : i1
  %tile = hamkaas.has_cpu_feature tile_products : i1
  return %dot, %tile : i1, i1
}
