// LEVELS: x86-64 x86-64-v2 x86-64-v3 x86-64-v4 or emulated
// RUN: %python %S/../Inputs/execute.py %s --level=%level

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (j, k)>
#out = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
#blhs = affine_map<(b, i, j, k) -> (b, i, k)>
#brhs = affine_map<(b, i, j, k) -> (b, j, k)>
#bout = affine_map<(b, i, j, k) -> (b, i, j)>

// Whole blocks of rows and columns, and whole vectors.
func.func private @whole(%x: tensor<8x256xf32>, %w: tensor<32x256xf32>, %out: tensor<8x32xf32>) -> tensor<8x32xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<8x32xf32>) -> tensor<8x32xf32>
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<8x256xf32>, tensor<32x256xf32>) outs(%f : tensor<8x32xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %a = arith.addf %s, %p : f32
    linalg.yield %a : f32
  } -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

// Rests of all of them.
func.func private @rests(%x: tensor<7x301xf32>, %w: tensor<45x301xf32>, %out: tensor<7x45xf32>) -> tensor<7x45xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<7x45xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<7x45xf32>) -> tensor<7x45xf32>
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<7x301xf32>, tensor<45x301xf32>) outs(%f : tensor<7x45xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %a = arith.addf %s, %p : f32
    linalg.yield %a : f32
  } -> tensor<7x45xf32>
  %e = tensor.empty() : tensor<7x45xf32>
  %z = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
    ins(%y : tensor<7x45xf32>) outs(%e : tensor<7x45xf32>) {
  ^bb0(%p: f32, %o: f32):
    %m = arith.maximumf %p, %zero : f32
    linalg.yield %m : f32
  } -> tensor<7x45xf32>
  return %z : tensor<7x45xf32>
}

// One block of rows, and one column beside those of whole blocks.
func.func private @few(%x: tensor<2x259xf32>, %w: tensor<17x259xf32>, %out: tensor<2x17xf32>) -> tensor<2x17xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<2x17xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<2x17xf32>) -> tensor<2x17xf32>
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<2x259xf32>, tensor<17x259xf32>) outs(%f : tensor<2x17xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %a = arith.addf %s, %p : f32
    linalg.yield %a : f32
  } -> tensor<2x17xf32>
  return %y : tensor<2x17xf32>
}

// Several matrices.
func.func private @batch(%x: tensor<3x5x270xf32>, %w: tensor<3x19x270xf32>, %out: tensor<3x5x19xf32>) -> tensor<3x5x19xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<3x5x19xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<3x5x19xf32>) -> tensor<3x5x19xf32>
  %y = linalg.generic {indexing_maps = [#blhs, #brhs, #bout], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<3x5x270xf32>, tensor<3x19x270xf32>) outs(%f : tensor<3x5x19xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %a = arith.addf %s, %p : f32
    linalg.yield %a : f32
  } -> tensor<3x5x19xf32>
  return %y : tensor<3x5x19xf32>
}

// The most rows.
func.func private @most(%x: tensor<32x257xf32>, %w: tensor<16x257xf32>, %out: tensor<32x16xf32>) -> tensor<32x16xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<32x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<32x16xf32>) -> tensor<32x16xf32>
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<32x257xf32>, tensor<16x257xf32>) outs(%f : tensor<32x16xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %a = arith.addf %s, %p : f32
    linalg.yield %a : f32
  } -> tensor<32x16xf32>
  return %y : tensor<32x16xf32>
}
