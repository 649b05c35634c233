// RUN: hamkaas-compile %s --target=cuda --no-optimize=fuse-calls --emit=ptx | FileCheck %s

// A thread moves 16 contiguous bytes at a time.

#extern = #ml_program.extern
ml_program.global private @w(#ml_program.extern<tensor<768x512xf32>>) : tensor<768x512xf32>

func.func @main(%x: tensor<512x768xf32> {hamkaas.name = "x"}, %b: tensor<1x768xf32> {hamkaas.name = "b"}, %s: tensor<4096x1024xf32> {hamkaas.name = "s"}, %y: tensor<512x770xf32> {hamkaas.name = "y"}, %v: tensor<1x768xf32> {hamkaas.name = "v"})
    -> (tensor<512x768xf32> {hamkaas.name = "r0"}, tensor<512x770xf32> {hamkaas.name = "r1"}, tensor<512x766xf32> {hamkaas.name = "r2"}, tensor<512x1540xf32> {hamkaas.name = "r3"}, tensor<512x768xf32> {hamkaas.name = "r4"}, tensor<4096x1024xf32> {hamkaas.name = "r5"}, tensor<512xf32> {hamkaas.name = "r6"}, tensor<1x512xf32> {hamkaas.name = "r7"}) {

// Panels of the weights are packed before. Then two reads of each operand before
// the first write.

// CHECK-LABEL: .entry k0(
// CHECK-LABEL: .entry k1(
// CHECK-COUNT-4: ld.global{{(.nc)?}}.v4.b32
// CHECK-COUNT-2: st.global.v4.b32
// CHECK-NOT:     {{(ld|st).global}}
  %0 = hamkaas.mul %x, %b : tensor<512x768xf32>, tensor<1x768xf32>
  %r0 = hamkaas.relu %0 : tensor<512x768xf32>

// Rows of an even number of elements: 8 bytes.

// CHECK-LABEL: .entry k2(
// CHECK-NOT:     ld.global{{(.nc)?}}.b32
// CHECK:         ld.global{{(.nc)?}}.v2.b32
// CHECK:         st.global.v2.b32
  %r1 = hamkaas.relu %y : tensor<512x770xf32>

// Elements that begin at an odd place are moved one by one.

// CHECK-LABEL: .entry k3(
// CHECK-NOT:     ld.global{{(.nc)?}}.v
// CHECK:         ld.global{{(.nc)?}}.b32
// CHECK-NOT:     st.global.v
// CHECK:         st.global.b32
  %2 = hamkaas.strided_slice %x offsets [0, 1] sizes [512, 766] strides [1, 1] : tensor<512x768xf32>
  %r2 = hamkaas.neg %2 : tensor<512x766xf32>

// CHECK-LABEL: .entry k4(
// CHECK:         ld.global{{(.nc)?}}.v2.b32
// CHECK:         st.global.v2.b32
  %r3 = hamkaas.concat %y, %y dim 1 : tensor<512x770xf32>, tensor<512x770xf32>

// A row is read once: later passes find it in registers. Two warps have a half
// each where there are few.

// CHECK-LABEL: .entry k5(
// CHECK-COUNT-3: ld.global{{(.nc)?}}.v4.b32
// CHECK-NOT:     ld.global
// CHECK:         shfl.sync
// CHECK:         bar.sync
// CHECK-NOT:     ld.global
// CHECK-COUNT-3: st.global.v4.b32
// CHECK-NOT:     {{(ld|st).global}}
  %r4 = hamkaas.layer_norm %x epsilon 1.0e-5 : tensor<512x768xf32>

// CHECK-LABEL: .entry k6(
// CHECK-COUNT-8: ld.global{{(.nc)?}}.v4.b32
// CHECK-NOT:     ld.global
// CHECK:         shfl.sync
// CHECK-NOT:     ld.global
// CHECK-COUNT-8: st.global.v4.b32
// CHECK-NOT:     {{(ld|st).global}}
  %r5 = hamkaas.sliced_softmax %s static_prefix 1024 : tensor<4096x1024xf32>

// CHECK-LABEL: .entry k7(
// CHECK-NOT:     ld.global{{(.nc)?}}.v
// CHECK-COUNT-8: ld.global{{(.nc)?}}.b32
// CHECK:         st.global.b32
  %r6 = hamkaas.reduce sum %x over [1] : tensor<512x768xf32>

// A vector by a matrix: four columns a thread, four reads on their way.

// CHECK-LABEL: .entry k8(
// CHECK-COUNT-4: ld.global{{(.nc)?}}.v4.b32
// CHECK-COUNT-16: fma.rn.f32
// CHECK:         st.shared.v4.b32
// CHECK:         bar.sync
  %w = ml_program.global_load_const @w : tensor<768x512xf32>
  %r7 = hamkaas.matmul %v, %w : tensor<1x768xf32>, tensor<768x512xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7 : tensor<512x768xf32>, tensor<512x770xf32>, tensor<512x766xf32>, tensor<512x1540xf32>, tensor<512x768xf32>, tensor<4096x1024xf32>, tensor<512xf32>, tensor<1x512xf32>
}
