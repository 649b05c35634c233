// RUN: hamkaas-compile %s --target=cuda --emit=ptx | FileCheck %s

// A block of threads multiplies what is in shared memory: twelve reads for 128
// products, four numbers each; and writes four columns a thread, here behind an
// epilogue.

// CHECK-LABEL: .entry k0(
// CHECK:         .reqntid 256, 1, 1
// CHECK:         .minnctapersm 2
// CHECK:         cp.async.cg.shared.global
// CHECK-COUNT-12: ld.shared.v4.b32
// CHECK-NOT:     ld.shared
// CHECK:         ld.global{{(.nc)?}}.v4.b32
// CHECK:         st.global.v4.b32
// CHECK-NOT:     st.global.b32
// CHECK-LABEL: .entry k1(
func.func @main(%x: tensor<1024x1024xf32> {hamkaas.name = "x"}, %w: tensor<1024x1024xf32> {hamkaas.name = "w"}, %b: tensor<1x1024xf32> {hamkaas.name = "b"}) -> (tensor<1024x1024xf32> {hamkaas.name = "a"}, tensor<1024x1024xf32> {hamkaas.name = "c"}) {
  %0 = hamkaas.matmul %x, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  %1 = hamkaas.add %0, %b : tensor<1024x1024xf32>, tensor<1x1024xf32>
  %2 = hamkaas.relu %1 : tensor<1024x1024xf32>
  %3 = hamkaas.gelu %x : tensor<1024x1024xf32>
  return %2, %3 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
}
