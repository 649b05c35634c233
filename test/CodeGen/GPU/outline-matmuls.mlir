// RUN: hamkaas-opt %s -hamkaas-gpu-outline-device-code -split-input-file | FileCheck %s

// Matmuls of a library are not in the device code. The alignment of their
// arguments is what all calls have in common.

// CHECK:      func.func private @k0(memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>)
// CHECK-SAME:   hamkaas.device_matmul = 0 : i64
// CHECK-SAME:   hamkaas.matmul = #hamkaas.matmul<{{.*}} activation = none, alignment = 16>
// CHECK-NOT:    tile_runner
// CHECK:      gpu.module @device
// CHECK-NOT:    gpu.func
#product = #hamkaas.matmul<batches = 1, rows = 4, columns = 4, depth = 4, left = 0, right = 1, bias = -1, addend = -1, activation = none, alignment = 4>
func.func @k0(%x: memref<4x4xf32>, %w: memref<4x4xf32>, %out: memref<4x4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>, hamkaas.matmul = #product, hamkaas.tiles = 1 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  return
}
func.func @main(%x: memref<64xi8> {hamkaas.region = #hamkaas.region<input>}, %y: memref<64xi8> {hamkaas.region = #hamkaas.region<output>}, %workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>}) {
  %c0 = arith.constant 0 : index
  %0 = memref.view %x[%c0][] : memref<64xi8> to memref<4x4xf32>
  %1 = memref.view %workspace[%c0][] : memref<256xi8> to memref<4x4xf32>
  %2 = memref.view %y[%c0][] : memref<64xi8> to memref<4x4xf32>
  call @k0(%0, %1, %2) : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
  return
}

// -----

// A library would write a state after a check that failed.

// CHECK-DAG:  func.func private @k0({{.*}}hamkaas.device_kernel = #hamkaas.device_kernel<0>
// CHECK-DAG:  func.func private @k1({{.*}}hamkaas.device_matmul = 0
// CHECK:      gpu.func @k0(
#product = #hamkaas.matmul<batches = 1, rows = 4, columns = 4, depth = 4, left = 0, right = 1, bias = -1, addend = -1, activation = none, alignment = 4>
func.func @k0(%x: memref<4x4xf32>, %w: memref<4x4xf32>, %out: memref<4x4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>, hamkaas.matmul = #product, hamkaas.tiles = 1 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  return
}
func.func @k1(%x: memref<4x4xf32>, %w: memref<4x4xf32>, %out: memref<4x4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>, hamkaas.matmul = #product, hamkaas.tiles = 1 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  return
}
func.func @k2(%p: memref<1xi64>, %out: memref<4x4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<movement>, hamkaas.tiles = 1 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<thread>} {
  %c0 = arith.constant 0 : index
  %c0_i64 = arith.constant 0 : i64
  %v = memref.load %p[%c0] : memref<1xi64>
  %ok = arith.cmpi sge, %v, %c0_i64 : i64
  hamkaas.check %ok, "expected a position of at least 0, got {0}"(%v) : i64
  return
}
func.func @main(%x: memref<64xi8> {hamkaas.region = #hamkaas.region<input>}, %p: memref<8xi8> {hamkaas.region = #hamkaas.region<input>}, %y: memref<64xi8> {hamkaas.region = #hamkaas.region<output>}, %state: memref<256xi8> {hamkaas.region = #hamkaas.region<state>}, %workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>}) {
  %c0 = arith.constant 0 : index
  %0 = memref.view %x[%c0][] : memref<64xi8> to memref<4x4xf32>
  %1 = memref.view %workspace[%c0][] : memref<256xi8> to memref<4x4xf32>
  %2 = memref.view %y[%c0][] : memref<64xi8> to memref<4x4xf32>
  %3 = memref.view %state[%c0][] : memref<256xi8> to memref<4x4xf32>
  %4 = memref.view %p[%c0][] : memref<8xi8> to memref<1xi64>
  call @k2(%4, %1) : (memref<1xi64>, memref<4x4xf32>) -> ()
  call @k0(%0, %1, %3) : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
  call @k1(%0, %1, %2) : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
  return
}
