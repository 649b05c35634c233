// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// RUN: %python %S/../Inputs/execute.py %s --level=%level

#id1 = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// Over the leading dimension, in several blocks of columns, with what feeds and
// follows it.
func.func private @columns(%x: tensor<67x331xf32>, %bias: tensor<331xf32>, %out: tensor<331xf32>) -> tensor<331xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<67x331xf32>
  %e = tensor.empty() : tensor<331xf32>
  %squares = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<67x331xf32>) outs(%e2 : tensor<67x331xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.mulf %p, %p : f32
    linalg.yield %r : f32
  } -> tensor<67x331xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<331xf32>) -> tensor<331xf32>
  %sum = linalg.generic {indexing_maps = [#id2, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
    ins(%squares : tensor<67x331xf32>) outs(%f : tensor<331xf32>) {
  ^bb0(%p: f32, %s: f32):
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<331xf32>
  %a = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
    ins(%sum, %bias : tensor<331xf32>, tensor<331xf32>) outs(%e : tensor<331xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<331xf32>
  return %a : tensor<331xf32>
}

// Over the last dimensions, which are read as one.
func.func private @planes(%x: tensor<5x3x7x9xf32>, %out: tensor<5x3xf32>) -> tensor<5x3xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e4 = tensor.empty() : tensor<5x3x7x9xf32>
  %e = tensor.empty() : tensor<5x3xf32>
  %squares = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<5x3x7x9xf32>) outs(%e4 : tensor<5x3x7x9xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.mulf %p, %p : f32
    linalg.yield %r : f32
  } -> tensor<5x3x7x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x3xf32>) -> tensor<5x3xf32>
  %sum = linalg.generic {indexing_maps = [#id4, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%squares : tensor<5x3x7x9xf32>) outs(%f : tensor<5x3xf32>) {
  ^bb0(%p: f32, %s: f32):
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<5x3xf32>
  return %sum : tensor<5x3xf32>
}

// An operand that is the same for all rows of a plane keeps them apart.
func.func private @rows_of_planes(%x: tensor<5x3x7x9xf32>, %row: tensor<9xf32>, %out: tensor<5x3xf32>) -> tensor<5x3xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x3xf32>) -> tensor<5x3xf32>
  %sum = linalg.generic {indexing_maps = [#id4, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %row : tensor<5x3x7x9xf32>, tensor<9xf32>) outs(%f : tensor<5x3xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<5x3xf32>
  return %sum : tensor<5x3xf32>
}

// Planes are rows of their elements, which a bias and a residual follow; one
// that is the same for a row of a plane keeps its rows apart.
func.func private @sum_of_planes(%x: tensor<6x7x9xf32>, %bias: tensor<1x1xf32>, %residual: tensor<7x9xf32>, %out: tensor<7x9xf32>) -> tensor<7x9xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %sum = linalg.generic {indexing_maps = [#id3, affine_map<(d0, d1, d2) -> (d1, d2)>], iterator_types = ["reduction", "parallel", "parallel"]}
    ins(%x : tensor<6x7x9xf32>) outs(%f : tensor<7x9xf32>) {
  ^bb0(%p: f32, %s: f32):
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<7x9xf32>
  %y = linalg.generic {indexing_maps = [#id2, affine_map<(d0, d1) -> (0, 0)>, #id2, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%sum, %bias, %residual : tensor<7x9xf32>, tensor<1x1xf32>, tensor<7x9xf32>) outs(%e : tensor<7x9xf32>) {
  ^bb0(%p: f32, %q: f32, %t: f32, %o: f32):
    %a = arith.addf %p, %q : f32
    %r = arith.addf %a, %t : f32
    linalg.yield %r : f32
  } -> tensor<7x9xf32>
  return %y : tensor<7x9xf32>
}

func.func private @sum_of_rows(%x: tensor<6x7x9xf32>, %bias: tensor<7x1xf32>, %out: tensor<7x9xf32>) -> tensor<7x9xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %sum = linalg.generic {indexing_maps = [#id3, affine_map<(d0, d1, d2) -> (d1, d2)>], iterator_types = ["reduction", "parallel", "parallel"]}
    ins(%x : tensor<6x7x9xf32>) outs(%f : tensor<7x9xf32>) {
  ^bb0(%p: f32, %s: f32):
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<7x9xf32>
  %y = linalg.generic {indexing_maps = [#id2, affine_map<(d0, d1) -> (d0, 0)>, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%sum, %bias : tensor<7x9xf32>, tensor<7x1xf32>) outs(%e : tensor<7x9xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<7x9xf32>
  return %y : tensor<7x9xf32>
}

// Of an operand larger than caches: the sums of pieces of rows are in memory.
func.func private @streamed(%x: tensor<3x1201x300xf32>, %bias: tensor<300xf32>, %out: tensor<300xf32>) -> tensor<300xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e3 = tensor.empty() : tensor<3x1201x300xf32>
  %e = tensor.empty() : tensor<300xf32>
  %squares = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<3x1201x300xf32>) outs(%e3 : tensor<3x1201x300xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.mulf %p, %p : f32
    linalg.yield %r : f32
  } -> tensor<3x1201x300xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<300xf32>) -> tensor<300xf32>
  %sum = linalg.generic {indexing_maps = [#id3, affine_map<(d0, d1, d2) -> (d2)>], iterator_types = ["reduction", "reduction", "parallel"]}
    ins(%squares : tensor<3x1201x300xf32>) outs(%f : tensor<300xf32>) {
  ^bb0(%p: f32, %s: f32):
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<300xf32>
  %a = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
    ins(%sum, %bias : tensor<300xf32>, tensor<300xf32>) outs(%e : tensor<300xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<300xf32>
  return %a : tensor<300xf32>
}

// The same for each of a few matrices.
func.func private @matrices(%x: tensor<2x1031x531xf32>, %out: tensor<2x531xf32>) -> tensor<2x531xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2x531xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<2x531xf32>) -> tensor<2x531xf32>
  %a = linalg.generic {indexing_maps = [#id3, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]}
    ins(%x : tensor<2x1031x531xf32>) outs(%f : tensor<2x531xf32>) {
  ^bb0(%p: f32, %s: f32):
    %r = arith.maximumf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x531xf32>
  return %a : tensor<2x531xf32>
}

// One number of a large operand.
func.func private @number(%x: tensor<1x1031x1031xf32>, %out: tensor<1xf32>) -> tensor<1xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %a = linalg.generic {indexing_maps = [#id3, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]}
    ins(%x : tensor<1x1031x1031xf32>) outs(%f : tensor<1xf32>) {
  ^bb0(%p: f32, %s: f32):
    %r = arith.maximumf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<1xf32>
  return %a : tensor<1xf32>
}

// Over the middle; a start that is not neutral.
func.func private @middle(%x: tensor<5x9x37xf32>, %start: tensor<5x37xf32>, %out: tensor<5x37xf32>) -> tensor<5x37xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %e = tensor.empty() : tensor<5x37xf32>
  %negative = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%start : tensor<5x37xf32>) outs(%e : tensor<5x37xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.negf %p : f32
    linalg.yield %r : f32
  } -> tensor<5x37xf32>
  %a = linalg.generic {indexing_maps = [#id3, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]}
    ins(%x : tensor<5x9x37xf32>) outs(%negative : tensor<5x37xf32>) {
  ^bb0(%p: f32, %s: f32):
    %r = arith.maximumf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<5x37xf32>
  return %a : tensor<5x37xf32>
}

// Over the last two dimensions: lanes run along the last of them.
func.func private @trailing(%x: tensor<6x7x7xf32>, %out: tensor<6xf32>) -> tensor<6xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<6xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %a = linalg.generic {indexing_maps = [#id3, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]}
    ins(%x : tensor<6x7x7xf32>) outs(%f : tensor<6xf32>) {
  ^bb0(%p: f32, %s: f32):
    %r = arith.mulf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  return %a : tensor<6xf32>
}

// Over everything, of integers.
func.func private @all(%x: tensor<3x1001xi32>, %out: tensor<i32>) -> tensor<i32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<i32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %a = linalg.generic {indexing_maps = [#id2, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
    ins(%x : tensor<3x1001xi32>) outs(%f : tensor<i32>) {
  ^bb0(%p: i32, %s: i32):
    %r = arith.addi %s, %p : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %a : tensor<i32>
}

// Least values of bytes, over the outer dimensions.
func.func private @bytes(%x: tensor<3x100x5xi8>, %out: tensor<100xi8>) -> tensor<100xi8>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %most = arith.constant 127 : i8
  %e = tensor.empty() : tensor<100xi8>
  %f = linalg.fill ins(%most : i8) outs(%e : tensor<100xi8>) -> tensor<100xi8>
  %a = linalg.generic {indexing_maps = [#id3, affine_map<(d0, d1, d2) -> (d1)>], iterator_types = ["reduction", "parallel", "reduction"]}
    ins(%x : tensor<3x100x5xi8>) outs(%f : tensor<100xi8>) {
  ^bb0(%p: i8, %s: i8):
    %r = arith.minsi %s, %p : i8
    linalg.yield %r : i8
  } -> tensor<100xi8>
  return %a : tensor<100xi8>
}

// A product of matrices of doubles, and one of bytes into integers that are
// stored as other integers.
func.func private @doubles(%x: tensor<13x29xf64>, %w: tensor<29x43xf64>, %out: tensor<13x43xf64>) -> tensor<13x43xf64>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<13x43xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<13x43xf64>) -> tensor<13x43xf64>
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<13x29xf64>, tensor<29x43xf64>) outs(%f : tensor<13x43xf64>) {
  ^bb0(%p: f64, %q: f64, %s: f64):
    %r = arith.mulf %p, %q : f64
    %t = arith.addf %s, %r : f64
    linalg.yield %t : f64
  } -> tensor<13x43xf64>
  return %a : tensor<13x43xf64>
}

func.func private @narrow(%x: tensor<9x29xi8>, %w: tensor<29x43xi8>, %out: tensor<9x43xi64>) -> tensor<9x43xi64>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<9x43xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<9x43xi32>) -> tensor<9x43xi32>
  %a = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<9x29xi8>, tensor<29x43xi8>) outs(%f : tensor<9x43xi32>) {
  ^bb0(%p: i8, %q: i8, %s: i32):
    %u = arith.extsi %p : i8 to i32
    %v = arith.extsi %q : i8 to i32
    %r = arith.muli %u, %v : i32
    %t = arith.addi %s, %r : i32
    linalg.yield %t : i32
  } -> tensor<9x43xi32>
  %g = tensor.empty() : tensor<9x43xi64>
  %b = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<9x43xi32>) outs(%g : tensor<9x43xi64>) {
  ^bb0(%p: i32, %o: i64):
    %r = arith.extsi %p : i32 to i64
    linalg.yield %r : i64
  } -> tensor<9x43xi64>
  return %b : tensor<9x43xi64>
}

// Windows: the operand that has their shape is not read.
func.func private @pool(%x: tensor<2x11x13x37xf32>, %out: tensor<2x5x6x37xf32>) -> tensor<2x5x6x37xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %low = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<3x2xf32>
  %e = tensor.empty() : tensor<2x5x6x37xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<2x5x6x37xf32>) -> tensor<2x5x6x37xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, kh, kw) -> (n, h * 2 + kh, w * 2 + kw * 2, c)>, affine_map<(n, h, w, c, kh, kw) -> (kh, kw)>, affine_map<(n, h, w, c, kh, kw) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %window : tensor<2x11x13x37xf32>, tensor<3x2xf32>) outs(%f : tensor<2x5x6x37xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.maximumf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x5x6x37xf32>
  return %a : tensor<2x5x6x37xf32>
}

// A depthwise convolution: rows of pixels share the weights.
func.func private @depthwise(%x: tensor<2x7x9x70xf32>, %w: tensor<3x3x70xf32>, %bias: tensor<70xf32>, %out: tensor<2x5x7x70xf32>) -> tensor<2x5x7x70xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x5x7x70xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x7x70xf32>) -> tensor<2x5x7x70xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, kh, kw) -> (n, h + kh, w + kw, c)>, affine_map<(n, h, w, c, kh, kw) -> (kh, kw, c)>, affine_map<(n, h, w, c, kh, kw) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x7x9x70xf32>, tensor<3x3x70xf32>) outs(%f : tensor<2x5x7x70xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<2x5x7x70xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a, %bias : tensor<2x5x7x70xf32>, tensor<70xf32>) outs(%e : tensor<2x5x7x70xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<2x5x7x70xf32>
  return %b : tensor<2x5x7x70xf32>
}

// A grouped one, with 3 channels of input and 5 of result a group: the result
// is indexed by a sum of loops.
func.func private @grouped(%x: tensor<1x6x6x12xi32>, %w: tensor<2x2x3x20xi32>, %out: tensor<1x5x5x20xi32>) -> tensor<1x5x5x20xi32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0 : i32
  %groups = tensor.empty() : tensor<4x5xi32>
  %e = tensor.empty() : tensor<1x5x5x20xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x5x5x20xi32>) -> tensor<1x5x5x20xi32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, g, o, kh, kw, c) -> (n, h + kh, w + kw, g * 3 + c)>, affine_map<(n, h, w, g, o, kh, kw, c) -> (kh, kw, c, g * 5 + o)>, affine_map<(n, h, w, g, o, kh, kw, c) -> (g, o)>, affine_map<(n, h, w, g, o, kh, kw, c) -> (n, h, w, g * 5 + o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %w, %groups : tensor<1x6x6x12xi32>, tensor<2x2x3x20xi32>, tensor<4x5xi32>) outs(%f : tensor<1x5x5x20xi32>) {
  ^bb0(%p: i32, %q: i32, %r: i32, %s: i32):
    %t = arith.muli %p, %q : i32
    %u = arith.addi %s, %t : i32
    linalg.yield %u : i32
  } -> tensor<1x5x5x20xi32>
  return %a : tensor<1x5x5x20xi32>
}
