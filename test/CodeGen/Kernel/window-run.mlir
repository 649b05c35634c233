// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// RUN: %python %S/../Inputs/execute.py %s --level=%level

#id4 = affine_map<(n, h, w, c) -> (n, h, w, c)>
#toLast = affine_map<(n, h, w, c) -> (n, c, h, w)>
#toFirst = affine_map<(n, c, h, w) -> (n, h, w, c)>
#bias = affine_map<(n, h, w, c) -> (c)>
#w = affine_map<(n, h, w, c, kh, kw) -> (kh, kw, 0, c)>
#r = affine_map<(n, h, w, c, kh, kw) -> (n, h, w, c)>
#x1 = affine_map<(n, h, w, c, kh, kw) -> (n, h + kh, w + kw, c)>
#x2 = affine_map<(n, h, w, c, kh, kw) -> (n, h * 2 + kh, w * 2 + kw * 3, c)>
#halved = affine_map<(n, h, w, c, kh, kw) -> (n, h * 2 + kh, w * 2 + kw, c)>
#all = affine_map<(n, h, w, o, kh, kw, c) -> (n, h * 2 + kh, w + kw * 2, c)>
#allw = affine_map<(n, h, w, o, kh, kw, c) -> (kh, kw, c, o)>
#allr = affine_map<(n, h, w, o, kh, kw, c) -> (n, h, w, o)>
#taps = affine_map<(n, h, w, c, kh, kw) -> (kh, kw)>

// A depthwise convolution with a bias; blocks of windows inside and at both
// ends, a rest of channels.
func.func private @depthwise(%x: tensor<2x6x29x37xf32>, %w: tensor<3x3x1x37xf32>, %b: tensor<37xf32>, %out: tensor<2x6x29x37xf32>) -> tensor<2x6x29x37xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x6x29x37xf32> to tensor<2x8x31x37xf32>
  %e = tensor.empty() : tensor<2x6x29x37xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x6x29x37xf32>) -> tensor<2x6x29x37xf32>
  %a = linalg.generic {indexing_maps = [#x1, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<2x8x31x37xf32>, tensor<3x3x1x37xf32>) outs(%f : tensor<2x6x29x37xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<2x6x29x37xf32>
  %d = linalg.generic {indexing_maps = [#id4, #bias, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<2x6x29x37xf32>, tensor<37xf32>) outs(%e : tensor<2x6x29x37xf32>) {
  ^bb0(%q: f32, %v: f32, %o: f32):
    %t = arith.addf %q, %v : f32
    linalg.yield %t : f32
  } -> tensor<2x6x29x37xf32>
  return %d : tensor<2x6x29x37xf32>
}

// Strides, a dilation, and windows that lie in the padding altogether.
func.func private @strided(%x: tensor<1x7x9x5xf32>, %w: tensor<3x2x1x5xf32>, %out: tensor<1x6x6x5xf32>) -> tensor<1x6x6x5xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 4, 2, 0] high[0, 2, 3, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x7x9x5xf32> to tensor<1x13x14x5xf32>
  %e = tensor.empty() : tensor<1x6x6x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6x6x5xf32>) -> tensor<1x6x6x5xf32>
  %a = linalg.generic {indexing_maps = [#x2, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x13x14x5xf32>, tensor<3x2x1x5xf32>) outs(%f : tensor<1x6x6x5xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x6x6x5xf32>
  return %a : tensor<1x6x6x5xf32>
}

// The largest of each window; and padding that counts, which no window may
// leave out.
func.func private @largest(%x: tensor<1x11x11x20xf32>, %out: tensor<1x6x6x20xf32>) -> tensor<1x6x6x20xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %least = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 4, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %least : f32
  } : tensor<1x11x11x20xf32> to tensor<1x13x16x20xf32>
  %window = tensor.empty() : tensor<3x2xf32>
  %e = tensor.empty() : tensor<1x6x6x20xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<1x6x6x20xf32>) -> tensor<1x6x6x20xf32>
  %a = linalg.generic {indexing_maps = [#x2, #taps, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %window : tensor<1x13x16x20xf32>, tensor<3x2xf32>) outs(%f : tensor<1x6x6x20xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.maximumf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<1x6x6x20xf32>
  return %a : tensor<1x6x6x20xf32>
}
func.func private @counting(%x: tensor<1x5x6x9xf32>, %out: tensor<1x6x7x9xf32>) -> tensor<1x6x7x9xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %one : f32
  } : tensor<1x5x6x9xf32> to tensor<1x7x8x9xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x6x7x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6x7x9xf32>) -> tensor<1x6x7x9xf32>
  %a = linalg.generic {indexing_maps = [#x1, #taps, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %window : tensor<1x7x8x9xf32>, tensor<2x2xf32>) outs(%f : tensor<1x6x7x9xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<1x6x7x9xf32>
  return %a : tensor<1x6x7x9xf32>
}

// Channels first in memory: lanes are windows. The ends of rows are not read
// beyond.
func.func private @planar(%x: tensor<1x3x13x45xf32>, %w: tensor<3x5x1x3xf32>, %b: tensor<3xf32>, %out: tensor<1x3x13x44xf32>) -> tensor<1x3x13x44xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %xe = tensor.empty() : tensor<1x13x45x3xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x3x13x45xf32>) outs(%xe : tensor<1x13x45x3xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x13x45x3xf32>
  %p = tensor.pad %last low[0, 1, 2, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x13x45x3xf32> to tensor<1x15x48x3xf32>
  %e = tensor.empty() : tensor<1x13x44x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x13x44x3xf32>) -> tensor<1x13x44x3xf32>
  %a = linalg.generic {indexing_maps = [#x1, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x15x48x3xf32>, tensor<3x5x1x3xf32>) outs(%f : tensor<1x13x44x3xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x13x44x3xf32>
  %c = linalg.generic {indexing_maps = [#id4, #bias, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<1x13x44x3xf32>, tensor<3xf32>) outs(%e : tensor<1x13x44x3xf32>) {
  ^bb0(%q: f32, %v: f32, %o: f32):
    %t = arith.addf %q, %v : f32
    linalg.yield %t : f32
  } -> tensor<1x13x44x3xf32>
  %re = tensor.empty() : tensor<1x3x13x44xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%c : tensor<1x13x44x3xf32>) outs(%re : tensor<1x3x13x44xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x3x13x44xf32>
  return %d : tensor<1x3x13x44xf32>
}

// All rows of an image of one vector at once.
func.func private @planar_narrow(%x: tensor<1x5x11x13xf32>, %w: tensor<7x7x1x5xf32>, %out: tensor<1x5x11x13xf32>) -> tensor<1x5x11x13xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %xe = tensor.empty() : tensor<1x11x13x5xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x5x11x13xf32>) outs(%xe : tensor<1x11x13x5xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x11x13x5xf32>
  %p = tensor.pad %last low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x11x13x5xf32> to tensor<1x17x19x5xf32>
  %e = tensor.empty() : tensor<1x11x13x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x11x13x5xf32>) -> tensor<1x11x13x5xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, kh, kw) -> (n, h + kh, w + kw, c)>, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x17x19x5xf32>, tensor<7x7x1x5xf32>) outs(%f : tensor<1x11x13x5xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x11x13x5xf32>
  %re = tensor.empty() : tensor<1x5x11x13xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a : tensor<1x11x13x5xf32>) outs(%re : tensor<1x5x11x13xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x5x11x13xf32>
  return %d : tensor<1x5x11x13xf32>
}

// Dilated windows that reach far into the padding.
func.func private @planar_dilated(%x: tensor<1x3x9x21xf32>, %w: tensor<3x3x1x3xf32>, %out: tensor<1x3x9x21xf32>) -> tensor<1x3x9x21xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %xe = tensor.empty() : tensor<1x9x21x3xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x3x9x21xf32>) outs(%xe : tensor<1x9x21x3xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x9x21x3xf32>
  %p = tensor.pad %last low[0, 4, 4, 0] high[0, 4, 4, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x9x21x3xf32> to tensor<1x17x29x3xf32>
  %e = tensor.empty() : tensor<1x9x21x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x9x21x3xf32>) -> tensor<1x9x21x3xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, kh, kw) -> (n, h + kh * 4, w + kw * 4, c)>, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x17x29x3xf32>, tensor<3x3x1x3xf32>) outs(%f : tensor<1x9x21x3xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x9x21x3xf32>
  %re = tensor.empty() : tensor<1x3x9x21xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a : tensor<1x9x21x3xf32>) outs(%re : tensor<1x3x9x21xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x3x9x21xf32>
  return %d : tensor<1x3x9x21xf32>
}

// Dilated windows with strides.
func.func private @planar_strided(%x: tensor<1x2x15x37xf32>, %w: tensor<3x3x1x2xf32>, %out: tensor<1x2x8x19xf32>) -> tensor<1x2x8x19xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %xe = tensor.empty() : tensor<1x15x37x2xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x2x15x37xf32>) outs(%xe : tensor<1x15x37x2xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x15x37x2xf32>
  %p = tensor.pad %last low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x15x37x2xf32> to tensor<1x19x41x2xf32>
  %e = tensor.empty() : tensor<1x8x19x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x19x2xf32>) -> tensor<1x8x19x2xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, kh, kw) -> (n, h * 2 + kh * 2, w * 2 + kw * 2, c)>, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x19x41x2xf32>, tensor<3x3x1x2xf32>) outs(%f : tensor<1x8x19x2xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x8x19x2xf32>
  %re = tensor.empty() : tensor<1x2x8x19xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a : tensor<1x8x19x2xf32>) outs(%re : tensor<1x2x8x19xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x2x8x19xf32>
  return %d : tensor<1x2x8x19xf32>
}

// Strides of two: the elements of a window's columns are read two vectors at a
// time, but for the last one, and at the ends of rows. Weights are permuted.
func.func private @planar_halved(%x: tensor<1x2x15x131xf32>, %v: tensor<2x1x5x5xf32>, %y: tensor<1x2x8x66xf32>, %out: tensor<1x2x8x66xf32>) -> tensor<1x2x8x66xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %xe = tensor.empty() : tensor<1x15x131x2xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x2x15x131xf32>) outs(%xe : tensor<1x15x131x2xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x15x131x2xf32>
  %p = tensor.pad %last low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x15x131x2xf32> to tensor<1x19x135x2xf32>
  %we = tensor.empty() : tensor<5x5x1x2xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(h, w, d, c) -> (c, d, h, w)>, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%v : tensor<2x1x5x5xf32>) outs(%we : tensor<5x5x1x2xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<5x5x1x2xf32>
  %e = tensor.empty() : tensor<1x8x66x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x66x2xf32>) -> tensor<1x8x66x2xf32>
  %a = linalg.generic {indexing_maps = [#halved, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x19x135x2xf32>, tensor<5x5x1x2xf32>) outs(%f : tensor<1x8x66x2xf32>) {
  ^bb0(%q: f32, %factor: f32, %s: f32):
    %t = arith.mulf %q, %factor : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x8x66x2xf32>
  %re = tensor.empty() : tensor<1x2x8x66xf32>
  %c = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a : tensor<1x8x66x2xf32>) outs(%re : tensor<1x2x8x66xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x2x8x66xf32>
  %d = linalg.generic {indexing_maps = [#id4, #id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%c, %y : tensor<1x2x8x66xf32>, tensor<1x2x8x66xf32>) outs(%re : tensor<1x2x8x66xf32>) {
  ^bb0(%q: f32, %more: f32, %o: f32):
    %t = arith.addf %q, %more : f32
    linalg.yield %t : f32
  } -> tensor<1x2x8x66xf32>
  return %d : tensor<1x2x8x66xf32>
}

// The same of a pooling, with windows of even width.
func.func private @planar_halved_pool(%x: tensor<1x2x14x90xf32>, %out: tensor<1x2x7x45xf32>) -> tensor<1x2x7x45xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %least = arith.constant 0xFF800000 : f32
  %xe = tensor.empty() : tensor<1x14x90x2xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x2x14x90xf32>) outs(%xe : tensor<1x14x90x2xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x14x90x2xf32>
  %p = tensor.pad %last low[0, 0, 1, 0] high[0, 0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %least : f32
  } : tensor<1x14x90x2xf32> to tensor<1x14x92x2xf32>
  %window = tensor.empty() : tensor<2x4xf32>
  %e = tensor.empty() : tensor<1x7x45x2xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<1x7x45x2xf32>) -> tensor<1x7x45x2xf32>
  %a = linalg.generic {indexing_maps = [#halved, #taps, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %window : tensor<1x14x92x2xf32>, tensor<2x4xf32>) outs(%f : tensor<1x7x45x2xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.maximumf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<1x7x45x2xf32>
  %re = tensor.empty() : tensor<1x2x7x45xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a : tensor<1x7x45x2xf32>) outs(%re : tensor<1x2x7x45xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x2x7x45xf32>
  return %d : tensor<1x2x7x45xf32>
}

// Channels whose lines share few sets of the cache: 64 of them are copied, for
// two stretches of rows.
func.func private @copied(%x: tensor<1x40x9x512xf32>, %w: tensor<3x3x1x512xf32>, %out: tensor<1x40x9x512xf32>) -> tensor<1x40x9x512xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x40x9x512xf32> to tensor<1x42x11x512xf32>
  %e = tensor.empty() : tensor<1x40x9x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x40x9x512xf32>) -> tensor<1x40x9x512xf32>
  %a = linalg.generic {indexing_maps = [#x1, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x42x11x512xf32>, tensor<3x3x1x512xf32>) outs(%f : tensor<1x40x9x512xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x40x9x512xf32>
  return %a : tensor<1x40x9x512xf32>
}

// The same with a stride, of more channels and of largest elements, which have
// no factors.
func.func private @copied_maxima(%x: tensor<2x11x19x1024xf32>, %out: tensor<2x5x9x1024xf32>) -> tensor<2x5x9x1024xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2x5x9x1024xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<2x5x9x1024xf32>) -> tensor<2x5x9x1024xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %a = linalg.generic {indexing_maps = [#halved, #taps, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %window : tensor<2x11x19x1024xf32>, tensor<3x3xf32>) outs(%f : tensor<2x5x9x1024xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %u = arith.maximumf %s, %q : f32
    linalg.yield %u : f32
  } -> tensor<2x5x9x1024xf32>
  return %a : tensor<2x5x9x1024xf32>
}

// Functions of sums, which are kept until the last one of an image: of rows of
// one vector, of three and of more, with a rest.
func.func private @kept_short(%x: tensor<1x3x13x7xf32>, %w: tensor<3x5x1x3xf32>, %b: tensor<3xf32>, %out: tensor<1x3x13x7xf32>) -> tensor<1x3x13x7xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x13x7x3xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x3x13x7xf32>) outs(%e : tensor<1x13x7x3xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x13x7x3xf32>
  %p = tensor.pad %last low[0, 1, 2, 0] high[0, 1, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x13x7x3xf32> to tensor<1x15x11x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x13x7x3xf32>) -> tensor<1x13x7x3xf32>
  %a = linalg.generic {indexing_maps = [#x1, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x15x11x3xf32>, tensor<3x5x1x3xf32>) outs(%f : tensor<1x13x7x3xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x13x7x3xf32>
  %c = linalg.generic {indexing_maps = [#id4, #bias, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<1x13x7x3xf32>, tensor<3xf32>) outs(%e : tensor<1x13x7x3xf32>) {
  ^bb0(%q: f32, %v: f32, %o: f32):
    %t = arith.addf %q, %v : f32
    %u = math.exp %t : f32
    linalg.yield %u : f32
  } -> tensor<1x13x7x3xf32>
  %re = tensor.empty() : tensor<1x3x13x7xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%c : tensor<1x13x7x3xf32>) outs(%re : tensor<1x3x13x7xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x3x13x7xf32>
  return %d : tensor<1x3x13x7xf32>
}

func.func private @kept(%x: tensor<1x3x13x20xf32>, %w: tensor<3x5x1x3xf32>, %b: tensor<3xf32>, %out: tensor<1x3x13x20xf32>) -> tensor<1x3x13x20xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x13x20x3xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x3x13x20xf32>) outs(%e : tensor<1x13x20x3xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x13x20x3xf32>
  %p = tensor.pad %last low[0, 1, 2, 0] high[0, 1, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x13x20x3xf32> to tensor<1x15x24x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x13x20x3xf32>) -> tensor<1x13x20x3xf32>
  %a = linalg.generic {indexing_maps = [#x1, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x15x24x3xf32>, tensor<3x5x1x3xf32>) outs(%f : tensor<1x13x20x3xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x13x20x3xf32>
  %c = linalg.generic {indexing_maps = [#id4, #bias, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<1x13x20x3xf32>, tensor<3xf32>) outs(%e : tensor<1x13x20x3xf32>) {
  ^bb0(%q: f32, %v: f32, %o: f32):
    %t = arith.addf %q, %v : f32
    %u = math.exp %t : f32
    linalg.yield %u : f32
  } -> tensor<1x13x20x3xf32>
  %re = tensor.empty() : tensor<1x3x13x20xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%c : tensor<1x13x20x3xf32>) outs(%re : tensor<1x3x13x20xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x3x13x20xf32>
  return %d : tensor<1x3x13x20xf32>
}

func.func private @kept_long(%x: tensor<1x3x13x45xf32>, %w: tensor<3x5x1x3xf32>, %b: tensor<3xf32>, %out: tensor<1x3x13x45xf32>) -> tensor<1x3x13x45xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x13x45x3xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x3x13x45xf32>) outs(%e : tensor<1x13x45x3xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x13x45x3xf32>
  %p = tensor.pad %last low[0, 1, 2, 0] high[0, 1, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x13x45x3xf32> to tensor<1x15x49x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x13x45x3xf32>) -> tensor<1x13x45x3xf32>
  %a = linalg.generic {indexing_maps = [#x1, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x15x49x3xf32>, tensor<3x5x1x3xf32>) outs(%f : tensor<1x13x45x3xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x13x45x3xf32>
  %c = linalg.generic {indexing_maps = [#id4, #bias, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<1x13x45x3xf32>, tensor<3xf32>) outs(%e : tensor<1x13x45x3xf32>) {
  ^bb0(%q: f32, %v: f32, %o: f32):
    %t = arith.addf %q, %v : f32
    %u = math.exp %t : f32
    linalg.yield %u : f32
  } -> tensor<1x13x45x3xf32>
  %re = tensor.empty() : tensor<1x3x13x45xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%c : tensor<1x13x45x3xf32>) outs(%re : tensor<1x3x13x45xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x3x13x45xf32>
  return %d : tensor<1x3x13x45xf32>
}

// Few channels from all of two images: bands with a rest of rows, groups with a
// rest of channels; strides, a dilation, padding, and a bias.
func.func private @channels(%x: tensor<2x37x23x75xf32>, %w: tensor<5x3x37x5xf32>, %b: tensor<5xf32>, %out: tensor<2x5x11x73xf32>) -> tensor<2x5x11x73xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %el = tensor.empty() : tensor<2x23x75x37xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x37x23x75xf32>) outs(%el : tensor<2x23x75x37xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<2x23x75x37xf32>
  %p = tensor.pad %last low[0, 2, 0, 0] high[0, 0, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x23x75x37xf32> to tensor<2x25x77x37xf32>
  %e = tensor.empty() : tensor<2x11x73x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x11x73x5xf32>) -> tensor<2x11x73x5xf32>
  %a = linalg.generic {indexing_maps = [#all, #allw, #allr], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%p, %w : tensor<2x25x77x37xf32>, tensor<5x3x37x5xf32>) outs(%f : tensor<2x11x73x5xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<2x11x73x5xf32>
  %c = linalg.generic {indexing_maps = [#id4, #bias, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<2x11x73x5xf32>, tensor<5xf32>) outs(%e : tensor<2x11x73x5xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %u = arith.addf %q, %v : f32
    linalg.yield %u : f32
  } -> tensor<2x11x73x5xf32>
  %re = tensor.empty() : tensor<2x5x11x73xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%c : tensor<2x11x73x5xf32>) outs(%re : tensor<2x5x11x73xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<2x5x11x73xf32>
  return %d : tensor<2x5x11x73xf32>
}
