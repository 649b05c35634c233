// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-lower-kernels | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64 -hamkaas-lower-kernels | FileCheck %s --check-prefixes=CHECK,APART

// The whole way of a kernel that is distributed: LLVM's operations only, and
// multiply-adds of one rounding where the level has them.

// CHECK-LABEL: llvm.func @kernel(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr) -> i32
// FUSED:         llvm.intr.fma
// APART-NOT:     llvm.intr.fma
// CHECK-NOT:     math.
// CHECK-NOT:     vector.
// CHECK-NOT:     memref.
// CHECK-NOT:     builtin.unrealized_conversion_cast
// CHECK:         llvm.return
func.func @kernel(%x: memref<64xf32>, %begin: index, %end: index) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>, hamkaas.tiles = 8 : i64} {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %c1 {
    %at = arith.muli %i, %c8 : index
    %v = vector.transfer_read %x[%at], %zero {in_bounds = [true]} : memref<64xf32>, vector<8xf32>
    %e = math.exp %v : vector<8xf32>
    vector.transfer_write %e, %x[%at] {in_bounds = [true]} : vector<8xf32>, memref<64xf32>
  } {hamkaas.tile_loop}
  return
}
