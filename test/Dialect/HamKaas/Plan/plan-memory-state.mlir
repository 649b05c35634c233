// RUN: hamkaas-opt %s -hamkaas-to-planned=target-cpu=x86-64-v3 | FileCheck %s

// A cache is updated in place, and read in another shape: it is not copied.

// CHECK-LABEL: func.func @main(
// CHECK:         call @k0
// CHECK-NOT:     memref.copy
// CHECK:         call @k1
// CHECK-NOT:     memref.copy
// CHECK:         return
ml_program.global private mutable @cache(dense<0.0> : tensor<8x4xf32>) : tensor<8x4xf32>
func.func @main(%row: tensor<1x4xf32> {hamkaas.name = "row"}, %begin: tensor<1xi64> {hamkaas.name = "begin"}, %end: tensor<1xi64> {hamkaas.name = "end"}) -> (tensor<2x4x4xf32> {hamkaas.name = "y"}) {
  %0 = ml_program.global_load @cache : tensor<8x4xf32>
  %1 = hamkaas.replace_slice %0, %row, %begin, %end : tensor<8x4xf32>, tensor<1x4xf32>
  ml_program.global_store @cache = %1 : tensor<8x4xf32>
  %2 = hamkaas.reshape %1 : tensor<8x4xf32> -> tensor<2x4x4xf32>
  %3 = hamkaas.relu %2 : tensor<2x4x4xf32>
  return %3 : tensor<2x4x4xf32>
}
