// RUN: hamkaas-compile %s --target=cuda --no-optimize=fuse-calls --emit=ptx | FileCheck %s
// RUN: hamkaas-compile %s --target=cuda --no-optimize=fuse-calls --emit=ptx --gpu-arch=compute_90a | FileCheck %s --check-prefix=ARCH

// CHECK: .version 8.0
// CHECK: .target sm_80
// ARCH:  .target sm_90a

func.func @main(%x: tensor<100x64xf32> {hamkaas.name = "x"}, %w: tensor<64x96xf32> {hamkaas.name = "w"}, %b: tensor<1x64xf32> {hamkaas.name = "b"}, %p: tensor<1xi64> {hamkaas.name = "p"}, %image: tensor<1x8x8x32xf32> {hamkaas.name = "image"})
    -> (tensor<100x64xf32> {hamkaas.name = "a"}, tensor<100x96xf32> {hamkaas.name = "c"}, tensor<100x64xf32> {hamkaas.name = "d"}, tensor<64x100xf32> {hamkaas.name = "e"}, tensor<64xf32> {hamkaas.name = "f"}, tensor<100x64xf32> {hamkaas.name = "g"}, tensor<1x4x4x32xf32> {hamkaas.name = "h"}) {

// A tree of elementwise operations: each product and sum is rounded, so that
// ptxas does not fuse them. Memory is that of the GPU, not any.

// CHECK-LABEL: .entry k0(
// CHECK:         .reqntid 32, 1, 1
// CHECK:         mov.u32 %{{.*}}, %laneid;
// CHECK-NOT:     ld.b32
// CHECK:         ld.global{{(.nc)?}}.b32
// CHECK:         mul.rn.f32
// CHECK:         add.rn.f32
// CHECK:         st.global.b32
  %0 = hamkaas.mul %x, %x : tensor<100x64xf32>, tensor<100x64xf32>
  %a = hamkaas.add %0, %b : tensor<100x64xf32>, tensor<1x64xf32>

// A contraction: sums stay in registers, what is multiplied comes through shared
// memory.

// CHECK-LABEL: .entry k1(
// CHECK:       $L__BB{{.*}}:
// CHECK:         cp.async.cg.shared.global
// CHECK:         fma.rn.f32
// CHECK:         st.global.b32
  %c = hamkaas.matmul %x, %w : tensor<100x64xf32>, tensor<64x96xf32>

// Rows: the sum goes across the lanes; a position is read from memory, and
// checked by one thread before, which tells the kernels behind it.

// CHECK-LABEL: .entry k2_checks(
// CHECK:         .reqntid 1, 1, 1
// CHECK:         st.global.b64
// CHECK-LABEL: .entry k2(
// CHECK:         setp.ne.b64
// CHECK:         shfl.sync.bfly.b32
// CHECK:         {{div|rcp}}.rn.f32
  %d = hamkaas.sliced_softmax %x prefix(%p) : tensor<100x64xf32>

// A transposition: rows and columns are exchanged through shared memory, whose
// rows are of 33 elements: those of a column are in as many banks.

// CHECK-LABEL: .entry k3(
// CHECK:         ld.global{{(.nc)?}}.b32
// CHECK:         st.shared.b32
// CHECK-NEXT:    st.shared.b32 [%rd{{[0-9]+}}+132]
// CHECK:         bar.warp.sync -1;
// CHECK:         ld.shared.b32
// CHECK:         st.global.b32
  %e = hamkaas.permute %x[1, 0] : tensor<100x64xf32>

// A reduction along rows that lie one after the other: no lane needs another.

// CHECK-LABEL: .entry k4(
// CHECK-NOT:     shfl
// CHECK:         add.rn.f32
// CHECK-NOT:     shfl
// CHECK-LABEL: .entry k5(
  %f = hamkaas.reduce sum %x over [0] : tensor<100x64xf32>

// The functions of CUDA's library are not called where there is a polynomial.

// CHECK-NOT:     ex2.approx
// CHECK:         fma.rn.f32
  %g = hamkaas.sigmoid %x : tensor<100x64xf32>

// Windows.

// CHECK-LABEL: .entry k6(
// CHECK:         setp.g{{[te]}}.f32
  %h = hamkaas.pool max %image window [2, 2] strides [2, 2] dilations [1, 1] pad [0, 0] to [0, 0] : tensor<1x8x8x32xf32>
  return %a, %c, %d, %e, %f, %g, %h : tensor<100x64xf32>, tensor<100x96xf32>, tensor<100x64xf32>, tensor<64x100xf32>, tensor<64xf32>, tensor<100x64xf32>, tensor<1x4x4x32xf32>
}
