// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// RUN: %python %S/../Inputs/execute.py %s --level=%level

// Groups that fill whole vectors.
func.func private @whole(%x: tensor<2x5x12x32xf32>, %w: tensor<3x3x4x32xf32>, %b: tensor<32xf32>, %out: tensor<2x3x10x32xf32>) -> tensor<2x3x10x32xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %shape = tensor.empty() : tensor<8x4xf32>
  %e = tensor.empty() : tensor<2x3x10x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x10x32xf32>) -> tensor<2x3x10x32xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, g, o, kh, kw, i) -> (n, h + kh, w + kw, g * 4 + i)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (kh, kw, i, g * 4 + o)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (g, o)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (n, h, w, g * 4 + o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %w, %shape : tensor<2x5x12x32xf32>, tensor<3x3x4x32xf32>, tensor<8x4xf32>) outs(%f : tensor<2x3x10x32xf32>) {
  ^bb0(%p: f32, %q: f32, %u: f32, %s: f32):
    %t = arith.mulf %p, %q : f32
    %v = arith.addf %s, %t : f32
    linalg.yield %v : f32
  } -> tensor<2x3x10x32xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (o)>, affine_map<(n, h, w, o) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<2x3x10x32xf32>, tensor<32xf32>) outs(%e : tensor<2x3x10x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<2x3x10x32xf32>
  return %c : tensor<2x3x10x32xf32>
}

// A rest of channels and of windows.
func.func private @rest(%x: tensor<1x6x21x28xf32>, %w: tensor<3x2x4x28xf32>, %b: tensor<28xf32>, %out: tensor<1x4x20x28xf32>) -> tensor<1x4x20x28xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %shape = tensor.empty() : tensor<7x4xf32>
  %e = tensor.empty() : tensor<1x4x20x28xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x20x28xf32>) -> tensor<1x4x20x28xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, g, o, kh, kw, i) -> (n, h + kh, w + kw, g * 4 + i)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (kh, kw, i, g * 4 + o)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (g, o)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (n, h, w, g * 4 + o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %w, %shape : tensor<1x6x21x28xf32>, tensor<3x2x4x28xf32>, tensor<7x4xf32>) outs(%f : tensor<1x4x20x28xf32>) {
  ^bb0(%p: f32, %q: f32, %u: f32, %s: f32):
    %t = arith.mulf %p, %q : f32
    %v = arith.addf %s, %t : f32
    linalg.yield %v : f32
  } -> tensor<1x4x20x28xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (o)>, affine_map<(n, h, w, o) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<1x4x20x28xf32>, tensor<28xf32>) outs(%e : tensor<1x4x20x28xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<1x4x20x28xf32>
  return %c : tensor<1x4x20x28xf32>
}

// With strides and dilations.
func.func private @strided(%x: tensor<1x11x29x12xf32>, %w: tensor<3x3x2x12xf32>, %b: tensor<12xf32>, %out: tensor<1x4x13x12xf32>) -> tensor<1x4x13x12xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %shape = tensor.empty() : tensor<6x2xf32>
  %e = tensor.empty() : tensor<1x4x13x12xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x13x12xf32>) -> tensor<1x4x13x12xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, g, o, kh, kw, i) -> (n, h * 2 + kh * 2, w * 2 + kw * 2, g * 2 + i)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (kh, kw, i, g * 2 + o)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (g, o)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (n, h, w, g * 2 + o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %w, %shape : tensor<1x11x29x12xf32>, tensor<3x3x2x12xf32>, tensor<6x2xf32>) outs(%f : tensor<1x4x13x12xf32>) {
  ^bb0(%p: f32, %q: f32, %u: f32, %s: f32):
    %t = arith.mulf %p, %q : f32
    %v = arith.addf %s, %t : f32
    linalg.yield %v : f32
  } -> tensor<1x4x13x12xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (o)>, affine_map<(n, h, w, o) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<1x4x13x12xf32>, tensor<12xf32>) outs(%e : tensor<1x4x13x12xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<1x4x13x12xf32>
  return %c : tensor<1x4x13x12xf32>
}

// Groups of eight channels.
func.func private @wide(%x: tensor<1x4x11x40xf32>, %w: tensor<2x3x8x40xf32>, %b: tensor<40xf32>, %out: tensor<1x3x9x40xf32>) -> tensor<1x3x9x40xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %shape = tensor.empty() : tensor<5x8xf32>
  %e = tensor.empty() : tensor<1x3x9x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x9x40xf32>) -> tensor<1x3x9x40xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, g, o, kh, kw, i) -> (n, h + kh, w + kw, g * 8 + i)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (kh, kw, i, g * 8 + o)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (g, o)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (n, h, w, g * 8 + o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %w, %shape : tensor<1x4x11x40xf32>, tensor<2x3x8x40xf32>, tensor<5x8xf32>) outs(%f : tensor<1x3x9x40xf32>) {
  ^bb0(%p: f32, %q: f32, %u: f32, %s: f32):
    %t = arith.mulf %p, %q : f32
    %v = arith.addf %s, %t : f32
    linalg.yield %v : f32
  } -> tensor<1x3x9x40xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (o)>, affine_map<(n, h, w, o) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<1x3x9x40xf32>, tensor<40xf32>) outs(%e : tensor<1x3x9x40xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<1x3x9x40xf32>
  return %c : tensor<1x3x9x40xf32>
}

// Windows of one dimension.
func.func private @line(%x: tensor<3x40x36xf32>, %w: tensor<5x4x36xf32>, %b: tensor<36xf32>, %out: tensor<3x36x36xf32>) -> tensor<3x36x36xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %shape = tensor.empty() : tensor<9x4xf32>
  %e = tensor.empty() : tensor<3x36x36xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x36x36xf32>) -> tensor<3x36x36xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, w, g, o, kw, i) -> (n, w + kw, g * 4 + i)>, affine_map<(n, w, g, o, kw, i) -> (kw, i, g * 4 + o)>, affine_map<(n, w, g, o, kw, i) -> (g, o)>, affine_map<(n, w, g, o, kw, i) -> (n, w, g * 4 + o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w, %shape : tensor<3x40x36xf32>, tensor<5x4x36xf32>, tensor<9x4xf32>) outs(%f : tensor<3x36x36xf32>) {
  ^bb0(%p: f32, %q: f32, %u: f32, %s: f32):
    %t = arith.mulf %p, %q : f32
    %v = arith.addf %s, %t : f32
    linalg.yield %v : f32
  } -> tensor<3x36x36xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, w, o) -> (n, w, o)>, affine_map<(n, w, o) -> (o)>, affine_map<(n, w, o) -> (n, w, o)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<3x36x36xf32>, tensor<36xf32>) outs(%e : tensor<3x36x36xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<3x36x36xf32>
  return %c : tensor<3x36x36xf32>
}

// Dilations wider than a row of windows.
func.func private @far(%x: tensor<1x40x16xf32>, %w: tensor<2x4x16xf32>, %b: tensor<16xf32>, %out: tensor<1x23x16xf32>) -> tensor<1x23x16xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %shape = tensor.empty() : tensor<4x4xf32>
  %e = tensor.empty() : tensor<1x23x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x23x16xf32>) -> tensor<1x23x16xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, w, g, o, kw, i) -> (n, w + kw * 17, g * 4 + i)>, affine_map<(n, w, g, o, kw, i) -> (kw, i, g * 4 + o)>, affine_map<(n, w, g, o, kw, i) -> (g, o)>, affine_map<(n, w, g, o, kw, i) -> (n, w, g * 4 + o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w, %shape : tensor<1x40x16xf32>, tensor<2x4x16xf32>, tensor<4x4xf32>) outs(%f : tensor<1x23x16xf32>) {
  ^bb0(%p: f32, %q: f32, %u: f32, %s: f32):
    %t = arith.mulf %p, %q : f32
    %v = arith.addf %s, %t : f32
    linalg.yield %v : f32
  } -> tensor<1x23x16xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, w, o) -> (n, w, o)>, affine_map<(n, w, o) -> (o)>, affine_map<(n, w, o) -> (n, w, o)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<1x23x16xf32>, tensor<16xf32>) outs(%e : tensor<1x23x16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<1x23x16xf32>
  return %c : tensor<1x23x16xf32>
}

// Fewer channels than a vector has lanes.
func.func private @few(%x: tensor<1x5x6x6xf32>, %w: tensor<3x3x2x6xf32>, %b: tensor<6xf32>, %out: tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %shape = tensor.empty() : tensor<3x2xf32>
  %e = tensor.empty() : tensor<1x3x4x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, g, o, kh, kw, i) -> (n, h + kh, w + kw, g * 2 + i)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (kh, kw, i, g * 2 + o)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (g, o)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (n, h, w, g * 2 + o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %w, %shape : tensor<1x5x6x6xf32>, tensor<3x3x2x6xf32>, tensor<3x2xf32>) outs(%f : tensor<1x3x4x6xf32>) {
  ^bb0(%p: f32, %q: f32, %u: f32, %s: f32):
    %t = arith.mulf %p, %q : f32
    %v = arith.addf %s, %t : f32
    linalg.yield %v : f32
  } -> tensor<1x3x4x6xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (o)>, affine_map<(n, h, w, o) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<1x3x4x6xf32>, tensor<6xf32>) outs(%e : tensor<1x3x4x6xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<1x3x4x6xf32>
  return %c : tensor<1x3x4x6xf32>
}

// Groups of as many channels as a vector, or more.
func.func private @many(%x: tensor<1x4x6x32xf32>, %w: tensor<2x2x16x32xf32>, %b: tensor<32xf32>, %out: tensor<1x3x5x32xf32>) -> tensor<1x3x5x32xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %shape = tensor.empty() : tensor<2x16xf32>
  %e = tensor.empty() : tensor<1x3x5x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x5x32xf32>) -> tensor<1x3x5x32xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, g, o, kh, kw, i) -> (n, h + kh, w + kw, g * 16 + i)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (kh, kw, i, g * 16 + o)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (g, o)>, affine_map<(n, h, w, g, o, kh, kw, i) -> (n, h, w, g * 16 + o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %w, %shape : tensor<1x4x6x32xf32>, tensor<2x2x16x32xf32>, tensor<2x16xf32>) outs(%f : tensor<1x3x5x32xf32>) {
  ^bb0(%p: f32, %q: f32, %u: f32, %s: f32):
    %t = arith.mulf %p, %q : f32
    %v = arith.addf %s, %t : f32
    linalg.yield %v : f32
  } -> tensor<1x3x5x32xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (o)>, affine_map<(n, h, w, o) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<1x3x5x32xf32>, tensor<32xf32>) outs(%e : tensor<1x3x5x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<1x3x5x32xf32>
  return %c : tensor<1x3x5x32xf32>
}
