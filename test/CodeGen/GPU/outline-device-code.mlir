// RUN: hamkaas-opt %s -hamkaas-gpu-outline-device-code -canonicalize -split-input-file | FileCheck %s

// A warp runs a tile; the last block has warps without one.

// CHECK-LABEL: func private @k0(memref<5000xf32>, memref<5000xf32>) attributes {
// CHECK-SAME:    hamkaas.device_kernel = #hamkaas.device_kernel<0>
// CHECK-NOT:     hamkaas.tile_runner
// CHECK:       gpu.module @device {
// CHECK:         gpu.func @k0(%{{.*}}: memref<5000xf32>, %[[OUT:.*]]: memref<5000xf32>, %{{.*}}: memref<5xi64>, %{{.*}}: i64) kernel attributes
// CHECK-SAME:      hamkaas.shared_bytes = 0
// CHECK-SAME:      known_block_size = array<i32: 128, 1, 1>
// CHECK-SAME:      known_grid_size = array<i32: 1251, 1, 1>
// CHECK-DAG:       %[[FOUR:.*]] = arith.constant 4 : index
// CHECK-DAG:       %[[WARP_SIZE:.*]] = arith.constant 32 : index
// CHECK-DAG:       %[[TILES:.*]] = arith.constant 5001 : index
// CHECK:           %[[BLOCK:.*]] = gpu.block_id x
// CHECK:           %[[THREAD:.*]] = gpu.thread_id x
// CHECK:           %[[WARP:.*]] = arith.divui %[[THREAD]], %[[WARP_SIZE]]
// CHECK:           %[[FIRST:.*]] = arith.muli %[[BLOCK]], %[[FOUR]]
// CHECK:           %[[TILE:.*]] = arith.addi %[[FIRST]], %[[WARP]]
// CHECK:           %[[EXISTS:.*]] = arith.cmpi ult, %[[TILE]], %[[TILES]]
// CHECK:           scf.if %[[EXISTS]] {
// CHECK:             memref.store %{{.*}}, %[[OUT]][%[[TILE]]]
// CHECK-NOT:         scf.for
// CHECK:           gpu.return
func.func @k0(%x: memref<5000xf32>, %out: memref<5000xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>, hamkaas.tiles = 5001 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5001 = arith.constant 5001 : index
  scf.for %i = %c0 to %c5001 step %c1 {
    %v = memref.load %x[%i] : memref<5000xf32>
    memref.store %v, %out[%i] : memref<5000xf32>
  } {hamkaas.tile_loop}
  return
}

// -----

// Few tiles get blocks of their own, so that they run at once.

// CHECK-LABEL: gpu.func @few_tiles(
// CHECK-SAME:      known_block_size = array<i32: 32, 1, 1>
// CHECK-SAME:      known_grid_size = array<i32: 7, 1, 1>
// CHECK:           %[[TILE:.*]] = gpu.block_id x
// CHECK-NOT:       scf.if
// CHECK:           memref.store %{{.*}}, %{{.*}}[%[[TILE]]]
func.func @few_tiles(%x: memref<7xf32>, %out: memref<7xf32>) attributes {hamkaas.tiles = 7 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %c7 step %c1 {
    %v = memref.load %x[%i] : memref<7xf32>
    memref.store %v, %out[%i] : memref<7xf32>
  } {hamkaas.tile_loop}
  return
}

// -----

// The loop of a single tile may be gone.

// CHECK-LABEL: gpu.func @one_tile(
// CHECK-SAME:      known_grid_size = array<i32: 1, 1, 1>
// CHECK-NOT:       scf.if
// CHECK:           memref.store
func.func @one_tile(%x: memref<7xf32>, %out: memref<7xf32>) attributes {hamkaas.tiles = 1 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<7xf32>
  memref.store %v, %out[%c0] : memref<7xf32>
  return
}

// -----

// A tile for each thread.

// CHECK-LABEL: gpu.func @threads(
// CHECK-SAME:      known_block_size = array<i32: 32, 1, 1>
// CHECK-SAME:      known_grid_size = array<i32: 3, 1, 1>
// CHECK:           %[[THREAD:.*]] = gpu.thread_id x
// CHECK:           %[[TILE:.*]] = arith.addi %{{.*}}, %[[THREAD]]
// CHECK:           scf.if
// CHECK:             memref.store %{{.*}}, %{{.*}}[%[[TILE]]]
func.func @threads(%x: memref<70xf32>, %out: memref<70xf32>) attributes {hamkaas.tiles = 70 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<thread>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c70 = arith.constant 70 : index
  scf.for %i = %c0 to %c70 step %c1 {
    %v = memref.load %x[%i] : memref<70xf32>
    memref.store %v, %out[%i] : memref<70xf32>
  } {hamkaas.tile_loop}
  return
}

// -----

// Each warp has a part of the shared memory; views of it stay views.

// CHECK-LABEL: gpu.func @scratch(
// CHECK-SAME:      hamkaas.shared_bytes = 640
// CHECK-SAME:      known_block_size = array<i32: 128, 1, 1>
// CHECK-DAG:       %[[BYTES:.*]] = arith.constant 160 : index
// CHECK-DAG:       %[[SECOND:.*]] = arith.constant 112 : index
// CHECK:           %[[WARP:.*]] = arith.divui
// CHECK:           %[[SHARED:.*]] = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
// CHECK:           %[[FIRST:.*]] = arith.muli %[[WARP]], %[[BYTES]]
// CHECK:           %[[A:.*]] = memref.view %[[SHARED]][%[[FIRST]]][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<5x5xf32, #gpu.address_space<workgroup>>
// CHECK:           %[[AT:.*]] = arith.addi %[[FIRST]], %[[SECOND]]
// CHECK:           %[[B:.*]] = memref.view %[[SHARED]][%[[AT]]][]
// CHECK:           memref.collapse_shape %[[A]] {{.*}} into memref<25xf32, #gpu.address_space<workgroup>>
func.func @scratch(%x: memref<2000xf32>, %out: memref<2000xf32>) attributes {hamkaas.tiles = 2000 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2000 = arith.constant 2000 : index
  %a = memref.alloca() : memref<5x5xf32>
  %b = memref.alloca() : memref<9xf32>
  %flat = memref.collapse_shape %a [[0, 1]] : memref<5x5xf32> into memref<25xf32>
  scf.for %i = %c0 to %c2000 step %c1 {
    %v = memref.load %x[%i] : memref<2000xf32>
    memref.store %v, %a[%c1, %c1] : memref<5x5xf32>
    memref.store %v, %b[%c1] : memref<9xf32>
    %w = memref.load %flat[%c0] : memref<25xf32>
    memref.store %w, %out[%i] : memref<2000xf32>
  } {hamkaas.tile_loop}
  return
}

// -----

// So much that a block has one warp.

// CHECK-LABEL: gpu.func @large_scratch(
// CHECK-SAME:      hamkaas.shared_bytes = 65536
// CHECK-SAME:      known_block_size = array<i32: 32, 1, 1>
func.func @large_scratch(%x: memref<2000xf32>, %out: memref<2000xf32>) attributes {hamkaas.tiles = 2000 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2000 = arith.constant 2000 : index
  %a = memref.alloca() : memref<16384xf32>
  scf.for %i = %c0 to %c2000 step %c1 {
    %w = memref.load %a[%c0] : memref<16384xf32>
    memref.store %w, %out[%i] : memref<2000xf32>
  } {hamkaas.tile_loop}
  return
}

// -----

// Checks are a function of their own, and all kernels ask whether one has
// failed. What only the checks need is gone from the kernel.

// CHECK-LABEL: func private @checked(
// CHECK-SAME:    hamkaas.device_kernel = #hamkaas.device_kernel<1, checks = 0, checked = [0]>
// CHECK:       func private @other(memref<4xf32>) attributes {hamkaas.device_kernel = #hamkaas.device_kernel<2>
// CHECK:         gpu.func @checked_checks(%[[P:.*]]: memref<1xi64>, %{{.*}}: memref<4xf32>, %[[FAILURE:.*]]: memref<5xi64>, %[[CALL:.*]]: i64)
// CHECK-SAME:      known_block_size = array<i32: 1, 1, 1>
// CHECK:           %[[BEFORE:.*]] = memref.load %[[FAILURE]]
// CHECK:           %[[OK:.*]] = arith.cmpi eq, %[[BEFORE]]
// CHECK:           scf.if %[[OK]] {
// CHECK:             %[[POSITION:.*]] = memref.load %[[P]]
// CHECK:             %[[BELOW:.*]] = arith.cmpi slt, %[[POSITION]]
// CHECK:             scf.if %[[BELOW]] {
// CHECK:               %[[ABOVE:.*]] = arith.cmpi sge, %[[POSITION]]
// CHECK:               scf.if %[[ABOVE]] {
// CHECK:               } else {
// CHECK:             } else {
// CHECK:               memref.store %[[POSITION]], %[[FAILURE]][%c1]
// CHECK:               %[[NUMBER:.*]] = arith.addi %[[CALL]], %c1_i64
// CHECK:               memref.store %[[NUMBER]], %[[FAILURE]][%c0]
// CHECK:         gpu.func @checked(
// CHECK-NOT:       arith.cmpi slt
// CHECK:           memref.load %{{.*}}[%c0] : memref<5xi64>
// CHECK:           scf.if
// CHECK:             memref.store
// CHECK:         gpu.func @other(
// CHECK:           memref.load %{{.*}}[%c0] : memref<5xi64>
// CHECK:           scf.if
func.func @checked(%p: memref<1xi64>, %out: memref<4xf32>) attributes {hamkaas.tiles = 1 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %four = arith.constant 4 : i64
  %f = arith.constant 1.0 : f32
  %position = memref.load %p[%c0] : memref<1xi64>
  %below = arith.cmpi slt, %position, %four : i64
  hamkaas.check %below, "expected less than 4, got {0}"(%position) : i64
  %above = arith.cmpi sge, %position, %zero : i64
  hamkaas.check %above, "expected 0 or more, got {0}"(%position) : i64
  memref.store %f, %out[%c0] : memref<4xf32>
  return
}
func.func @other(%out: memref<4xf32>) attributes {hamkaas.tiles = 1 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  memref.store %f, %out[%c0] : memref<4xf32>
  return
}

// -----

// One function has the blocks of two kernels, one after the other. A kernel
// for blocks says how many threads they have; checks are those of the kernel
// that has some. A kernel that nothing else calls is gone.

// CHECK-LABEL: func private @block_checked(memref<64xf32>, memref<64xf32>, memref<1xi64>, memref<4xf32>) attributes {
// CHECK-SAME:    hamkaas.device_kernel = #hamkaas.device_kernel<1, checks = 0, checked = [2]>
// CHECK-SAME:    hamkaas.fused_calls = array<i64: 2, 2>
// CHECK-NOT:   func private @checked
// CHECK:         gpu.func @block_checked_checks(%{{.*}}: memref<64xf32>, %{{.*}}: memref<64xf32>, %[[P:.*]]: memref<1xi64>,
// CHECK:           memref.load %[[P]]
// CHECK:         gpu.func @block_checked(%[[X:.*]]: memref<64xf32> {llvm.align = 256 : i64, llvm.noalias, llvm.readonly}, %[[Y:.*]]: memref<64xf32> {llvm.align = 256 : i64, llvm.noalias}, %{{.*}}: memref<1xi64> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %[[OUT:.*]]: memref<4xf32> {llvm.align = 256 : i64, llvm.noalias},
// CHECK-SAME:      hamkaas.shared_bytes = 32
// CHECK-SAME:      known_block_size = array<i32: 64, 1, 1>
// CHECK-SAME:      known_grid_size = array<i32: 5, 1, 1>
// CHECK:           %[[BLOCK:.*]] = gpu.block_id x
// CHECK:           %[[OK:.*]] = arith.cmpi eq
// CHECK:           scf.if %[[OK]] {
// CHECK:             %[[FIRST:.*]] = arith.cmpi ult, %[[BLOCK]], %c3
// CHECK:             scf.if %[[FIRST]] {
// CHECK:               arith.muli %[[BLOCK]], %c2
// CHECK:               memref.load %[[X]]
// CHECK:               gpu.barrier
// CHECK:               memref.store %{{.*}}, %[[Y]]
// CHECK:             } else {
// CHECK:               %[[OWN:.*]] = arith.subi %[[BLOCK]], %c3
// CHECK:               arith.muli %[[OWN]], %c2
// CHECK:               %[[EXISTS:.*]] = arith.cmpi ult
// CHECK:               scf.if %[[EXISTS]] {
// CHECK:                 memref.store %{{.*}}, %[[OUT]]
func.func @main(%input: memref<8xi8> {hamkaas.region = #hamkaas.region<input>}, %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>}) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %p = memref.view %input[%c0][] : memref<8xi8> to memref<1xi64>
  %x = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %y = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %out = memref.view %workspace[%c512][] : memref<1024xi8> to memref<4xf32>
  call @block_checked(%x, %y, %p, %out) : (memref<64xf32>, memref<64xf32>, memref<1xi64>, memref<4xf32>) -> ()
  return
}
func.func private @block_checked(%x: memref<64xf32>, %y: memref<64xf32>, %p: memref<1xi64>, %out: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<row>, hamkaas.fused_calls = array<i64: 2, 2>} {
  call @block(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  call @checked(%p, %out) : (memref<1xi64>, memref<4xf32>) -> ()
  return
}
func.func private @block(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.tiles = 6 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>, hamkaas.block_warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %shared = memref.alloca() : memref<8xf32, #gpu.address_space<workgroup>>
  scf.for %i = %c0 to %c6 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %shared[%i] : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %w = memref.load %shared[%c0] : memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %w, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}
func.func private @checked(%p: memref<1xi64>, %out: memref<4xf32>) attributes {hamkaas.tiles = 3 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %four = arith.constant 4 : i64
  %f = arith.constant 1.0 : f32
  %position = memref.load %p[%c0] : memref<1xi64>
  %below = arith.cmpi slt, %position, %four : i64
  hamkaas.check %below, "expected less than 4, got {0}"(%position) : i64
  scf.for %i = %c0 to %c3 step %c1 {
    memref.store %f, %out[%i] : memref<4xf32>
  } {hamkaas.tile_loop}
  return
}

// -----

// Constants are there under their names, for the host to find.

// CHECK:       gpu.module @device {
// CHECK-NEXT:    memref.global constant @table : memref<2xf32> = dense<[1.000000e+00, 2.000000e+00]>
memref.global "private" constant @table : memref<2xf32> = dense<[1.0, 2.0]>
