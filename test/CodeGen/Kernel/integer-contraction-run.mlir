// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// RUN: %python %S/../Inputs/execute.py %s --level=%level

// Odd rows, columns and depth of a packed right side; a pointwise consumer.
func.func private @packed(%a: tensor<13x9xi16>, %b: tensor<3x5x16x2xi16>, %bias: tensor<13x37xi32>, %out: tensor<13x37xi32>) -> tensor<13x37xi32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %u = tensor.empty() : tensor<9x37xi16>
  %w = linalg.unpack %b outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [16, 2] into %u : tensor<3x5x16x2xi16> -> tensor<9x37xi16>
  %le = tensor.empty() : tensor<13x9xi32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<13x9xi16>) outs(%le : tensor<13x9xi32>) {
  ^bb0(%p: i16, %q: i32):
    %t = arith.extsi %p : i16 to i32
    linalg.yield %t : i32
  } -> tensor<13x9xi32>
  %re = tensor.empty() : tensor<9x37xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<9x37xi16>) outs(%re : tensor<9x37xi32>) {
  ^bb0(%p: i16, %q: i32):
    %t = arith.extsi %p : i16 to i32
    linalg.yield %t : i32
  } -> tensor<9x37xi32>
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<13x37xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<13x37xi32>) -> tensor<13x37xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%l, %r : tensor<13x9xi32>, tensor<9x37xi32>) outs(%f : tensor<13x37xi32>) {
  ^bb0(%p: i32, %q: i32, %s: i32):
    %m = arith.muli %p, %q : i32
    %x = arith.addi %s, %m : i32
    linalg.yield %x : i32
  } -> tensor<13x37xi32>
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%y, %bias : tensor<13x37xi32>, tensor<13x37xi32>) outs(%e : tensor<13x37xi32>) {
  ^bb0(%p: i32, %q: i32, %s: i32):
    %a1 = arith.addi %p, %q : i32
    linalg.yield %a1 : i32
  } -> tensor<13x37xi32>
  return %n : tensor<13x37xi32>
}

// Both sides as they are; the pairs of the left one are no neighbours.
func.func private @plain(%a: tensor<11x5xi16>, %b: tensor<11x21xi16>, %out: tensor<5x21xi32>) -> tensor<5x21xi32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %le = tensor.empty() : tensor<11x5xi32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<11x5xi16>) outs(%le : tensor<11x5xi32>) {
  ^bb0(%p: i16, %q: i32):
    %t = arith.extsi %p : i16 to i32
    linalg.yield %t : i32
  } -> tensor<11x5xi32>
  %re = tensor.empty() : tensor<11x21xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<11x21xi16>) outs(%re : tensor<11x21xi32>) {
  ^bb0(%p: i16, %q: i32):
    %t = arith.extsi %p : i16 to i32
    linalg.yield %t : i32
  } -> tensor<11x21xi32>
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<5x21xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<5x21xi32>) -> tensor<5x21xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%l, %r : tensor<11x5xi32>, tensor<11x21xi32>) outs(%f : tensor<5x21xi32>) {
  ^bb0(%p: i32, %q: i32, %s: i32):
    %m = arith.muli %p, %q : i32
    %x = arith.addi %s, %m : i32
    linalg.yield %x : i32
  } -> tensor<5x21xi32>
  return %y : tensor<5x21xi32>
}

// A batch, of one row, one column and one product.
func.func private @batch(%a: tensor<3x1x6xi16>, %b: tensor<3x6x1xi16>, %out: tensor<3x1x1xi32>) -> tensor<3x1x1xi32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %le = tensor.empty() : tensor<3x1x6xi32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : tensor<3x1x6xi16>) outs(%le : tensor<3x1x6xi32>) {
  ^bb0(%p: i16, %q: i32):
    %t = arith.extsi %p : i16 to i32
    linalg.yield %t : i32
  } -> tensor<3x1x6xi32>
  %re = tensor.empty() : tensor<3x6x1xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%b : tensor<3x6x1xi16>) outs(%re : tensor<3x6x1xi32>) {
  ^bb0(%p: i16, %q: i32):
    %t = arith.extsi %p : i16 to i32
    linalg.yield %t : i32
  } -> tensor<3x6x1xi32>
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<3x1x1xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<3x1x1xi32>) -> tensor<3x1x1xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, i, j, k) -> (n, i, k)>, affine_map<(n, i, j, k) -> (n, k, j)>, affine_map<(n, i, j, k) -> (n, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%l, %r : tensor<3x1x6xi32>, tensor<3x6x1xi32>) outs(%f : tensor<3x1x1xi32>) {
  ^bb0(%p: i32, %q: i32, %s: i32):
    %m = arith.muli %p, %q : i32
    %x = arith.addi %s, %m : i32
    linalg.yield %x : i32
  } -> tensor<3x1x1xi32>
  return %y : tensor<3x1x1xi32>
}

// Windows with strides and a dilation.
func.func private @windows(%a: tensor<2x9x23x5xi16>, %b: tensor<2x3x3x3x16x2xi16>, %out: tensor<2x4x10x19xi32>) -> tensor<2x4x10x19xi32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %u = tensor.empty() : tensor<3x3x5x19xi16>
  %w = linalg.unpack %b outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3, 2] inner_tiles = [16, 2] into %u : tensor<2x3x3x3x16x2xi16> -> tensor<3x3x5x19xi16>
  %le = tensor.empty() : tensor<2x9x23x5xi32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a : tensor<2x9x23x5xi16>) outs(%le : tensor<2x9x23x5xi32>) {
  ^bb0(%p: i16, %q: i32):
    %t = arith.extsi %p : i16 to i32
    linalg.yield %t : i32
  } -> tensor<2x9x23x5xi32>
  %re = tensor.empty() : tensor<3x3x5x19xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%w : tensor<3x3x5x19xi16>) outs(%re : tensor<3x3x5x19xi32>) {
  ^bb0(%p: i16, %q: i32):
    %t = arith.extsi %p : i16 to i32
    linalg.yield %t : i32
  } -> tensor<3x3x5x19xi32>
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<2x4x10x19xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<2x4x10x19xi32>) -> tensor<2x4x10x19xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, kh, kw, c) -> (n, h * 2 + kh, w * 2 + kw * 2, c)>, affine_map<(n, h, w, o, kh, kw, c) -> (kh, kw, c, o)>, affine_map<(n, h, w, o, kh, kw, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%l, %r : tensor<2x9x23x5xi32>, tensor<3x3x5x19xi32>) outs(%f : tensor<2x4x10x19xi32>) {
  ^bb0(%p: i32, %q: i32, %s: i32):
    %m = arith.muli %p, %q : i32
    %x = arith.addi %s, %m : i32
    linalg.yield %x : i32
  } -> tensor<2x4x10x19xi32>
  return %y : tensor<2x4x10x19xi32>
}

// The panels: pairs of an odd depth, and columns that end within one.
func.func private @pairs(%a: tensor<9x37xi16>, %out: tensor<3x5x16x2xi16>) -> tensor<3x5x16x2xi16>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %zero = arith.constant 0 : i16
  %e = tensor.empty() : tensor<3x5x16x2xi16>
  %y = linalg.pack %a padding_value(%zero : i16) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [16, 2] into %e : tensor<9x37xi16> -> tensor<3x5x16x2xi16>
  return %y : tensor<3x5x16x2xi16>
}

// Of weights.
func.func private @weights(%a: tensor<2x1x4x8xi16>, %out: tensor<1x2x1x2x8x2xi16>) -> tensor<1x2x1x2x8x2xi16>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %zero = arith.constant 0 : i16
  %e = tensor.empty() : tensor<1x2x1x2x8x2xi16>
  %y = linalg.pack %a padding_value(%zero : i16) outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3, 2] inner_tiles = [8, 2] into %e : tensor<2x1x4x8xi16> -> tensor<1x2x1x2x8x2xi16>
  return %y : tensor<1x2x1x2x8x2xi16>
}
