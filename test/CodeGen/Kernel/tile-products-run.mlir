// LEVELS: x86-64-v4 or emulated
// RUN: %python %S/../Inputs/execute.py %s --level=%level

// Bytes by tiles of 16 rows, which processors with AMX multiply.

// Two panels and a quarter; blocks of 25 rows, of tiles that share one. Steps
// of 12 words, as 16 do not divide 24.
func.func private @blocks(%a: tensor<75x96xi8>, %b: tensor<3x24x32x4xi8>, %bias: tensor<75x72xi32>, %out: tensor<75x72xi32>) -> tensor<75x72xi32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %u = tensor.empty() : tensor<96x72xi8>
  %w = linalg.unpack %b outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 4] into %u : tensor<3x24x32x4xi8> -> tensor<96x72xi8>
  %le = tensor.empty() : tensor<75x96xi32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<75x96xi8>) outs(%le : tensor<75x96xi32>) {
  ^bb0(%p: i8, %q: i32):
    %t = arith.extui %p : i8 to i32
    linalg.yield %t : i32
  } -> tensor<75x96xi32>
  %re = tensor.empty() : tensor<96x72xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<96x72xi8>) outs(%re : tensor<96x72xi32>) {
  ^bb0(%p: i8, %q: i32):
    %t = arith.extsi %p : i8 to i32
    linalg.yield %t : i32
  } -> tensor<96x72xi32>
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<75x72xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<75x72xi32>) -> tensor<75x72xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%l, %r : tensor<75x96xi32>, tensor<96x72xi32>) outs(%f : tensor<75x72xi32>) {
  ^bb0(%p: i32, %q: i32, %s: i32):
    %m = arith.muli %p, %q : i32
    %x = arith.addi %s, %m : i32
    linalg.yield %x : i32
  } -> tensor<75x72xi32>
  %n = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%y, %bias : tensor<75x72xi32>, tensor<75x72xi32>) outs(%e : tensor<75x72xi32>) {
  ^bb0(%p: i32, %q: i32, %s: i32):
    %a1 = arith.addi %p, %q : i32
    linalg.yield %a1 : i32
  } -> tensor<75x72xi32>
  return %n : tensor<75x72xi32>
}

// Nine rows and one tile of columns.
func.func private @few(%a: tensor<9x64xi8>, %b: tensor<1x16x16x4xi8>, %out: tensor<9x16xi32>) -> tensor<9x16xi32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %u = tensor.empty() : tensor<64x16xi8>
  %w = linalg.unpack %b outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [16, 4] into %u : tensor<1x16x16x4xi8> -> tensor<64x16xi8>
  %le = tensor.empty() : tensor<9x64xi32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<9x64xi8>) outs(%le : tensor<9x64xi32>) {
  ^bb0(%p: i8, %q: i32):
    %t = arith.extui %p : i8 to i32
    linalg.yield %t : i32
  } -> tensor<9x64xi32>
  %re = tensor.empty() : tensor<64x16xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<64x16xi8>) outs(%re : tensor<64x16xi32>) {
  ^bb0(%p: i8, %q: i32):
    %t = arith.extsi %p : i8 to i32
    linalg.yield %t : i32
  } -> tensor<64x16xi32>
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<9x16xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<9x16xi32>) -> tensor<9x16xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%l, %r : tensor<9x64xi32>, tensor<64x16xi32>) outs(%f : tensor<9x16xi32>) {
  ^bb0(%p: i32, %q: i32, %s: i32):
    %m = arith.muli %p, %q : i32
    %x = arith.addi %s, %m : i32
    linalg.yield %x : i32
  } -> tensor<9x16xi32>
  return %y : tensor<9x16xi32>
}

// Rows that are two pixels apart.
func.func private @windows(%a: tensor<2x9x37x32xi8>, %b: tensor<2x3x2x8x32x4xi8>, %out: tensor<2x4x18x40xi32>) -> tensor<2x4x18x40xi32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %u = tensor.empty() : tensor<3x2x32x40xi8>
  %w = linalg.unpack %b outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3, 2] inner_tiles = [32, 4] into %u : tensor<2x3x2x8x32x4xi8> -> tensor<3x2x32x40xi8>
  %le = tensor.empty() : tensor<2x9x37x32xi32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a : tensor<2x9x37x32xi8>) outs(%le : tensor<2x9x37x32xi32>) {
  ^bb0(%p: i8, %q: i32):
    %t = arith.extui %p : i8 to i32
    linalg.yield %t : i32
  } -> tensor<2x9x37x32xi32>
  %re = tensor.empty() : tensor<3x2x32x40xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w : tensor<3x2x32x40xi8>) outs(%re : tensor<3x2x32x40xi32>) {
  ^bb0(%p: i8, %q: i32):
    %t = arith.extsi %p : i8 to i32
    linalg.yield %t : i32
  } -> tensor<3x2x32x40xi32>
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<2x4x18x40xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<2x4x18x40xi32>) -> tensor<2x4x18x40xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, kh, kw, c) -> (n, h * 2 + kh, w * 2 + kw, c)>, affine_map<(n, h, w, o, kh, kw, c) -> (kh, kw, c, o)>, affine_map<(n, h, w, o, kh, kw, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%l, %r : tensor<2x9x37x32xi32>, tensor<3x2x32x40xi32>) outs(%f : tensor<2x4x18x40xi32>) {
  ^bb0(%p: i32, %q: i32, %s: i32):
    %m = arith.muli %p, %q : i32
    %x = arith.addi %s, %m : i32
    linalg.yield %x : i32
  } -> tensor<2x4x18x40xi32>
  return %y : tensor<2x4x18x40xi32>
}
