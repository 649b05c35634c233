// RUN: hamkaas-opt %s -hamkaas-gpu-distribute-to-threads -canonicalize -cse -split-input-file | FileCheck %s

// An element of a row is always that of the same thread, which sees what it has
// written itself.

// CHECK-LABEL: func @same_thread(
// CHECK-NOT:     nvvm.bar.warp.sync
func.func @same_thread(%x: memref<4x64xf32>, %out: memref<4x64xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c32 {
    %v = vector.load %x[%c0, %i] : memref<4x64xf32>, vector<32xf32>
    vector.store %v, %out[%c0, %i] : memref<4x64xf32>, vector<32xf32>
  }
  scf.for %i = %c0 to %c64 step %c32 {
    %v = vector.load %out[%c0, %i] : memref<4x64xf32>, vector<32xf32>
    %w = arith.addf %v, %v : vector<32xf32>
    vector.store %w, %out[%c0, %i] : memref<4x64xf32>, vector<32xf32>
  }
  return
}

// -----

// Rows are written and columns read: all threads wait, also before the next row
// is written.

// CHECK-LABEL: func @exchange(
// CHECK:         scf.for
// CHECK:           nvvm.bar.warp.sync
// CHECK-NEXT:      memref.store
// CHECK-NEXT:      nvvm.bar.warp.sync
// CHECK:           memref.load
// CHECK-NOT:       nvvm.bar.warp.sync
func.func @exchange(%x: memref<4x32xf32>, %out: memref<4x32xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c31 = arith.constant dense<31> : vector<32xindex>
  %all = vector.constant_mask [32] : vector<32xi1>
  %none = arith.constant dense<0.0> : vector<32xf32>
  %step = vector.step : vector<32xindex>
  %at = arith.subi %c31, %step : vector<32xindex>
  %scratch = memref.alloca() : memref<32xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %v = vector.load %x[%i, %c0] : memref<4x32xf32>, vector<32xf32>
    vector.store %v, %scratch[%c0] : memref<32xf32>, vector<32xf32>
    %w = vector.gather %scratch[%c0] [%at], %all, %none : memref<32xf32>, vector<32xindex>, vector<32xi1>, vector<32xf32> into vector<32xf32>
    vector.store %w, %out[%i, %c0] : memref<4x32xf32>, vector<32xf32>
  }
  return
}

// -----

// One thread writes what all of them read. Branches count like loops.

// CHECK-LABEL: func @single_thread(
// CHECK:         memref.store
// CHECK:         scf.if
// CHECK:           nvvm.bar.warp.sync
// CHECK-NEXT:      memref.load
// CHECK:           nvvm.bar.warp.sync
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        memref.store
// CHECK:         nvvm.bar.warp.sync
// CHECK-NEXT:    memref.load
func.func @single_thread(%n: memref<1xi1>, %x: memref<4xf32>, %out: memref<4xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %b = memref.load %n[%c0] : memref<1xi1>
  %f = memref.load %x[%c0] : memref<4xf32>
  memref.store %f, %out[%c0] : memref<4xf32>
  scf.if %b {
    %g = memref.load %out[%c0] : memref<4xf32>
    memref.store %g, %out[%c1] : memref<4xf32>
  }
  %h = memref.load %out[%c1] : memref<4xf32>
  %v = vector.broadcast %h : f32 to vector<4xf32>
  vector.store %v, %out[%c0] : memref<4xf32>, vector<4xf32>
  return
}

// -----

// A view is the buffer itself, of another shape.

// CHECK-LABEL: func @view(
// CHECK:         memref.store
// CHECK:         nvvm.bar.warp.sync
// CHECK-NEXT:    memref.load
func.func @view(%x: memref<2x32xf32>, %out: memref<2x32xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %out [[0, 1]] : memref<2x32xf32> into memref<64xf32>
  %v = vector.load %x[%c0, %c0] : memref<2x32xf32>, vector<32xf32>
  vector.store %v, %out[%c0, %c0] : memref<2x32xf32>, vector<32xf32>
  %w = vector.load %flat[%c0] : memref<64xf32>, vector<32xf32>
  vector.store %w, %out[%c0, %c0] : memref<2x32xf32>, vector<32xf32>
  return
}

// -----

// Each thread writes elements of its own, one after the other, and waits before
// it writes what others have read.

// CHECK-LABEL: func @own_elements(
// CHECK-NOT:     nvvm.bar.warp.sync
// CHECK:         memref.store
// CHECK-NOT:     nvvm.bar.warp.sync
// CHECK:         memref.store
// CHECK:         nvvm.bar.warp.sync
// CHECK-NOT:     memref.store
// CHECK:         memref.load
// CHECK-NEXT:    nvvm.bar.warp.sync
// CHECK-NEXT:    memref.store
// CHECK-NOT:     nvvm.bar.warp.sync
func.func @own_elements(%x: memref<32xf32>, %out: memref<32xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %lane = gpu.lane_id
  %at = arith.addi %lane, %c32 : index
  %a = memref.load %x[%lane] : memref<32xf32>
  %scratch = memref.alloca() : memref<64xf32>
  memref.store %a, %scratch[%lane] {hamkaas.lane_store} : memref<64xf32>
  memref.store %a, %scratch[%at] {hamkaas.lane_store} : memref<64xf32>
  %v = vector.load %scratch[%c1] : memref<64xf32>, vector<32xf32>
  memref.store %a, %scratch[%lane] {hamkaas.lane_store} : memref<64xf32>
  vector.store %v, %out[%c0] : memref<32xf32>, vector<32xf32>
  return
}
