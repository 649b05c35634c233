// RUN: hamkaas-opt %s -hamkaas-kernels-to-llvm -split-input-file | FileCheck %s

// Loops become branches, a masked read of a vector becomes LLVM's. The function
// stays one.

// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64, %{{.*}}: !llvm.ptr) -> i32
// CHECK-SAME:    hamkaas.kernel
// CHECK-SAME:    no_inline
// CHECK-SAME:    passthrough = {{\[\[}}"alignstack", "64"]]
// CHECK:         llvm.cond_br
// CHECK:         llvm.intr.masked.load
// CHECK:         llvm.return %{{.*}} : i32
// CHECK-NOT:     scf.for
// CHECK-NOT:     vector.transfer_read
func.func @kernel(%table: !llvm.ptr, %begin: i64, %end: i64, %values: !llvm.ptr) -> i32
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>, hamkaas.tiles = 2 : i64} {
  %b = arith.index_cast %begin : i64 to index
  %e = arith.index_cast %end : i64 to index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %alloca = memref.alloca() : memref<12xf32>
  scf.for %i = %b to %e step %c1 {
    %mask = vector.create_mask %i : vector<8xi1>
    %v = vector.transfer_read %alloca[%c4], %zero, %mask {in_bounds = [true]} : memref<12xf32>, vector<8xf32>
    vector.transfer_write %v, %alloca[%c4] {in_bounds = [true]} : vector<8xf32>, memref<12xf32>
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// -----

// Nothing to do: no kernel.

// CHECK-LABEL: func.func @other(
// CHECK:         math.exp
func.func @other(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}
