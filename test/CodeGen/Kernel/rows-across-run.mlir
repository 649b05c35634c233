// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// RUN: %python %S/../Inputs/execute.py %s --range=10 --level=%level

// Rows along another dimension than the last.

#swap = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>

// Kept in registers; the last vector is not whole.
func.func private @short(%x: tensor<3x4x43xf32>, %out: tensor<3x4x43xf32>) -> tensor<3x4x43xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<3x43x4xf32>
  %er = tensor.empty() : tensor<3x43xf32>
  %ex = tensor.empty() : tensor<3x4x43xf32>
  %p = linalg.generic {indexing_maps = [#swap, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<3x4x43xf32>) outs(%e : tensor<3x43x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<3x43x4xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<3x43xf32>) -> tensor<3x43xf32>
  %m = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%p : tensor<3x43x4xf32>) outs(%m0 : tensor<3x43xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.maxnumf %v, %s : f32
    linalg.yield %q : f32
  } -> tensor<3x43xf32>
  %d = linalg.generic {indexing_maps = [#id3, #row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%p, %m : tensor<3x43x4xf32>, tensor<3x43xf32>) outs(%e : tensor<3x43x4xf32>) {
  ^bb0(%v: f32, %mm: f32, %o: f32):
    %a = arith.subf %v, %mm : f32
    %q = math.exp %a : f32
    linalg.yield %q : f32
  } -> tensor<3x43x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<3x43xf32>) -> tensor<3x43xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%d : tensor<3x43x4xf32>) outs(%s0 : tensor<3x43xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.addf %s, %v : f32
    linalg.yield %q : f32
  } -> tensor<3x43xf32>
  %y = linalg.generic {indexing_maps = [#id3, #row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%d, %sum : tensor<3x43x4xf32>, tensor<3x43xf32>) outs(%e : tensor<3x43x4xf32>) {
  ^bb0(%v: f32, %ss: f32, %o: f32):
    %q = arith.divf %v, %ss : f32
    linalg.yield %q : f32
  } -> tensor<3x43x4xf32>
  %back = linalg.generic {indexing_maps = [#swap, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%y : tensor<3x43x4xf32>) outs(%ex : tensor<3x4x43xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<3x4x43xf32>
  return %back : tensor<3x4x43xf32>
}

// More blocks than a tile has.
func.func private @many(%x: tensor<2x7x1100xf32>, %out: tensor<2x7x1100xf32>) -> tensor<2x7x1100xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2x1100x7xf32>
  %er = tensor.empty() : tensor<2x1100xf32>
  %ex = tensor.empty() : tensor<2x7x1100xf32>
  %p = linalg.generic {indexing_maps = [#swap, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x7x1100xf32>) outs(%e : tensor<2x1100x7xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<2x1100x7xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<2x1100xf32>) -> tensor<2x1100xf32>
  %m = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%p : tensor<2x1100x7xf32>) outs(%m0 : tensor<2x1100xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.maxnumf %v, %s : f32
    linalg.yield %q : f32
  } -> tensor<2x1100xf32>
  %d = linalg.generic {indexing_maps = [#id3, #row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%p, %m : tensor<2x1100x7xf32>, tensor<2x1100xf32>) outs(%e : tensor<2x1100x7xf32>) {
  ^bb0(%v: f32, %mm: f32, %o: f32):
    %a = arith.subf %v, %mm : f32
    %q = math.exp %a : f32
    linalg.yield %q : f32
  } -> tensor<2x1100x7xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<2x1100xf32>) -> tensor<2x1100xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%d : tensor<2x1100x7xf32>) outs(%s0 : tensor<2x1100xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.addf %s, %v : f32
    linalg.yield %q : f32
  } -> tensor<2x1100xf32>
  %y = linalg.generic {indexing_maps = [#id3, #row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%d, %sum : tensor<2x1100x7xf32>, tensor<2x1100xf32>) outs(%e : tensor<2x1100x7xf32>) {
  ^bb0(%v: f32, %ss: f32, %o: f32):
    %q = arith.divf %v, %ss : f32
    linalg.yield %q : f32
  } -> tensor<2x1100x7xf32>
  %back = linalg.generic {indexing_maps = [#swap, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%y : tensor<2x1100x7xf32>) outs(%ex : tensor<2x7x1100xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<2x7x1100xf32>
  return %back : tensor<2x7x1100xf32>
}

// Copied to the stack.
func.func private @copied(%x: tensor<5x21x137xf32>, %out: tensor<5x21x137xf32>) -> tensor<5x21x137xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<5x137x21xf32>
  %er = tensor.empty() : tensor<5x137xf32>
  %ex = tensor.empty() : tensor<5x21x137xf32>
  %p = linalg.generic {indexing_maps = [#swap, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<5x21x137xf32>) outs(%e : tensor<5x137x21xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<5x137x21xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<5x137xf32>) -> tensor<5x137xf32>
  %m = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%p : tensor<5x137x21xf32>) outs(%m0 : tensor<5x137xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.maxnumf %v, %s : f32
    linalg.yield %q : f32
  } -> tensor<5x137xf32>
  %d = linalg.generic {indexing_maps = [#id3, #row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%p, %m : tensor<5x137x21xf32>, tensor<5x137xf32>) outs(%e : tensor<5x137x21xf32>) {
  ^bb0(%v: f32, %mm: f32, %o: f32):
    %a = arith.subf %v, %mm : f32
    %q = math.exp %a : f32
    linalg.yield %q : f32
  } -> tensor<5x137x21xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<5x137xf32>) -> tensor<5x137xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%d : tensor<5x137x21xf32>) outs(%s0 : tensor<5x137xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.addf %s, %v : f32
    linalg.yield %q : f32
  } -> tensor<5x137xf32>
  %y = linalg.generic {indexing_maps = [#id3, #row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%d, %sum : tensor<5x137x21xf32>, tensor<5x137xf32>) outs(%e : tensor<5x137x21xf32>) {
  ^bb0(%v: f32, %ss: f32, %o: f32):
    %q = arith.divf %v, %ss : f32
    linalg.yield %q : f32
  } -> tensor<5x137x21xf32>
  %back = linalg.generic {indexing_maps = [#swap, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%y : tensor<5x137x21xf32>) outs(%ex : tensor<5x21x137xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<5x21x137xf32>
  return %back : tensor<5x21x137xf32>
}

// Too long for a copy.
func.func private @long(%x: tensor<2x3100x19xf32>, %out: tensor<2x3100x19xf32>) -> tensor<2x3100x19xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2x19x3100xf32>
  %er = tensor.empty() : tensor<2x19xf32>
  %ex = tensor.empty() : tensor<2x3100x19xf32>
  %p = linalg.generic {indexing_maps = [#swap, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x3100x19xf32>) outs(%e : tensor<2x19x3100xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<2x19x3100xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<2x19xf32>) -> tensor<2x19xf32>
  %m = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%p : tensor<2x19x3100xf32>) outs(%m0 : tensor<2x19xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.maxnumf %v, %s : f32
    linalg.yield %q : f32
  } -> tensor<2x19xf32>
  %d = linalg.generic {indexing_maps = [#id3, #row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%p, %m : tensor<2x19x3100xf32>, tensor<2x19xf32>) outs(%e : tensor<2x19x3100xf32>) {
  ^bb0(%v: f32, %mm: f32, %o: f32):
    %a = arith.subf %v, %mm : f32
    %q = math.exp %a : f32
    linalg.yield %q : f32
  } -> tensor<2x19x3100xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<2x19xf32>) -> tensor<2x19xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%d : tensor<2x19x3100xf32>) outs(%s0 : tensor<2x19xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.addf %s, %v : f32
    linalg.yield %q : f32
  } -> tensor<2x19xf32>
  %y = linalg.generic {indexing_maps = [#id3, #row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%d, %sum : tensor<2x19x3100xf32>, tensor<2x19xf32>) outs(%e : tensor<2x19x3100xf32>) {
  ^bb0(%v: f32, %ss: f32, %o: f32):
    %q = arith.divf %v, %ss : f32
    linalg.yield %q : f32
  } -> tensor<2x19x3100xf32>
  %back = linalg.generic {indexing_maps = [#swap, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%y : tensor<2x19x3100xf32>) outs(%ex : tensor<2x3100x19xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<2x3100x19xf32>
  return %back : tensor<2x3100x19xf32>
}

// Fewer columns than a vector.
func.func private @narrow(%x: tensor<4x9x3xf32>, %out: tensor<4x9x3xf32>) -> tensor<4x9x3xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4x3x9xf32>
  %er = tensor.empty() : tensor<4x3xf32>
  %ex = tensor.empty() : tensor<4x9x3xf32>
  %p = linalg.generic {indexing_maps = [#swap, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<4x9x3xf32>) outs(%e : tensor<4x3x9xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<4x3x9xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<4x3xf32>) -> tensor<4x3xf32>
  %m = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%p : tensor<4x3x9xf32>) outs(%m0 : tensor<4x3xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.maxnumf %v, %s : f32
    linalg.yield %q : f32
  } -> tensor<4x3xf32>
  %d = linalg.generic {indexing_maps = [#id3, #row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%p, %m : tensor<4x3x9xf32>, tensor<4x3xf32>) outs(%e : tensor<4x3x9xf32>) {
  ^bb0(%v: f32, %mm: f32, %o: f32):
    %a = arith.subf %v, %mm : f32
    %q = math.exp %a : f32
    linalg.yield %q : f32
  } -> tensor<4x3x9xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<4x3xf32>) -> tensor<4x3xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%d : tensor<4x3x9xf32>) outs(%s0 : tensor<4x3xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.addf %s, %v : f32
    linalg.yield %q : f32
  } -> tensor<4x3xf32>
  %y = linalg.generic {indexing_maps = [#id3, #row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%d, %sum : tensor<4x3x9xf32>, tensor<4x3xf32>) outs(%e : tensor<4x3x9xf32>) {
  ^bb0(%v: f32, %ss: f32, %o: f32):
    %q = arith.divf %v, %ss : f32
    linalg.yield %q : f32
  } -> tensor<4x3x9xf32>
  %back = linalg.generic {indexing_maps = [#swap, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%y : tensor<4x3x9xf32>) outs(%ex : tensor<4x9x3xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<4x9x3xf32>
  return %back : tensor<4x9x3xf32>
}

// Without a value that is kept, from two tensors.
func.func private @centred(%x: tensor<9x20x16xf32>, %z: tensor<9x20x16xf32>, %out: tensor<9x16x20xf32>) -> tensor<9x16x20xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 0.111 : f32
  %e = tensor.empty() : tensor<20x16x9xf32>
  %er = tensor.empty() : tensor<20x16xf32>
  %ex = tensor.empty() : tensor<9x16x20xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0, d1)>, affine_map<(d0, d1, d2) -> (d2, d0, d1)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %z : tensor<9x20x16xf32>, tensor<9x20x16xf32>) outs(%e : tensor<20x16x9xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %a = arith.mulf %v, %u : f32
    linalg.yield %a : f32
  } -> tensor<20x16x9xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<20x16xf32>) -> tensor<20x16xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%p : tensor<20x16x9xf32>) outs(%s0 : tensor<20x16xf32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.addf %s, %v : f32
    linalg.yield %q : f32
  } -> tensor<20x16xf32>
  %y = linalg.generic {indexing_maps = [#id3, #row, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%p, %sum : tensor<20x16x9xf32>, tensor<20x16xf32>) outs(%e : tensor<20x16x9xf32>) {
  ^bb0(%v: f32, %ss: f32, %o: f32):
    %a = arith.mulf %ss, %n : f32
    %q = arith.subf %v, %a : f32
    linalg.yield %q : f32
  } -> tensor<20x16x9xf32>
  // Lanes along the first dimension of the rows.
  %back = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d1, d0)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%y : tensor<20x16x9xf32>) outs(%ex : tensor<9x16x20xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<9x16x20xf32>
  return %back : tensor<9x16x20xf32>
}
