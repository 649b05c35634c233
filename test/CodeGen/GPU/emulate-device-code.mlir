// RUN: hamkaas-opt %s -split-input-file -hamkaas-gpu-emulate -canonicalize | FileCheck %s
// RUN: hamkaas-opt %s -split-input-file -hamkaas-gpu-emulate=check-accesses=false -canonicalize \
// RUN:     | FileCheck %s --check-prefix=UNCHECKED
// RUN: hamkaas-opt %s -split-input-file -hamkaas-emulate-kernels -hamkaas-link-kernels \
// RUN:     | FileCheck %s --check-prefix=LLVM

// Arguments come from a table of 8 bytes each; the thread's index, the memory
// of the block and the emulator's functions from the other argument.

// CHECK-LABEL: llvm.mlir.global internal constant @hamkaas_device_image
// CHECK-DAG:     llvm.mlir.addressof @emulated_kernels
// CHECK-DAG:     llvm.mlir.addressof @emulated_constants
// CHECK:       llvm.mlir.global internal constant @emulated_kernels
// CHECK-DAG:     llvm.mlir.addressof @exchange_emulated
// CHECK-DAG:     llvm.mlir.addressof @[[BYTES:emulated_arguments[_0-9]*]]
// CHECK-DAG:     llvm.mlir.constant(128 : i32)
// CHECK:       llvm.mlir.global internal constant @[[BYTES]](dense<[128, -1]> : tensor<2xi64>)
// CHECK:       @[[SHUFFLE:emulated_text[_0-9]*]]("gpu.shuffle #1 ({{.*}})\00")
// CHECK:       @[[BARRIER:emulated_text[_0-9]*]]("gpu.barrier #1 ({{.*}})\00")
// CHECK:       @[[SYNC:emulated_text[_0-9]*]]("nvvm.bar.warp.sync #1 ({{.*}})\00")
// CHECK:       llvm.mlir.global internal constant @table(dense<[1.000000e+00, 2.000000e+00]>
// CHECK:       llvm.func @exchange_emulated(!llvm.ptr, !llvm.ptr)
// CHECK-LABEL: func.func @exchange_emulated_body(
// CHECK-SAME:    %[[ARGUMENTS:.*]]: !llvm.ptr, %[[THREAD:.*]]: !llvm.ptr)
// CHECK-SAME:    hamkaas.tiles
// CHECK:         %[[INDEX:.*]] = llvm.load %[[THREAD]] : !llvm.ptr -> i64
// CHECK:         %[[PLACE:.*]] = llvm.getelementptr %[[THREAD]][40]
// CHECK:         %[[FUNCTIONS:.*]] = llvm.load %[[PLACE]]
// CHECK:         llvm.load %[[ARGUMENTS]] : !llvm.ptr -> !llvm.ptr
// The load is announced first.
// CHECK:         %[[PLACE:.*]] = llvm.getelementptr %[[FUNCTIONS]][24]
// CHECK:         %[[ACCESS:.*]] = llvm.load %[[PLACE]]
// CHECK:         llvm.call %[[ACCESS]](%[[THREAD]], {{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i64, i64, i32, !llvm.ptr) -> ()
// CHECK:         memref.load
// CHECK:         llvm.call {{.*}} -> i64
// CHECK:         memref.store
// CHECK-SAME:      memref<32xf32>
// CHECK:         llvm.call {{.*}} : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> ()
// CHECK:         llvm.call {{.*}} : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr) -> ()
// CHECK:         return
// CHECK-NOT:   gpu.module

// UNCHECKED-LABEL: func.func @exchange_emulated_body(
// UNCHECKED-NOT:     i64, i64, i32, !llvm.ptr) -> ()

// LLVM:       llvm.func internal @exchange_emulated(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// LLVM-NOT:   memref
// LLVM-NOT:   unrealized
gpu.module @device {
  gpu.func @exchange(%x: memref<32xf32>, %n: i32)
      workgroup(%s: memref<32xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %thread = gpu.thread_id x
    %width = arith.constant 32 : i32
    %mask = arith.constant -1 : i32
    %0 = memref.load %x[%thread] : memref<32xf32>
    %1, %valid = gpu.shuffle xor %0, %n, %width : f32
    memref.store %1, %s[%thread] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    nvvm.bar.warp.sync %mask : i32
    %2 = memref.get_global @table : memref<2xf32>
    %3 = memref.load %2[%c0] : memref<2xf32>
    memref.store %3, %x[%thread] : memref<32xf32>
    gpu.return
  }
  memref.global "private" constant @table : memref<2xf32> = dense<[1.0, 2.0]>
}

// -----

// Without kernels, the image is empty.

// CHECK-LABEL: llvm.mlir.global internal constant @hamkaas_device_image
// CHECK:         llvm.mlir.zero
// CHECK-NOT:   func
// UNCHECKED:   @hamkaas_device_image
// LLVM:        @hamkaas_device_image
module {}

// -----

// Products of matrices: the registers of a thread go through its memory. A tf32
// is a float32 whose lower 13 bits are rounded away, two bf16 are one register.

// CHECK-LABEL: llvm.mlir.global internal constant @hamkaas_device_image
// CHECK:       func.func @multiply_emulated_body(
// CHECK-DAG:     %[[COUNT:.*]] = arith.constant 10 : i32
// CHECK-DAG:     %[[UPPER:.*]] = arith.constant -8192 : i32
// CHECK-DAG:     %[[HALF:.*]] = arith.constant 4096 : i32
// CHECK:         %[[REGISTERS:.*]] = llvm.alloca %[[COUNT]] x i32
// CHECK:         scf.for
// CHECK:           %[[BITS:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK:           %[[SUM:.*]] = arith.addi %[[BITS]], %[[HALF]]
// CHECK:           arith.cmpf uno
// CHECK:           arith.andi %[[SUM]], %[[UPPER]]
// CHECK:           arith.ori
// CHECK:           llvm.store %{{.*}}, %[[REGISTERS]]
// CHECK-COUNT-9:   llvm.store
// CHECK-NOT:       llvm.store
// CHECK:           llvm.call {{.*}} : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> ()
// CHECK:           %[[SUM:.*]] = llvm.load {{.*}} -> f32
// CHECK:           scf.yield %[[SUM]]
// LLVM:        llvm.func {{.*}}@multiply_emulated
// LLVM-NOT:      nvvm
gpu.module @device {
  gpu.func @multiply(%x: memref<32xf32>, %y: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %lane = gpu.lane_id
    %v = memref.load %x[%lane] : memref<32xf32>
    %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %zero) -> f32 {
      %a = nvvm.convert.float.to.tf32 %v {rnd = #nvvm.fp_rnd_mode<rna>}
      %p = nvvm.convert.f32x2.to.bf16x2 %v, %v {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
      %b = llvm.bitcast %p : vector<2xbf16> to i32
      %d = nvvm.mma.sync A[%a, %a, %b, %b] B[%a, %b] C[%c, %c, %c, %c] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %e = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      scf.yield %e : f32
    }
    memref.store %s, %y[%lane] : memref<32xf32>
    gpu.return
  }
}
