// RUN: hamkaas-opt %s --pass-pipeline='builtin.module(hamkaas-attach-target{target-cpu=x86-64},func.func(hamkaas-cpu-emit-kernels))' | FileCheck %s

#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// One square, whose indices are constants: four rows are read and transposed.
// Neither an operand read along the rows nor a column of which each row uses
// one element is a transposed operand.
// CHECK-LABEL: func.func private @fused
// CHECK-SAME:    %[[X:.*]]: tensor<3x4x4xf32>, %[[Y:.*]]: tensor<3x4x4xf32> {hamkaas.inplace}, %[[C:.*]]: tensor<4x1xf32>,
// CHECK-COUNT-4:   vector.transfer_read %[[X]][
// CHECK:           vector.shuffle {{.*}} [0, 4, 2, 6]
// CHECK-NEXT:      vector.shuffle {{.*}} [1, 5, 3, 7]
// CHECK-COUNT-6:   vector.shuffle
// CHECK-NEXT:      arith.constant
// CHECK-NEXT:      vector.transfer_read %[[Y]][%{{.*}}, %c0, %c0]
// CHECK-NEXT:      tensor.extract %[[C]][%c0, %c0]
// CHECK-NOT:       vector.transfer_read %[[X]][
// CHECK:           vector.transfer_read %[[Y]][%{{.*}}, %c3, %c0]
// CHECK-NOT:       vector.transfer_read
func.func private @fused(%x: tensor<3x4x4xf32>, %y: tensor<3x4x4xf32>, %c: tensor<4x1xf32>, %s: tensor<1x1xf32>, %out: tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<3x4x4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, #id3, affine_map<(d0, d1, d2) -> (d2, 0)>, affine_map<(d0, d1, d2) -> (0, 0)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %y, %c, %s : tensor<3x4x4xf32>, tensor<3x4x4xf32>, tensor<4x1xf32>, tensor<1x1xf32>) outs(%e : tensor<3x4x4xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %t: f32, %o: f32):
    %pq = arith.addf %p, %q : f32
    %rt = arith.mulf %r, %t : f32
    %z = arith.addf %pq, %rt : f32
    linalg.yield %z : f32
  } -> tensor<3x4x4xf32>
  return %a : tensor<3x4x4xf32>
}


// Tiles of 16 rows, of which those of one row come one after the other, as what
// they write does. In each, the squares of a row come before the next row's.
// CHECK-LABEL: func.func private @long
// CHECK:         scf.for %[[TILE:.*]] = %c0 to %c12
// CHECK:           arith.remui %[[TILE]], %c2
// CHECK:           arith.divui %[[TILE]], %c2
// CHECK:           scf.for %{{.*}} = %c0 to %c16 step %c4
// CHECK:             scf.for %{{.*}} = %c0 to %c256 step %c4
func.func private @long(%x: tensor<512x96xf32>, %out: tensor<96x512xf32>) -> tensor<96x512xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<512x96xf32>) outs(%out : tensor<96x512xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<96x512xf32>
  return %a : tensor<96x512xf32>
}

// Dimensions that follow each other in both are one: here, rows of 24 columns.
// Tiles of short rows have more of them.
// CHECK-LABEL: func.func private @short
// CHECK:         scf.for %{{.*}} = %c0 to %c1
// CHECK:           scf.for %{{.*}} = %c0 to %c96 step %c4
// CHECK:             scf.for %{{.*}} = %c0 to %c24 step %c4
func.func private @short(%x: tensor<3x8x96xf32>, %out: tensor<96x3x8xf32>) -> tensor<96x3x8xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %a = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, k, i)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<3x8x96xf32>) outs(%out : tensor<96x3x8xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<96x3x8xf32>
  return %a : tensor<96x3x8xf32>
}

// Rows of the operand that are a page apart share sets of a cache: tiles and
// squares follow them.
// CHECK-LABEL: func.func private @page_apart
// CHECK:         scf.for %[[TILE:.*]] = %c0 to %c32
// CHECK:           arith.remui %[[TILE]], %c16
// CHECK:           scf.for %{{.*}} = %c0 to %c32 step %c4
// CHECK:             scf.for %{{.*}} = %c0 to %c64 step %c4
func.func private @page_apart(%x: tensor<64x1024xf32>, %out: tensor<1024x64xf32>) -> tensor<1024x64xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<64x1024xf32>) outs(%out : tensor<1024x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<1024x64xf32>
  return %a : tensor<1024x64xf32>
}

// Rows of the result that are a page apart are written from the first whole
// line on. Their ends are computed twice, so an argument cannot be replaced.
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels | FileCheck %s --check-prefix=LINES
// LINES-LABEL: func.func private @whole_lines
// LINES-NOT:     hamkaas.inplace
// LINES:         memref.extract_aligned_pointer_as_index
// LINES:         scf.for
func.func private @whole_lines(%x: tensor<1024x16xf32>, %y: tensor<16x1024xf32>, %out: tensor<16x1024xf32>) -> tensor<16x1024xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<16x1024xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : tensor<1024x16xf32>, tensor<16x1024xf32>) outs(%e : tensor<16x1024xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<16x1024xf32>
  return %a : tensor<16x1024xf32>
}
