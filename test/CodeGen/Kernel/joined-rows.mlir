// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels -canonicalize | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels -canonicalize | FileCheck %s --check-prefix=APART
// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// RUN: %python %S/../Inputs/execute.py %s --level=%level

#weights = affine_map<(n, h, w, o, kh, kw, c) -> (kh, kw, c, o)>
#result = affine_map<(n, h, w, o, kh, kw, c) -> (n, h, w, o)>

// With 16 registers, the 70 pixels of both images are 11 blocks of 6 rows and
// one of 4, where rows of 7 pixels would leave some over in each.

// CHECK-LABEL: func.func private @images(
// CHECK-DAG:     %[[SIX:.*]] = arith.constant 6 : index
// CHECK-DAG:     %[[SEVEN:.*]] = arith.constant 7 : index
// CHECK:         scf.for %[[ROW:[^ ]*]] = %{{.*}} to %{{.*}} step %[[SIX]]
// CHECK:           arith.remui %[[ROW]], %[[SEVEN]]
// APART-LABEL: func.func private @images(
// APART-NOT:     arith.remui %{{.*}}, %c7
func.func private @images(%x: tensor<2x7x9x8xf32>, %w: tensor<1x3x3x8x16xf32>, %out: tensor<2x5x7x16xf32>) -> tensor<2x5x7x16xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %u = tensor.empty() : tensor<3x3x8x16xf32>
  %weights = linalg.unpack %w outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3] inner_tiles = [16] into %u : tensor<1x3x3x8x16xf32> -> tensor<3x3x8x16xf32>
  %e = tensor.empty() : tensor<2x5x7x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x7x16xf32>) -> tensor<2x5x7x16xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, kh, kw, c) -> (n, h + kh, w + kw, c)>, #weights, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %weights : tensor<2x7x9x8xf32>, tensor<3x3x8x16xf32>) outs(%f : tensor<2x5x7x16xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<2x5x7x16xf32>
  return %a : tensor<2x5x7x16xf32>
}

// Tiles of two images use all three panels for the same rows before others.

// CHECK-LABEL: func.func private @order(
// CHECK-DAG:     %[[THREE:.*]] = arith.constant 3 : index
// CHECK:         scf.for %[[TILE:[^ ]*]] =
// CHECK:           arith.remui %[[TILE]], %[[THREE]]
func.func private @order(%x: tensor<2x8x9x8xf32>, %w: tensor<3x3x3x8x16xf32>, %out: tensor<2x6x7x48xf32>) -> tensor<2x6x7x48xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %u = tensor.empty() : tensor<3x3x8x48xf32>
  %weights = linalg.unpack %w outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3] inner_tiles = [16] into %u : tensor<3x3x3x8x16xf32> -> tensor<3x3x8x48xf32>
  %e = tensor.empty() : tensor<2x6x7x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x7x48xf32>) -> tensor<2x6x7x48xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, kh, kw, c) -> (n, h + kh, w + kw, c)>, #weights, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %weights : tensor<2x8x9x8xf32>, tensor<3x3x8x48xf32>) outs(%f : tensor<2x6x7x48xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<2x6x7x48xf32>
  return %a : tensor<2x6x7x48xf32>
}

// A part of a panel, and strides.
func.func private @strides(%x: tensor<1x13x14x20xf32>, %w: tensor<2x3x2x20x16xf32>, %out: tensor<1x6x7x24xf32>) -> tensor<1x6x7x24xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %u = tensor.empty() : tensor<3x2x20x24xf32>
  %weights = linalg.unpack %w outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3] inner_tiles = [16] into %u : tensor<2x3x2x20x16xf32> -> tensor<3x2x20x24xf32>
  %e = tensor.empty() : tensor<1x6x7x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6x7x24xf32>) -> tensor<1x6x7x24xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, kh, kw, c) -> (n, h * 2 + kh, w * 2 + kw, c)>, #weights, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %weights : tensor<1x13x14x20xf32>, tensor<3x2x20x24xf32>) outs(%f : tensor<1x6x7x24xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<1x6x7x24xf32>
  return %a : tensor<1x6x7x24xf32>
}

// Blocks with several rows of an image.
func.func private @narrow(%x: tensor<3x4x4x16xf32>, %w: tensor<1x2x2x16x16xf32>, %out: tensor<3x3x3x16xf32>) -> tensor<3x3x3x16xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %u = tensor.empty() : tensor<2x2x16x16xf32>
  %weights = linalg.unpack %w outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3] inner_tiles = [16] into %u : tensor<1x2x2x16x16xf32> -> tensor<2x2x16x16xf32>
  %e = tensor.empty() : tensor<3x3x3x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x3x3x16xf32>) -> tensor<3x3x3x16xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, kh, kw, c) -> (n, h + kh, w + kw, c)>, #weights, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %weights : tensor<3x4x4x16xf32>, tensor<2x2x16x16xf32>) outs(%f : tensor<3x3x3x16xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<3x3x3x16xf32>
  return %a : tensor<3x3x3x16xf32>
}

// Partial sums of each row of the windows, in several tiles of rows.
func.func private @parts(%x: tensor<2x12x15x700xf32>, %w: tensor<1x3x3x700x16xf32>, %out: tensor<2x10x13x16xf32>) -> tensor<2x10x13x16xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %u = tensor.empty() : tensor<3x3x700x16xf32>
  %weights = linalg.unpack %w outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3] inner_tiles = [16] into %u : tensor<1x3x3x700x16xf32> -> tensor<3x3x700x16xf32>
  %e = tensor.empty() : tensor<2x10x13x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x10x13x16xf32>) -> tensor<2x10x13x16xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, kh, kw, c) -> (n, h + kh, w + kw, c)>, #weights, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %weights : tensor<2x12x15x700xf32>, tensor<3x3x700x16xf32>) outs(%f : tensor<2x10x13x16xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<2x10x13x16xf32>
  return %a : tensor<2x10x13x16xf32>
}
