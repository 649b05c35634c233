// LEVELS: x86-64 x86-64-v2 x86-64-v3 x86-64-v4
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
