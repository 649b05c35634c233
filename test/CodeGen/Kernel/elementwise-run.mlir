// LEVELS: x86-64 x86-64-v2 x86-64-v3 x86-64-v4 or emulated
// RUN: %python %S/../Inputs/execute.py %s --integers=0,3 --level=%level

#id1 = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// A bias of one row, a factor of one column and one of one element; 37 columns
// leave a part of a vector.
func.func private @broadcast(%x: tensor<5x37xf32>, %row: tensor<1x37xf32>, %column: tensor<5x1xf32>, %one: tensor<1x1xf32>, %out: tensor<5x37xf32>) -> tensor<5x37xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<5x37xf32>
  %a = linalg.generic {indexing_maps = [#id2, affine_map<(d0, d1) -> (0, d1)>, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%x, %row : tensor<5x37xf32>, tensor<1x37xf32>) outs(%e : tensor<5x37xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<5x37xf32>
  %b = linalg.generic {indexing_maps = [#id2, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (0, 0)>, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%a, %column, %one : tensor<5x37xf32>, tensor<5x1xf32>, tensor<1x1xf32>) outs(%e : tensor<5x37xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32, %o: f32):
    %qs = arith.mulf %q, %s : f32
    %r = arith.mulf %p, %qs : f32
    linalg.yield %r : f32
  } -> tensor<5x37xf32>
  return %b : tensor<5x37xf32>
}

// One long row in several tiles, the last of them shorter.
func.func private @long(%x: tensor<100003xf32>, %y: tensor<100003xf32>, %out: tensor<100003xf32>) -> tensor<100003xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<100003xf32>
  %a = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
    ins(%x, %y : tensor<100003xf32>, tensor<100003xf32>) outs(%e : tensor<100003xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %n = arith.negf %p : f32
    %ex = math.exp %n : f32
    %d = arith.addf %ex, %one : f32
    %s = arith.divf %p, %d : f32
    %r = arith.mulf %s, %q : f32
    linalg.yield %r : f32
  } -> tensor<100003xf32>
  return %a : tensor<100003xf32>
}

// A table finds the elements of each row; 37 columns are one step of four
// vectors and a part of one.
func.func private @table(%x: tensor<30x3xf32>, %n: tensor<37xi64>, %y: tensor<30x37xf32>, %out: tensor<30x37xf32>) -> tensor<30x37xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<30x37xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, #id2, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%n, %y : tensor<37xi64>, tensor<30x37xf32>) outs(%e : tensor<30x37xf32>) {
  ^bb0(%k: i64, %q: f32, %o: f32):
    %i = linalg.index 0 : index
    %bits = arith.constant 1 : i64
    %low = arith.andi %k, %bits : i64
    %j = arith.index_cast %low : i64 to index
    %v = tensor.extract %x[%i, %j] : tensor<30x3xf32>
    %r = arith.addf %v, %q : f32
    linalg.yield %r : f32
  } -> tensor<30x37xf32>
  return %a : tensor<30x37xf32>
}

// A table of two dimensions, which are one row.
func.func private @merged_table(%x: tensor<4x9x3xf32>, %n: tensor<9x3xi64>, %out: tensor<4x9x9x3xf32>) -> tensor<4x9x9x3xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<4x9x9x3xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%n : tensor<9x3xi64>) outs(%e : tensor<4x9x9x3xf32>) {
  ^bb0(%k: i64, %o: f32):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %bits = arith.constant 1 : i64
    %low = arith.andi %k, %bits : i64
    %j = arith.index_cast %low : i64 to index
    %v = tensor.extract %x[%i0, %i1, %j] : tensor<4x9x3xf32>
    linalg.yield %v : f32
  } -> tensor<4x9x9x3xf32>
  return %a : tensor<4x9x9x3xf32>
}

// A transpose reads columns.
func.func private @permute(%x: tensor<7x19x3xf32>, %out: tensor<3x7x19xf32>) -> tensor<3x7x19xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<3x7x19xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<7x19x3xf32>) outs(%e : tensor<3x7x19xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<3x7x19xf32>
  return %a : tensor<3x7x19xf32>
}

// Numbers of 64 bits, through an operation whose result is permuted.
func.func private @integers(%x: tensor<21x40xi64>, %out: tensor<40x21xi64>) -> tensor<40x21xi64>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<40x21xi64>
  %a = linalg.generic {indexing_maps = [#id2, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<21x40xi64>) outs(%e : tensor<40x21xi64>) {
  ^bb0(%p: i64, %o: i64):
    linalg.yield %p : i64
  } -> tensor<40x21xi64>
  return %a : tensor<40x21xi64>
}

// The real and the imaginary part of the product depend on both of each factor.
func.func private @complex(%x: tensor<3x9x2xf32>, %y: tensor<1x9x2xf32>, %out: tensor<3x9x2xf32>) -> tensor<3x9x2xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<3x9x2xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, 1)>, affine_map<(d0, d1, d2) -> (0, d1, 0)>, affine_map<(d0, d1, d2) -> (0, d1, 1)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %x, %y, %y : tensor<3x9x2xf32>, tensor<3x9x2xf32>, tensor<1x9x2xf32>, tensor<1x9x2xf32>) outs(%e : tensor<3x9x2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %c0 = arith.constant 0 : index
    %j = linalg.index 2 : index
    %real = arith.cmpi eq, %j, %c0 : index
    %ac = arith.mulf %a, %c : f32
    %bd = arith.mulf %b, %d : f32
    %re = arith.subf %ac, %bd : f32
    %ad = arith.mulf %a, %d : f32
    %bc = arith.mulf %b, %c : f32
    %im = arith.addf %ad, %bc : f32
    %r = arith.select %real, %re, %im : f32
    linalg.yield %r : f32
  } -> tensor<3x9x2xf32>
  return %a : tensor<3x9x2xf32>
}

// Indices of both dimensions and a value of the function's scope.
func.func private @indices(%n: tensor<1xi64>, %out: tensor<6x20xf32>) -> tensor<6x20xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %c0 = arith.constant 0 : index
  %v = tensor.extract %n[%c0] : tensor<1xi64>
  %e = tensor.empty() : tensor<6x20xf32>
  %a = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]}
    outs(%e : tensor<6x20xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.addi %i, %j : index
    %l = arith.index_cast %k : index to i64
    %m = arith.addi %l, %v : i64
    %r = arith.sitofp %m : i64 to f32
    %jj = arith.index_cast %j : index to i64
    %past = arith.cmpi sgt, %v, %jj : i64
    %z = arith.constant -1.0 : f32
    %s = arith.select %past, %z, %r : f32
    linalg.yield %s : f32
  } -> tensor<6x20xf32>
  return %a : tensor<6x20xf32>
}
