// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels -split-input-file | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels -split-input-file | FileCheck %s --check-prefixes=CHECK,NARROW

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (j, k)>
#out = affine_map<(i, j, k) -> (i, j)>

// Few long rows times rows: vectors of the depth are multiplied, of four rows
// and four columns; with 16 registers of three rows. The lanes of their sums are
// added at the end.

// CHECK-LABEL: func.func private @rows(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<12x256xf32>, %[[W:[^:]*]]: tensor<32x256xf32>
// WIDE:          scf.for %{{.*}} = %c0 to %c12 step %c4
// WIDE:            :16 = scf.for %[[K:[^ ]*]] = %c0 to %c256 step %c16
// WIDE-COUNT-4:      vector.transfer_read %[[X]][%{{.*}}, %[[K]]], {{.*}}vector<16xf32>
// WIDE-COUNT-4:      vector.transfer_read %[[W]][%{{.*}}, %[[K]]], {{.*}}vector<16xf32>
// WIDE-NOT:          vector.transfer_read
// NARROW:        scf.for %{{.*}} = %c0 to %c12 step %c3
// NARROW:          :12 = scf.for %[[K:[^ ]*]] = %c0 to %c256 step %c8
// NARROW-COUNT-3:    vector.transfer_read %[[X]][%{{.*}}, %[[K]]], {{.*}}vector<8xf32>
// NARROW-COUNT-4:    vector.transfer_read %[[W]][%{{.*}}, %[[K]]], {{.*}}vector<8xf32>
// NARROW-NOT:        vector.transfer_read
// CHECK:           vector.shuffle
// CHECK:           arith.addf %{{.*}} : vector<4xf32>
// CHECK:           vector.transfer_write %{{.*}} : vector<4xf32>
func.func private @rows(%x: tensor<12x256xf32>, %w: tensor<32x256xf32>, %out: tensor<12x32xf32>) -> tensor<12x32xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<12x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<12x32xf32>) -> tensor<12x32xf32>
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<12x256xf32>, tensor<32x256xf32>) outs(%f : tensor<12x32xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %a = arith.addf %s, %p : f32
    linalg.yield %a : f32
  } -> tensor<12x32xf32>
  return %y : tensor<12x32xf32>
}

// -----

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (j, k)>
#out = affine_map<(i, j, k) -> (i, j)>

// Short rows are transposed: adding lanes would take longer.

// CHECK-LABEL: func.func private @short_rows(
// CHECK:         memref.alloca()
// CHECK-NOT:     vector<4xf32>
// CHECK:         return
func.func private @short_rows(%x: tensor<12x120xf32>, %w: tensor<32x120xf32>, %out: tensor<12x32xf32>) -> tensor<12x32xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<12x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<12x32xf32>) -> tensor<12x32xf32>
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<12x120xf32>, tensor<32x120xf32>) outs(%f : tensor<12x32xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %a = arith.addf %s, %p : f32
    linalg.yield %a : f32
  } -> tensor<12x32xf32>
  return %y : tensor<12x32xf32>
}
