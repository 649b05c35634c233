// LEVELS: x86-64 x86-64-v2 x86-64-v3 x86-64-v4 or emulated
// RUN: %python %S/../Inputs/execute.py %s --level=%level

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#tr2 = affine_map<(d0, d1) -> (d1, d0)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// Tiles with parts left over along both dimensions, and within both a square.
func.func private @rest(%x: tensor<150x70xf32>, %out: tensor<70x150xf32>) -> tensor<70x150xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<70x150xf32>
  %a = linalg.generic {indexing_maps = [#tr2, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<150x70xf32>) outs(%e : tensor<70x150xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<70x150xf32>
  return %a : tensor<70x150xf32>
}

// One square, whose indices are constants: what is read along the rows and the
// factor of one element must not be taken for a transposed operand.
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

// Operands along three different dimensions, and one of them twice.
func.func private @three(%x: tensor<19x5x21xf32>, %y: tensor<19x21x5xf32>, %z: tensor<21x5x19xf32>, %out: tensor<21x5x19xf32>) -> tensor<21x5x19xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<21x5x19xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d1, d0)>, affine_map<(d0, d1, d2) -> (d2, d0, d1)>, #id3, affine_map<(d0, d1, d2) -> (d2, d1, d0)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %y, %z, %x : tensor<19x5x21xf32>, tensor<19x21x5xf32>, tensor<21x5x19xf32>, tensor<19x5x21xf32>) outs(%e : tensor<21x5x19xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %s: f32, %o: f32):
    %pq = arith.mulf %p, %q : f32
    %rs = arith.mulf %r, %s : f32
    %t = arith.addf %pq, %rs : f32
    linalg.yield %t : f32
  } -> tensor<21x5x19xf32>
  return %a : tensor<21x5x19xf32>
}

// The positions of an image are one dimension, with a rest.
func.func private @to_channels_last(%x: tensor<2x19x7x9xf32>, %out: tensor<2x7x9x19xf32>) -> tensor<2x7x9x19xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<2x7x9x19xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x19x7x9xf32>) outs(%e : tensor<2x7x9x19xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<2x7x9x19xf32>
  return %a : tensor<2x7x9x19xf32>
}

// The same the other way round.
func.func private @to_channels_first(%x: tensor<2x7x9x19xf32>, %out: tensor<2x19x7x9xf32>) -> tensor<2x19x7x9xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<2x19x7x9xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x7x9x19xf32>) outs(%e : tensor<2x19x7x9xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<2x19x7x9xf32>
  return %a : tensor<2x19x7x9xf32>
}

// Rows of several tiles.
func.func private @wide_rows(%x: tensor<1x300x5x7xf32>, %out: tensor<1x5x7x300xf32>) -> tensor<1x5x7x300xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<1x5x7x300xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x300x5x7xf32>) outs(%e : tensor<1x5x7x300xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<1x5x7x300xf32>
  return %a : tensor<1x5x7x300xf32>
}

// Rows of the operand a page apart, which tiles follow.
func.func private @page_apart(%x: tensor<70x32x32xf32>, %out: tensor<32x32x70xf32>) -> tensor<32x32x70xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<32x32x70xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<70x32x32xf32>) outs(%e : tensor<32x32x70xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<32x32x70xf32>
  return %a : tensor<32x32x70xf32>
}

// Dimensions that are not one behind the other in both.
func.func private @not_adjacent(%x: tensor<5x6x7x8xf32>, %out: tensor<8x5x7x6xf32>) -> tensor<8x5x7x6xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<8x5x7x6xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d1, d3, d2, d0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<5x6x7x8xf32>) outs(%e : tensor<8x5x7x6xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<8x5x7x6xf32>
  return %a : tensor<8x5x7x6xf32>
}

// A number along one dimension of the positions keeps them two.
func.func private @added(%x: tensor<1x6x7x18xf32>, %c: tensor<7xf32>, %b: tensor<18xf32>, %out: tensor<1x18x6x7xf32>) -> tensor<1x18x6x7xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<1x18x6x7xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, h, w, c)>, affine_map<(n, c, h, w) -> (w)>, affine_map<(n, c, h, w) -> (c)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %c, %b : tensor<1x6x7x18xf32>, tensor<7xf32>, tensor<18xf32>) outs(%e : tensor<1x18x6x7xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %t = arith.mulf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<1x18x6x7xf32>
  return %a : tensor<1x18x6x7xf32>
}

// A number each position may be added, and their indices may not.
func.func private @indices(%x: tensor<1x6x7x18xf32>, %c: tensor<6x7xf32>, %out: tensor<1x18x6x7xf32>) -> tensor<1x18x6x7xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<1x18x6x7xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, h, w, c)>, affine_map<(n, c, h, w) -> (h, w)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %c : tensor<1x6x7x18xf32>, tensor<6x7xf32>) outs(%e : tensor<1x18x6x7xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %w = linalg.index 3 : index
    %i = arith.index_cast %w : index to i32
    %f = arith.sitofp %i : i32 to f32
    %s = arith.addf %p, %q : f32
    %t = arith.mulf %s, %f : f32
    linalg.yield %t : f32
  } -> tensor<1x18x6x7xf32>
  return %a : tensor<1x18x6x7xf32>
}

// Rows a page apart, which are written from the first whole line on.
func.func private @whole_lines(%x: tensor<1024x37xf32>, %y: tensor<37x1024xf32>, %out: tensor<37x1024xf32>) -> tensor<37x1024xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<37x1024xf32>
  %a = linalg.generic {indexing_maps = [#tr2, #id2, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : tensor<1024x37xf32>, tensor<37x1024xf32>) outs(%e : tensor<37x1024xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<37x1024xf32>
  return %a : tensor<37x1024xf32>
}

// Rows of both sides a page apart, more than a cache holds.
func.func private @pages(%x: tensor<1024x1024xf32>, %out: tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<1024x1024xf32>
  %a = linalg.generic {indexing_maps = [#tr2, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<1024x1024xf32>) outs(%e : tensor<1024x1024xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<1024x1024xf32>
  return %a : tensor<1024x1024xf32>
}
