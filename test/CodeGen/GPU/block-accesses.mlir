// RUN: hamkaas-compile %s --target=cuda --no-optimize=fuse-calls --emit=ptx | FileCheck %s

// A block of threads multiplies what is in shared memory: sixteen reads for 256
// products, four numbers each. The sums go through shared memory to threads that
// write two columns each, here behind an epilogue.

// CHECK-LABEL: .entry k0(
// CHECK:         .reqntid 128, 1, 1
// CHECK:         .minnctapersm 3
// CHECK:         cp.async.cg.shared.global
// CHECK-COUNT-64: ld.shared.v4.b32
// CHECK-NOT:     ld.shared.v4
// CHECK:         st.shared.v4.b32
// CHECK:         bar.sync
// CHECK:         ld.shared.v2.b32
// CHECK:         ld.global{{(.nc)?}}.v2.b32
// CHECK:         st.global.v2.b32
// CHECK-NOT:     st.global.b32
// CHECK-LABEL: .entry k1(
func.func @main(%x: tensor<1024x1024xf32> {hamkaas.name = "x"}, %w: tensor<1024x1024xf32> {hamkaas.name = "w"}, %b: tensor<1x1024xf32> {hamkaas.name = "b"}) -> (tensor<1024x1024xf32> {hamkaas.name = "a"}, tensor<1024x1024xf32> {hamkaas.name = "c"}) {
  %0 = hamkaas.matmul %x, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  %1 = hamkaas.add %0, %b : tensor<1024x1024xf32>, tensor<1x1024xf32>
  %2 = hamkaas.relu %1 : tensor<1024x1024xf32>
  %3 = hamkaas.gelu %x : tensor<1024x1024xf32>
  return %2, %3 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
}
