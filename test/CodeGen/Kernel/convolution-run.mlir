// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// RUN: %python %S/../Inputs/execute.py %s --level=%level

#x2 = affine_map<(n, h, w, o, kh, kw, c) -> (n, h * 2 + kh, w * 2 + kw * 2, c)>
#w2 = affine_map<(n, h, w, o, kh, kw, c) -> (kh, kw, c, o)>
#r2 = affine_map<(n, h, w, o, kh, kw, c) -> (n, h, w, o)>
#id4 = affine_map<(n, h, w, o) -> (n, h, w, o)>

// Strides and a dilation; the weights are packed; a bias and a residual follow.
func.func private @packed(%x: tensor<2x9x23x5xf32>, %w: tensor<3x3x3x5x16xf32>, %bias: tensor<1x1x1x37xf32>, %residual: tensor<2x4x10x37xf32>, %out: tensor<2x4x10x37xf32>) -> tensor<2x4x10x37xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %u = tensor.empty() : tensor<3x3x5x37xf32>
  %weights = linalg.unpack %w outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3] inner_tiles = [16] into %u : tensor<3x3x3x5x16xf32> -> tensor<3x3x5x37xf32>
  %e = tensor.empty() : tensor<2x4x10x37xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x10x37xf32>) -> tensor<2x4x10x37xf32>
  %a = linalg.generic {indexing_maps = [#x2, #w2, #r2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %weights : tensor<2x9x23x5xf32>, tensor<3x3x5x37xf32>) outs(%f : tensor<2x4x10x37xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<2x4x10x37xf32>
  %b = linalg.generic {indexing_maps = [#id4, affine_map<(n, h, w, o) -> (0, 0, 0, o)>, #id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a, %bias, %residual : tensor<2x4x10x37xf32>, tensor<1x1x1x37xf32>, tensor<2x4x10x37xf32>) outs(%e : tensor<2x4x10x37xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<2x4x10x37xf32>
  return %b : tensor<2x4x10x37xf32>
}

// Weights known only at run time, of one image of one row.
func.func private @plain(%x: tensor<31x3xf32>, %w: tensor<4x3x21xf32>, %out: tensor<28x21xf32>) -> tensor<28x21xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<28x21xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<28x21xf32>) -> tensor<28x21xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(s, o, k, c) -> (s + k, c)>, affine_map<(s, o, k, c) -> (k, c, o)>, affine_map<(s, o, k, c) -> (s, o)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<31x3xf32>, tensor<4x3x21xf32>) outs(%f : tensor<28x21xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %r, %s : f32
    linalg.yield %t : f32
  } -> tensor<28x21xf32>
  return %a : tensor<28x21xf32>
}

// Groups are a batch: the result is indexed by a sum of loops.
func.func private @grouped(%x: tensor<1x6x9x12xf32>, %w: tensor<2x2x3x76xf32>, %bias: tensor<76xf32>, %out: tensor<1x5x8x76xf32>) -> tensor<1x5x8x76xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %groups = tensor.empty() : tensor<4x19xf32>
  %e = tensor.empty() : tensor<1x5x8x76xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x8x76xf32>) -> tensor<1x5x8x76xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, g, o, kh, kw, c) -> (n, h + kh, w + kw, g * 3 + c)>, affine_map<(n, h, w, g, o, kh, kw, c) -> (kh, kw, c, g * 19 + o)>, affine_map<(n, h, w, g, o, kh, kw, c) -> (g, o)>, affine_map<(n, h, w, g, o, kh, kw, c) -> (n, h, w, g * 19 + o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %w, %groups : tensor<1x6x9x12xf32>, tensor<2x2x3x76xf32>, tensor<4x19xf32>) outs(%f : tensor<1x5x8x76xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %s: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x5x8x76xf32>
  %b = linalg.generic {indexing_maps = [#id4, affine_map<(n, h, w, o) -> (o)>, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a, %bias : tensor<1x5x8x76xf32>, tensor<76xf32>) outs(%e : tensor<1x5x8x76xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<1x5x8x76xf32>
  return %b : tensor<1x5x8x76xf32>
}

// A panel a group.
func.func private @panels_of_groups(%x: tensor<1x5x9x15xf32>, %w: tensor<3x2x3x5x16xf32>, %out: tensor<1x4x7x48xf32>) -> tensor<1x4x7x48xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %shape = tensor.empty() : tensor<3x16xf32>
  %ue = tensor.empty() : tensor<2x3x5x48xf32>
  %u = linalg.unpack %w outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3] inner_tiles = [16] into %ue : tensor<3x2x3x5x16xf32> -> tensor<2x3x5x48xf32>
  %e = tensor.empty() : tensor<1x4x7x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x7x48xf32>) -> tensor<1x4x7x48xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, g, o, kh, kw, i) -> (n, h + kh, w + kw, g * 5 + i)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (kh, kw, i, g * 16 + o)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (g, o)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (n, h, w, g * 16 + o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %u, %shape : tensor<1x5x9x15xf32>, tensor<2x3x5x48xf32>, tensor<3x16xf32>) outs(%f : tensor<1x4x7x48xf32>) {
  ^bb0(%p: f32, %q: f32, %v: f32, %s: f32):
    %t = arith.mulf %p, %q : f32
    %y = arith.addf %s, %t : f32
    linalg.yield %y : f32
  } -> tensor<1x4x7x48xf32>
  return %a : tensor<1x4x7x48xf32>
}

// Two panels a group.
func.func private @panels_of_half_groups(%x: tensor<1x7x11x8xf32>, %w: tensor<4x3x3x4x16xf32>, %out: tensor<1x3x5x64xf32>) -> tensor<1x3x5x64xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %shape = tensor.empty() : tensor<2x32xf32>
  %ue = tensor.empty() : tensor<3x3x4x64xf32>
  %u = linalg.unpack %w outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3] inner_tiles = [16] into %ue : tensor<4x3x3x4x16xf32> -> tensor<3x3x4x64xf32>
  %e = tensor.empty() : tensor<1x3x5x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x5x64xf32>) -> tensor<1x3x5x64xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, g, o, kh, kw, i) -> (n, h * 2 + kh, w * 2 + kw, g * 4 + i)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (kh, kw, i, g * 32 + o)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (g, o)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (n, h, w, g * 32 + o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %u, %shape : tensor<1x7x11x8xf32>, tensor<3x3x4x64xf32>, tensor<2x32xf32>) outs(%f : tensor<1x3x5x64xf32>) {
  ^bb0(%p: f32, %q: f32, %v: f32, %s: f32):
    %t = arith.mulf %p, %q : f32
    %y = arith.addf %s, %t : f32
    linalg.yield %y : f32
  } -> tensor<1x3x5x64xf32>
  return %a : tensor<1x3x5x64xf32>
}

// A panel that is too large for a cache: one row of the windows after the other.
func.func private @cut(%x: tensor<18x11x512xf32>, %w: tensor<2x3x3x512x16xf32>, %bias: tensor<20xf32>, %out: tensor<16x9x20xf32>) -> tensor<16x9x20xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %u = tensor.empty() : tensor<3x3x512x20xf32>
  %weights = linalg.unpack %w outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3] inner_tiles = [16] into %u : tensor<2x3x3x512x16xf32> -> tensor<3x3x512x20xf32>
  %e = tensor.empty() : tensor<16x9x20xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x9x20xf32>) -> tensor<16x9x20xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(h, w, o, kh, kw, c) -> (h + kh, w + kw, c)>, affine_map<(h, w, o, kh, kw, c) -> (kh, kw, c, o)>, affine_map<(h, w, o, kh, kw, c) -> (h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %weights : tensor<18x11x512xf32>, tensor<3x3x512x20xf32>) outs(%f : tensor<16x9x20xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<16x9x20xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(h, w, o) -> (h, w, o)>, affine_map<(h, w, o) -> (o)>, affine_map<(h, w, o) -> (h, w, o)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%a, %bias : tensor<16x9x20xf32>, tensor<20xf32>) outs(%e : tensor<16x9x20xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<16x9x20xf32>
  return %b : tensor<16x9x20xf32>
}
