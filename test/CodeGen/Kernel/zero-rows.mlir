// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels -split-input-file | FileCheck %s

#x = affine_map<(n, h, w, o, kh, kw, c) -> (n, h + kh, w + kw, c)>
#w = affine_map<(n, h, w, o, kh, kw, c) -> (kh, kw, c, o)>
#r = affine_map<(n, h, w, o, kh, kw, c) -> (n, h, w, o)>

// Three images of 4 x 7 with two rows of zeros around. A block has rows of all
// images at one height, and takes the rows of windows that do not lie in the
// zeros there: from 2 - h on, and before 6 - h.

// CHECK-LABEL: func.func private @whole(
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG:     %[[FIVE:.*]] = arith.constant 5 : index
// CHECK-DAG:     %[[SIX:.*]] = arith.constant 6 : index
// CHECK-DAG:     %[[ABOVE:.*]] = arith.minui %{{.*}}, %[[TWO]]
// CHECK-DAG:     %[[LOWER:.*]] = arith.subi %[[TWO]], %[[ABOVE]]
// CHECK-DAG:     %[[BELOW:.*]] = arith.minui %{{.*}}, %[[SIX]]
// CHECK-DAG:     %[[REST:.*]] = arith.subi %[[SIX]], %[[BELOW]]
// CHECK-DAG:     %[[UPPER:.*]] = arith.minui %[[REST]], %[[FIVE]]
// CHECK:         scf.for %{{.*}} = %[[LOWER]] to %[[UPPER]]
// CHECK:           scf.for %{{.*}} to %[[FIVE]]
func.func private @whole(%x: tensor<3x8x11x8xf32>, %w: tensor<2x5x5x8x24xf32>, %out: tensor<3x4x7x40xf32>) -> tensor<3x4x7x40xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %u = tensor.empty() : tensor<5x5x8x40xf32>
  %weights = linalg.unpack %w outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3] inner_tiles = [24] into %u : tensor<2x5x5x8x24xf32> -> tensor<5x5x8x40xf32>
  %e = tensor.empty() : tensor<3x4x7x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4x7x40xf32>) -> tensor<3x4x7x40xf32>
  %a = linalg.generic {hamkaas.zero_rows = array<i64: 2, 2>, indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %weights : tensor<3x8x11x8xf32>, tensor<5x5x8x40xf32>) outs(%f : tensor<3x4x7x40xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<3x4x7x40xf32>
  return %a : tensor<3x4x7x40xf32>
}

// -----

// A block of one row of the windows begins sums at the first row that is needed,
// ends them at the last, and leaves out the others.

#x = affine_map<(n, h, w, o, kh, kw, c) -> (n, h + kh, w + kw, c)>
#w = affine_map<(n, h, w, o, kh, kw, c) -> (kh, kw, c, o)>
#r = affine_map<(n, h, w, o, kh, kw, c) -> (n, h, w, o)>

// CHECK-LABEL: func.func private @cut(
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[THREE:.*]] = arith.constant 3 : index
// CHECK:         scf.for %[[KH:.*]] = %{{.*}} to %[[THREE]] step
// CHECK:           %[[LOWER:.*]] = arith.subi %[[ONE]]
// CHECK:           %[[UPPER:.*]] = arith.minui %{{.*}}, %[[THREE]]
// CHECK:           %[[BELOW:.*]] = arith.cmpi ult, %[[KH]], %[[UPPER]]
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addi %[[KH]], %[[ONE]]
// CHECK-NEXT:      %[[ABOVE:.*]] = arith.cmpi ult, %[[LOWER]], %[[NEXT]]
// CHECK-NEXT:      %[[BOTH:.*]] = arith.andi %[[BELOW]], %[[ABOVE]]
// CHECK-NEXT:      scf.if %[[BOTH]]
// CHECK:             %[[LATER:.*]] = arith.addi %[[KH]], %[[ONE]]
// CHECK:             %[[IS_LATER:.*]] = arith.cmpi ult, %[[LOWER]], %[[KH]]
// CHECK-NEXT:        scf.if %[[IS_LATER]]
// CHECK:             vector.fma
// CHECK:             %[[HAS_NEXT:.*]] = arith.cmpi ult, %[[LATER]], %[[UPPER]]
// CHECK-NEXT:        scf.if %[[HAS_NEXT]]
func.func private @cut(%x: tensor<1x7x7x512xf32>, %w: tensor<10x3x3x512x16xf32>, %out: tensor<1x5x5x160xf32>) -> tensor<1x5x5x160xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %u = tensor.empty() : tensor<3x3x512x160xf32>
  %weights = linalg.unpack %w outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3] inner_tiles = [16] into %u : tensor<10x3x3x512x16xf32> -> tensor<3x3x512x160xf32>
  %e = tensor.empty() : tensor<1x5x5x160xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x5x160xf32>) -> tensor<1x5x5x160xf32>
  %a = linalg.generic {hamkaas.zero_rows = array<i64: 1, 1>, indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %weights : tensor<1x7x7x512xf32>, tensor<3x3x512x160xf32>) outs(%f : tensor<1x5x5x160xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<1x5x5x160xf32>
  return %a : tensor<1x5x5x160xf32>
}

// -----

// A row of the result that reads zeros alone still begins and ends its sums.

#x = affine_map<(n, h, w, o, kh, kw, c) -> (n, h + kh, w + kw, c)>
#w = affine_map<(n, h, w, o, kh, kw, c) -> (kh, kw, c, o)>
#r = affine_map<(n, h, w, o, kh, kw, c) -> (n, h, w, o)>

// CHECK-LABEL: func.func private @zeros_alone(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[THREE:.*]] = arith.constant 3 : index
// CHECK:         scf.for %{{.*}} = %[[ZERO]] to %[[THREE]]
// CHECK:           scf.for %{{.*}} = %[[ZERO]] to %[[THREE]]
func.func private @zeros_alone(%x: tensor<1x7x7x8xf32>, %w: tensor<2x3x3x8x16xf32>, %out: tensor<1x5x5x32xf32>) -> tensor<1x5x5x32xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %u = tensor.empty() : tensor<3x3x8x32xf32>
  %weights = linalg.unpack %w outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3] inner_tiles = [16] into %u : tensor<2x3x3x8x16xf32> -> tensor<3x3x8x32xf32>
  %e = tensor.empty() : tensor<1x5x5x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x5x32xf32>) -> tensor<1x5x5x32xf32>
  %a = linalg.generic {hamkaas.zero_rows = array<i64: 3, 0>, indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %weights : tensor<1x7x7x8xf32>, tensor<3x3x8x32xf32>) outs(%f : tensor<1x5x5x32xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<1x5x5x32xf32>
  return %a : tensor<1x5x5x32xf32>
}
