// RUN: hamkaas-opt %s -hamkaas-gpu-lower-device | FileCheck %s

gpu.module @device {

// CHECK: llvm.mlir.global external @[[DYNAMIC:.*]]() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>

// Buffers are addresses, and what the launch says stays.

// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME:    %[[X:[^:]*]]: !llvm.ptr, %[[OUT:[^:]*]]: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64)
// CHECK-SAME:    nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>
// CHECK:         nvvm.read.ptx.sreg.laneid
// CHECK:         %[[AT:.*]] = llvm.getelementptr {{.*}}%{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK:         llvm.load %[[AT]]
// CHECK:         nvvm.shfl.sync bfly
// CHECK:         nvvm.bar.warp.sync
// CHECK:         llvm.store
  gpu.func @kernel(%x: memref<64xf32>, %out: memref<64xf32>, %failure: memref<5xi64>, %call: i64) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %all = arith.constant -1 : i32
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %lane = gpu.lane_id
    %v = memref.load %x[%lane] : memref<64xf32>
    %w, %valid = gpu.shuffle xor %v, %one, %width : f32
    nvvm.bar.warp.sync %all : i32
    memref.store %w, %out[%lane] : memref<64xf32>
    gpu.return
  }

// Functions that are instructions, and others.

// CHECK-LABEL: llvm.func @functions(
// CHECK:         llvm.intr.fma({{.*}} : (f32, f32, f32) -> f32
// CHECK:         llvm.intr.sqrt({{.*}} : (f32) -> f32
// CHECK:         llvm.intr.fabs({{.*}} : (f64) -> f64
// CHECK:         llvm.intr.roundeven({{.*}} : (f32) -> f32
// CHECK:         llvm.call @__nv_sinf({{.*}}) : (f32) -> f32
// CHECK:         llvm.call @__nv_exp({{.*}}) : (f64) -> f64
// CHECK:         llvm.call @__nv_fmodf(
  gpu.func @functions(%x: memref<4xf32>, %y: memref<4xf64>) kernel {
    %c0 = arith.constant 0 : index
    %f = memref.load %x[%c0] : memref<4xf32>
    %d = memref.load %y[%c0] : memref<4xf64>
    %0 = math.fma %f, %f, %f : f32
    %1 = math.sqrt %0 : f32
    %2 = math.absf %d : f64
    %3 = math.roundeven %1 : f32
    %4 = math.sin %3 : f32
    %5 = math.exp %2 : f64
    %6 = arith.remf %4, %f : f32
    memref.store %6, %x[%c0] : memref<4xf32>
    memref.store %5, %y[%c0] : memref<4xf64>
    gpu.return
  }

// The upper half of a float32 is an integer in memory.

// CHECK-LABEL: llvm.func @bfloat16(
// CHECK:         %[[BITS:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK:         %[[WIDE:.*]] = llvm.zext %[[BITS]] : i16 to i32
// CHECK:         llvm.shl %[[WIDE]]
// CHECK-NOT:     bf16
  gpu.func @bfloat16(%x: memref<4xbf16>, %y: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %b = memref.load %x[%c0] : memref<4xbf16>
    %f = arith.extf %b : bf16 to f32
    memref.store %f, %y[%c0] : memref<4xf32>
    gpu.return
  }

// Shared memory, and views of views.

// CHECK-LABEL: llvm.func @shared(
// CHECK:         %[[SHARED:.*]] = llvm.mlir.addressof @[[DYNAMIC]] : !llvm.ptr<3>
// CHECK:         llvm.load %{{.*}} : !llvm.ptr<3> -> f32
  gpu.func @shared(%y: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %square = memref.view %bytes[%c64][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4x4xf32, #gpu.address_space<workgroup>>
    %flat = memref.collapse_shape %square [[0, 1]] : memref<4x4xf32, #gpu.address_space<workgroup>> into memref<16xf32, #gpu.address_space<workgroup>>
    %f = memref.load %flat[%c0] : memref<16xf32, #gpu.address_space<workgroup>>
    memref.store %f, %y[%c0] : memref<4xf32>
    gpu.return
  }
}
