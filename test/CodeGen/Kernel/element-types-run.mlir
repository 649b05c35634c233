// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// RUN: %python %S/../Inputs/execute.py %s --level=%level

// Vectors have as many lanes of each type as of f32.

#id1 = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

func.func private @doubles(%x: tensor<3x37xf64>, %y: tensor<37x3xf64>, %out: tensor<3x37xf64>) -> tensor<3x37xf64>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<3x37xf64>
  %a = linalg.generic {indexing_maps = [#id2, affine_map<(d0, d1) -> (d1, d0)>, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : tensor<3x37xf64>, tensor<37x3xf64>) outs(%e : tensor<3x37xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %r = arith.mulf %p, %q : f64
    linalg.yield %r : f64
  } -> tensor<3x37xf64>
  return %a : tensor<3x37xf64>
}

func.func private @integers(%x: tensor<37xi8>, %y: tensor<37xi16>, %z: tensor<73xi32>, %out: tensor<37xi64>) -> tensor<37xi64>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<37xi64>
  %a = linalg.generic {indexing_maps = [#id1, affine_map<(d0) -> (-d0 + 36)>, affine_map<(d0) -> (d0 * 2)>, #id1], iterator_types = ["parallel"]}
    ins(%x, %y, %z : tensor<37xi8>, tensor<37xi16>, tensor<73xi32>) outs(%e : tensor<37xi64>) {
  ^bb0(%p: i8, %q: i16, %r: i32, %o: i64):
    %s = arith.extsi %p : i8 to i64
    %t = arith.extui %q : i16 to i64
    %u = arith.extsi %r : i32 to i64
    %v = arith.addi %s, %t : i64
    %w = arith.muli %v, %u : i64
    linalg.yield %w : i64
  } -> tensor<37xi64>
  return %a : tensor<37xi64>
}

func.func private @bytes(%x: tensor<5x100xi8>, %y: tensor<5x100xi8>, %out: tensor<5x100xi8>) -> tensor<5x100xi8>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<5x100xi8>
  %a = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : tensor<5x100xi8>, tensor<5x100xi8>) outs(%e : tensor<5x100xi8>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %c = arith.cmpi slt, %p, %q : i8
    %r = arith.extui %c : i1 to i8
    linalg.yield %r : i8
  } -> tensor<5x100xi8>
  return %a : tensor<5x100xi8>
}

// Truncated to bytes, with one lane in the last vector of each row or of all.
func.func private @one_lane(%x: tensor<65xi32>, %out: tensor<65xi8>) -> tensor<65xi8>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<65xi8>
  %a = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
    ins(%x : tensor<65xi32>) outs(%e : tensor<65xi8>) {
  ^bb0(%p: i32, %o: i8):
    %r = arith.trunci %p : i32 to i8
    linalg.yield %r : i8
  } -> tensor<65xi8>
  return %a : tensor<65xi8>
}

func.func private @one_lane_a_row(%x: tensor<9x6x17xi32>, %out: tensor<6x17xi16>) -> tensor<6x17xi16>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<6x17xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<6x17xi32>) -> tensor<6x17xi32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<9x6x17xi32>) outs(%f : tensor<6x17xi32>) {
  ^bb0(%p: i32, %s: i32):
    %r = arith.addi %p, %s : i32
    linalg.yield %r : i32
  } -> tensor<6x17xi32>
  %n = tensor.empty() : tensor<6x17xi16>
  %b = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<6x17xi32>) outs(%n : tensor<6x17xi16>) {
  ^bb0(%p: i32, %o: i16):
    %r = arith.trunci %p : i32 to i16
    linalg.yield %r : i16
  } -> tensor<6x17xi16>
  return %b : tensor<6x17xi16>
}
