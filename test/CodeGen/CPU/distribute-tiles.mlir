// RUN: hamkaas-opt %s -hamkaas-distribute-tiles -split-input-file | FileCheck %s

// The bounds of the tile loop, and of no other, become arguments; calls run all.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[X:.*]]: memref<64xf32>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[ALL:.*]] = arith.constant 16 : index
// CHECK:         call @k0(%[[X]], %[[ZERO]], %[[ALL]]) {hamkaas.ops = "relu"} : (memref<64xf32>, index, index) -> ()
// CHECK-LABEL: func private @k0(
// CHECK-SAME:    %{{.*}}: memref<64xf32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
// CHECK:         scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step
// CHECK:           scf.for %{{.*}} = %[[C0]] to %[[C4]] step
func.func @main(%x: memref<64xf32>) {
  call @k0(%x) {hamkaas.ops = "relu"} : (memref<64xf32>) -> ()
  return
}
func.func private @k0(%x: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>, hamkaas.tiles = 16 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c16 step %c1 {
    %base = arith.muli %i, %c4 : index
    scf.for %j = %c0 to %c4 step %c1 {
      %at = arith.addi %base, %j : index
      memref.store %zero, %x[%at] : memref<64xf32>
    }
  } {hamkaas.tile_loop}
  return
}

// -----

// A loop of one tile may be gone; the arguments are there for the caller.

// CHECK-LABEL: func private @one(
// CHECK-SAME:    %{{.*}}: memref<4xf32>, %{{.*}}: index, %{{.*}}: index)
// CHECK-NOT:     scf.for
func.func private @one(%x: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>, hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %x[%c0] : memref<4xf32>
  return
}

// -----

// Functions that are no kernels stay as they are.

// CHECK-LABEL: func @other(
// CHECK-SAME:    %{{[^,]*}}: memref<4xf32>) {
// CHECK:         call @callee(%{{[^,]*}}) :
func.func @other(%x: memref<4xf32>) {
  call @callee(%x) : (memref<4xf32>) -> ()
  return
}
func.func private @callee(memref<4xf32>)
