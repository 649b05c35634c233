// RUN: hamkaas-opt %s "-hamkaas-to-device=target=cuda no-optimize=fuse-calls precision=tf32" | FileCheck %s
// RUN: hamkaas-opt %s "-hamkaas-to-device=target=cuda no-optimize=fuse-calls precision=3xtf32" | FileCheck %s --check-prefix=SPLIT
// RUN: hamkaas-opt %s "-hamkaas-to-device=target=cuda no-optimize=fuse-calls precision=bf16" | FileCheck %s --check-prefix=BF16
// RUN: hamkaas-opt %s "-hamkaas-to-device=target=cuda no-optimize=fuse-calls" | FileCheck %s --check-prefix=EXACT
// RUN: hamkaas-opt %s -hamkaas-to-kernels=target-cpu=x86-64 | not hamkaas-opt -hamkaas-gpu-emit-kernels 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: hamkaas-compile %s --target=cuda --no-optimize=fuse-calls --precision=tf32 --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: hamkaas-compile %s --target=cuda --no-optimize=fuse-calls --precision=3xtf32 --emit=ptx | FileCheck %s --check-prefix=PTX3
// RUN: hamkaas-compile %s --target=cuda --no-optimize=fuse-calls --precision=bf16 --emit=ptx | FileCheck %s --check-prefix=PTXBF16

// Factors are read in pairs, before the products of the ones read earlier, which
// all threads of a warp multiply as they are: tensor cores ignore the lower bits
// of tf32. A barrier stands between the last
// product and the sums, which go through the memory that held the factors. A
// thread writes sums of its own, two at once, and waits before it reads those of
// others.

// CHECK:         gpu.func @{{.*}}: memref<200x64xf32>
// CHECK-SAME:    nvvm.minctasm = 
// CHECK:         nvgpu.device_async_copy
// CHECK:         nvgpu.device_async_wait {{.*}} {numGroups = 2 : i32}
// CHECK-NEXT:    gpu.barrier
// CHECK:         %[[PAIR:.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> vector<2xf32>
// CHECK-NEXT:    %[[FIRST:.*]] = llvm.extractelement %[[PAIR]][
// CHECK-NOT:     nvvm.mma.sync
// CHECK:         scf.for {{.*}} %[[NUMBER:[^ ]*]] = %[[FIRST]],
// CHECK:           llvm.load {{.*}} : !llvm.ptr<3> -> vector<2xf32>
// CHECK:           %[[BITS:.*]] = arith.bitcast %[[NUMBER]] : f32 to i32
// CHECK:           nvvm.mma.sync A[%[[BITS]], {{.*}} multiplicandAPtxType = #nvvm.mma_type<tf32>{{.*}} shape = #nvvm.shape<m = 16, n = 8, k = 8>
// CHECK:           nvgpu.device_async_wait {{.*}} {numGroups = 1 : i32}
// CHECK-NEXT:      gpu.barrier
// CHECK:           nvgpu.device_async_copy
// CHECK:           llvm.load {{.*}} : !llvm.ptr<3> -> vector<2xf32>
// CHECK:           nvvm.mma.sync
// CHECK:         gpu.barrier
// CHECK-NOT:     nvvm.bar.warp.sync
// CHECK:         llvm.store {{.*}} : vector<2xf32>, !llvm.ptr<3>
// CHECK-NOT:     nvvm.bar.warp.sync
// CHECK:         llvm.store {{.*}} : vector<2xf32>, !llvm.ptr<3>
// CHECK:         nvvm.bar.warp.sync
// CHECK:         scf.for
// CHECK-NOT:       nvvm.bar.warp.sync
// CHECK:           memref.load {{.*}} #gpu.address_space<workgroup>>

// Three products of a large and a small part, which are added to the sum as
// float32.

// SPLIT:      %[[BITS:.*]] = arith.bitcast %[[X:.*]] : f32 to i32
// SPLIT-NEXT: %[[SUM:.*]] = arith.addi %[[BITS]], %c4096_i32 : i32
// SPLIT-NEXT: %[[UPPER:.*]] = arith.andi %[[SUM]], %c-8192_i32 : i32
// SPLIT-NEXT: %[[ROUNDED:.*]] = arith.bitcast %[[UPPER]] : i32 to f32
// SPLIT-NEXT: arith.subf %[[X]], %[[ROUNDED]] : f32
// SPLIT:      nvvm.mma.sync {{.*}} C[%[[ZERO:.*]], %[[ZERO]], %[[ZERO]], %[[ZERO]]]
// SPLIT:      %[[FIRST:.*]] = llvm.extractvalue %{{.*}}[0]
// SPLIT:      nvvm.mma.sync {{.*}} C[%[[FIRST]],
// SPLIT:      nvvm.mma.sync
// SPLIT:      %[[PRODUCT:.*]] = llvm.extractvalue %{{.*}}[0]
// SPLIT:      arith.addf %{{.*}}, %[[PRODUCT]] : f32

// BF16: %[[PAIR:.*]] = nvvm.convert.f32x2.to.bf16x2 {{.*}} : vector<2xbf16>
// BF16: llvm.bitcast %[[PAIR]] : vector<2xbf16> to i32
// BF16: nvvm.mma.sync {{.*}} multiplicandAPtxType = #nvvm.mma_type<bf16>{{.*}} shape = #nvvm.shape<m = 16, n = 8, k = 16>

// EXACT-NOT: nvvm.mma.sync
// EXACT:     math.fma

// Winograd's method would make the errors larger.

// RUN: hamkaas-opt %s -hamkaas-to-kernels=target=cuda | FileCheck %s --check-prefix=WINOGRAD
// RUN: hamkaas-opt %s "-hamkaas-to-kernels=target=cuda precision=3xtf32" | FileCheck %s --check-prefix=DIRECT
// WINOGRAD:   #hamkaas.kernel<transform>
// DIRECT-NOT: #hamkaas.kernel<transform>

// LEVEL: error: expected a target that is a GPU, got #hamkaas.target<"cpu", chip = "x86-64">

// PTX-NOT:     cvt.rna.tf32.f32
// PTX:         mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// PTX3-COUNT-3: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// PTXBF16:     cvt.rn.bf16x2.f32
// PTXBF16:     mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32

ml_program.global private @v(#ml_program.extern<tensor<3x3x40x64xf32>>) : tensor<3x3x40x64xf32>

func.func @main(%x: tensor<200x64xf32> {hamkaas.name = "x"}, %w: tensor<64x96xf32> {hamkaas.name = "w"}, %b: tensor<1x96xf32> {hamkaas.name = "b"},
                %image: tensor<1x28x32x40xf32> {hamkaas.name = "image"})
    -> (tensor<200x96xf32> {hamkaas.name = "y"}, tensor<1x28x32x64xf32> {hamkaas.name = "z"}) {
  %0 = hamkaas.matmul %x, %w : tensor<200x64xf32>, tensor<64x96xf32>
  %1 = hamkaas.add %0, %b : tensor<200x96xf32>, tensor<1x96xf32>
  %2 = hamkaas.relu %1 : tensor<200x96xf32>
  %v = ml_program.global_load_const @v : tensor<3x3x40x64xf32>
  %3 = hamkaas.conv %image, %v strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x28x32x40xf32>, tensor<3x3x40x64xf32>
  return %2, %3 : tensor<200x96xf32>, tensor<1x28x32x64xf32>
}
