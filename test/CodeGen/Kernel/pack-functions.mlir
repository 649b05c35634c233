// RUN: hamkaas-compile %s --emit=kernels --target-cpu=x86-64-v4 | FileCheck %s

// Functions read a matrix in one layout, that of the product with most work:
// its own program would pack what @decode reads joined, in wider panels.

// CHECK-LABEL: func @prepare(
// CHECK:         call @{{.*}}"pack"
// CHECK:         call @{{.*}}"pack"
// CHECK-NOT:     "pack"
// CHECK-LABEL: func @prefill(
// CHECK-SAME:    tensor<16x288x48xf32> {hamkaas.index = 0 : i64
// CHECK-SAME:    tensor<16x288x48xf32> {hamkaas.index = 1 : i64
// CHECK-LABEL: func @decode(
// CHECK-SAME:    tensor<16x288x48xf32> {hamkaas.index = 0 : i64
// CHECK-SAME:    tensor<16x288x48xf32> {hamkaas.index = 1 : i64

ml_program.global private @w(#ml_program.extern : tensor<288x768xf32>) : tensor<288x768xf32>
ml_program.global private @v(#ml_program.extern : tensor<768x288xf32>) : tensor<768x288xf32>
func.func @prefill(%x: tensor<256x288xf32> {hamkaas.name = "x"}) -> (tensor<256x768xf32> {hamkaas.name = "y"},tensor<256x768xf32> {hamkaas.name = "z"}) {
  %w = ml_program.global_load_const @w : tensor<288x768xf32>
  %0 = hamkaas.matmul %x, %w : tensor<256x288xf32>, tensor<288x768xf32>
  %v = ml_program.global_load_const @v : tensor<768x288xf32>
  %vt = hamkaas.permute %v [1, 0] : tensor<768x288xf32>
  %1 = hamkaas.matmul %x, %vt : tensor<256x288xf32>, tensor<288x768xf32>
  return %0, %1 : tensor<256x768xf32>, tensor<256x768xf32>
}
func.func @decode(%x: tensor<1x288xf32> {hamkaas.name = "x"}) -> (tensor<1x768xf32> {hamkaas.name = "y"}, tensor<1x768xf32> {hamkaas.name = "z"}) {
  %w = ml_program.global_load_const @w : tensor<288x768xf32>
  %0 = hamkaas.matmul %x, %w : tensor<1x288xf32>, tensor<288x768xf32>
  %v = ml_program.global_load_const @v : tensor<768x288xf32>
  %vt = hamkaas.permute %v [1, 0] : tensor<768x288xf32>
  %1 = hamkaas.matmul %x, %vt : tensor<1x288xf32>, tensor<288x768xf32>
  return %0, %1 : tensor<1x768xf32>, tensor<1x768xf32>
}
