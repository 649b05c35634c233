// RUN: hamkaas-opt %s "-hamkaas-to-kernels=target=cuda precision=bf16" | FileCheck %s
// RUN: hamkaas-opt %s "-hamkaas-to-kernels=target=cuda precision=tf32" | FileCheck %s --check-prefix=TF32
// RUN: hamkaas-opt %s "-hamkaas-to-kernels=target=cuda precision=3xtf32" | FileCheck %s --check-prefix=EXACT
// RUN: hamkaas-opt %s "-hamkaas-to-device=target=cuda precision=bf16" | FileCheck %s --check-prefix=DEVICE
// RUN: hamkaas-opt %s "-hamkaas-attach-target=target=cuda precision=bf16" -hamkaas-form-groups -hamkaas-lower-groups -hamkaas-gpu-round-factors | FileCheck %s --check-prefix=GROUPS

// Factors of large products are bfloat16 in memory: a parameter, and an input
// that is read often. Two products share the rounded input. An input that is
// too small, or whose rows are not at multiples of 16 bytes, stays float32, and
// with it the other factor.

// CHECK-LABEL: func.func @prepare(
// CHECK-SAME:    tensor<512x1024xf32>
// CHECK:         call @[[ROUND:.*]]({{.*}}) {hamkaas.ops = "round"} : {{.*}} -> tensor<512x1024xbf16>
// CHECK:         hamkaas.ops = "neg"}
// CHECK-NEXT:    call @[[ROUND]](
// CHECK-LABEL: func.func @main(
// CHECK:         %[[X:.*]] = call @{{.*}} {hamkaas.ops = "round"} : (tensor<640x512xf32>, tensor<640x512xbf16>)
// CHECK:         call @{{.*}}(%[[X]], {{.*}}hamkaas.ops = "matmul"} : (tensor<640x512xbf16>, tensor<512x1024xbf16>,
// CHECK:         call @{{.*}}(%[[X]], {{.*}}hamkaas.ops = "matmul+relu"} : (tensor<640x512xbf16>, tensor<512x1024xbf16>,
// CHECK:         hamkaas.ops = "matmul"} : (tensor<128x512xf32>,
// CHECK:         hamkaas.ops = "matmul"} : (tensor<640x510xf32>,

// CHECK:       func.func private @[[ROUND]]({{.*}} attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>}
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
// CHECK:         arith.extf %{{.*}} : bf16 to f32
// CHECK:         arith.extf %{{.*}} : bf16 to f32
// CHECK:         arith.mulf

// In groups, the input and the parameter are rounded before any product.

// GROUPS:         hamkaas.group {{ *}}elementwise(%{{.*}}) {hamkaas.ops = "round"} : (tensor<640x512xf32>) -> tensor<640x512xbf16>
// GROUPS:         hamkaas.group {{ *}}elementwise(%{{.*}}) {hamkaas.ops = "round"} : (tensor<512x1024xf32>) -> tensor<512x1024xbf16>
// GROUPS:         hamkaas.ops = "matmul"}

// Of TF32, parameters are rounded, and then packed.

// TF32:     func.func @prepare(
// TF32:       %[[W:.*]] = call @[[ROUND:.*]](%{{.*}}, %{{.*}}) {hamkaas.ops = "round"} : (tensor<512x1024xf32>, tensor<512x1024xf32>)
// TF32:       call @{{.*}}(%[[W]], {{.*}}) {hamkaas.ops = "pack"}
// TF32:     func.func @main(
// TF32-NOT:   hamkaas.ops = "round"
// TF32:     func.func private @[[ROUND]](
// TF32:       %[[BITS:.*]] = arith.bitcast %[[NUMBER:.*]] : f32 to i32
// TF32:       %[[SUM:.*]] = arith.addi %[[BITS]], %{{.*}} : i32
// TF32:       arith.andi %[[SUM]], %{{.*}} : i32
// TF32-NOT: bf16

// EXACT-NOT: hamkaas.ops = "round"

// Eight numbers are copied at once, two are in each register of a product, and
// the sums are float32 in the same memory.

// DEVICE:      memref.view {{.*}} to memref<4x32x128xbf16, #gpu.address_space<workgroup>>
// DEVICE:      nvgpu.device_async_copy {{.*}}, 8 {bypassL1} : memref<{{.*}}xbf16>
// DEVICE:      scf.for
// DEVICE:        llvm.load {{.*}} -> vector<2xi32>
// DEVICE-NOT:    nvvm.convert
// DEVICE:        nvvm.mma.sync {{.*}} multiplicandAPtxType = #nvvm.mma_type<bf16>
// DEVICE:      vector.load {{.*}} : memref<8192xf32, #gpu.address_space<workgroup>>

ml_program.global private @w(#ml_program.extern<tensor<512x1024xf32>>) : tensor<512x1024xf32>

func.func @main(%x: tensor<640x512xf32> {hamkaas.name = "x"}, %w: tensor<512x1024xf32> {hamkaas.name = "v"},
                %small: tensor<128x512xf32> {hamkaas.name = "small"},
                %narrow: tensor<640x510xf32> {hamkaas.name = "narrow"}, %u: tensor<510x1024xf32> {hamkaas.name = "u"})
    -> (tensor<640x1024xf32> {hamkaas.name = "y0"}, tensor<640x1024xf32> {hamkaas.name = "y1"}, tensor<128x1024xf32> {hamkaas.name = "y2"}, tensor<640x1024xf32> {hamkaas.name = "y3"}) {
  %p = ml_program.global_load_const @w : tensor<512x1024xf32>
  %0 = hamkaas.matmul %x, %p : tensor<640x512xf32>, tensor<512x1024xf32>
  %q = hamkaas.neg %p : tensor<512x1024xf32>
  %1 = hamkaas.matmul %x, %q : tensor<640x512xf32>, tensor<512x1024xf32>
  %2 = hamkaas.relu %1 : tensor<640x1024xf32>
  %3 = hamkaas.matmul %small, %p : tensor<128x512xf32>, tensor<512x1024xf32>
  %4 = hamkaas.matmul %narrow, %u : tensor<640x510xf32>, tensor<510x1024xf32>
  return %0, %2, %3, %4 : tensor<640x1024xf32>, tensor<640x1024xf32>, tensor<128x1024xf32>, tensor<640x1024xf32>
}
