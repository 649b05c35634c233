// RUN: hamkaas-opt %s -hamkaas-kernel-entry -split-input-file -verify-diagnostics | FileCheck %s

// Memrefs come from a table of addresses, the bounds as they are; a check that
// fails stores its values and returns 1 before anything is written.

// CHECK-LABEL: func @checked(
// CHECK-SAME:    %[[TABLE:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64, %[[VALUES:.*]]: !llvm.ptr) -> i32
// CHECK-DAG:     %[[B:.*]] = arith.index_cast %[[BEGIN]] : i64 to index
// CHECK-DAG:     %[[E:.*]] = arith.index_cast %[[END]] : i64 to index
// CHECK:         %[[FIRST:.*]] = llvm.getelementptr %[[TABLE]][0]
// CHECK:         %[[ADDRESS:.*]] = llvm.load %[[FIRST]]
// CHECK:         llvm.getelementptr %[[TABLE]][1]
// CHECK:         cf.cond_br %{{.*}}, ^[[GOOD:.*]], ^[[BAD:.*]]
// CHECK:       ^[[GOOD]]:
// CHECK:         scf.for %{{.*}} = %[[B]] to %[[E]]
// CHECK:           memref.store
// CHECK:         %[[OK:.*]] = arith.constant 0 : i32
// CHECK:         return %[[OK]] : i32
// CHECK:       ^[[BAD]]:
// CHECK:         %[[PLACE0:.*]] = llvm.getelementptr %[[VALUES]][0]
// CHECK:         llvm.store %{{.*}}, %[[PLACE0]] : i64
// CHECK:         %[[PLACE1:.*]] = llvm.getelementptr %[[VALUES]][1]
// CHECK:         llvm.store %{{.*}}, %[[PLACE1]] : i64
// CHECK:         %[[FAILED:.*]] = arith.constant 1 : i32
// CHECK:         return %[[FAILED]] : i32
// CHECK-NOT:     hamkaas.check
func.func @checked(%p: memref<1xi64>, %x: memref<4xf32>, %begin: index, %end: index)
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %limit = arith.constant 4 : i64
  %zero = arith.constant 0.0 : f32
  %v = memref.load %p[%c0] : memref<1xi64>
  %ok = arith.cmpi ult, %v, %limit : i64
  hamkaas.check %ok, "expected {0} below {1}"(%v, %limit) : i64, i64
  scf.for %i = %begin to %end step %c1 {
    memref.store %zero, %x[%i] : memref<4xf32>
  }
  return
}

// -----

// The features of the processor stand before the first address.

// CHECK-LABEL: func @features(
// CHECK-SAME:    %[[TABLE:[^ ]*]]: !llvm.ptr
// CHECK:         %[[PLACE:.*]] = llvm.getelementptr %[[TABLE]][-1]
// CHECK:         %[[FEATURES:.*]] = llvm.load %[[PLACE]] : !llvm.ptr -> i64
// CHECK:         %[[WANTED:.*]] = arith.constant 1 : i64
// CHECK:         %[[BIT:.*]] = arith.andi %[[FEATURES]], %[[WANTED]]
// CHECK:         %[[NONE:.*]] = arith.constant 0 : i64
// CHECK:         %[[HAS:.*]] = arith.cmpi ne, %[[BIT]], %[[NONE]]
// CHECK:         arith.select %[[HAS]]
// CHECK-NOT:     has_cpu_feature
func.func @features(%x: memref<4xf32>, %begin: index, %end: index)
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>, hamkaas.tiles = 4 : i64} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  scf.for %i = %begin to %end step %c1 {
    %has = hamkaas.has_cpu_feature dot_products : i1
    %v = arith.select %has, %one, %zero : f32
    memref.store %v, %x[%i] : memref<4xf32>
  }
  return
}

// -----

// Who passes no place for values has made the checks: those in loops are left
// out.

// CHECK-LABEL: func @many(
// CHECK-SAME:    %[[VALUES:[^ ]*]]: !llvm.ptr) -> i32
// CHECK:         %[[NONE:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK:         %[[MADE:.*]] = llvm.icmp "eq" %[[VALUES]], %[[NONE]]
// CHECK:         %[[END:.*]] = arith.select %[[MADE]], %[[FIRST:.*]], %{{.*}} : index
// CHECK:         scf.for %{{.*}} = %[[FIRST]] to %[[END]]
// CHECK:         cf.cond_br
func.func @many(%i: memref<9xi64>, %x: memref<4xf32>, %begin: index, %end: index)
    attributes {hamkaas.kernel = #hamkaas.kernel<loops>, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %limit = arith.constant 4 : i64
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %ok = scf.for %j = %c0 to %c9 step %c1 iter_args(%all = %true) -> i1 {
    %v = memref.load %i[%j] : memref<9xi64>
    %fits = arith.cmpi ult, %v, %limit : i64
    %both = arith.andi %all, %fits : i1
    scf.yield %both : i1
  }
  hamkaas.check %ok, "expected other indices"()
  scf.for %j = %begin to %end step %c1 {
    memref.store %zero, %x[%j] : memref<4xf32>
  }
  return
}

// -----

// Nothing to do: no kernel.

// CHECK-LABEL: func @other(
// CHECK-SAME:    %{{.*}}: memref<4xf32>) {
func.func @other(%x: memref<4xf32>) {
  return
}

// -----

// expected-error @below {{expected the bounds of the tiles as the last two arguments}}
func.func @no_bounds(%x: memref<4xf32>, %end: index) attributes {hamkaas.tiles = 1 : i64} {
  return
}

// -----

// expected-error @below {{expected dense memrefs of static shape, got 'memref<4xf32, strided<[2]>>'}}
func.func @strided(%x: memref<4xf32, strided<[2]>>, %begin: index, %end: index) attributes {hamkaas.tiles = 1 : i64} {
  return
}

// -----

// expected-error @below {{expected dense memrefs of static shape, got 'tensor<4xf32>'}}
func.func @tensors(%x: tensor<4xf32>, %begin: index, %end: index) attributes {hamkaas.tiles = 1 : i64} {
  return
}
