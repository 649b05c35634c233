// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// RUN: %python %S/../Inputs/execute.py %s --range=10 --integers=0,1,5,16,17,24,25,200,-1 --level=%level | FileCheck %s

// The softmax of the first entries of each row, the rest copied.

// CHECK: sliced_softmax 24: equal
// CHECK: sliced_softmax 25: check failed with [25, 0, 0, 0]
func.func private @sliced_softmax(%x: tensor<6x24xf32>, %prefix: tensor<1xi64>, %out: tensor<6x24xf32>) -> tensor<6x24xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %p64 = tensor.extract %prefix[%c0] : tensor<1xi64>
  %size = arith.constant 24 : i64
  %le = arith.cmpi ule, %p64, %size : i64
  hamkaas.check %le, "expected a prefix of at most 24, got {0}"(%p64) : i64
  %p = arith.index_cast %p64 : i64 to index
  %e = tensor.empty() : tensor<6x24xf32>
  %er = tensor.empty() : tensor<6xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<6x24xf32>) outs(%m0 : tensor<6xf32>) {
  ^bb0(%v: f32, %s: f32):
    %j = linalg.index 1 : index
    %in = arith.cmpi slt, %j, %p : index
    %a = arith.select %in, %v, %low : f32
    %n = arith.maximumf %s, %a : f32
    linalg.yield %n : f32
  } -> tensor<6xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %m : tensor<6x24xf32>, tensor<6xf32>) outs(%e : tensor<6x24xf32>) {
  ^bb0(%v: f32, %mm: f32, %o: f32):
    %j = linalg.index 1 : index
    %in = arith.cmpi slt, %j, %p : index
    %d = arith.subf %v, %mm : f32
    %q = math.exp %d : f32
    %a = arith.select %in, %q, %v : f32
    linalg.yield %a : f32
  } -> tensor<6x24xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%ex : tensor<6x24xf32>) outs(%s0 : tensor<6xf32>) {
  ^bb0(%v: f32, %s: f32):
    %j = linalg.index 1 : index
    %in = arith.cmpi slt, %j, %p : index
    %a = arith.select %in, %v, %zero : f32
    %n = arith.addf %s, %a : f32
    linalg.yield %n : f32
  } -> tensor<6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%ex, %sum : tensor<6x24xf32>, tensor<6xf32>) outs(%e : tensor<6x24xf32>) {
  ^bb0(%v: f32, %ss: f32, %o: f32):
    %j = linalg.index 1 : index
    %in = arith.cmpi slt, %j, %p : index
    %q = arith.divf %v, %ss : f32
    %a = arith.select %in, %q, %v : f32
    linalg.yield %a : f32
  } -> tensor<6x24xf32>
  return %y : tensor<6x24xf32>
}

// Rows of several vectors and a part of one.

// CHECK: softmax_of_matrices 200: equal
func.func private @softmax_of_matrices(%x: tensor<2x3x203xf32>, %prefix: tensor<1xi64>, %out: tensor<2x3x203xf32>) -> tensor<2x3x203xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %p64 = tensor.extract %prefix[%c0] : tensor<1xi64>
  %size = arith.constant 203 : i64
  %le = arith.cmpi ule, %p64, %size : i64
  hamkaas.check %le, "expected a prefix of at most 203, got {0}"(%p64) : i64
  %p = arith.index_cast %p64 : i64 to index
  %e = tensor.empty() : tensor<2x3x203xf32>
  %er = tensor.empty() : tensor<2x3xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<2x3xf32>) -> tensor<2x3xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<2x3x203xf32>) outs(%m0 : tensor<2x3xf32>) {
  ^bb0(%v: f32, %s: f32):
    %j = linalg.index 2 : index
    %in = arith.cmpi slt, %j, %p : index
    %a = arith.select %in, %v, %low : f32
    %n = arith.maximumf %s, %a : f32
    linalg.yield %n : f32
  } -> tensor<2x3xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %m : tensor<2x3x203xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3x203xf32>) {
  ^bb0(%v: f32, %mm: f32, %o: f32):
    %j = linalg.index 2 : index
    %in = arith.cmpi slt, %j, %p : index
    %d = arith.subf %v, %mm : f32
    %q = math.exp %d : f32
    %a = arith.select %in, %q, %v : f32
    linalg.yield %a : f32
  } -> tensor<2x3x203xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<2x3xf32>) -> tensor<2x3xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%ex : tensor<2x3x203xf32>) outs(%s0 : tensor<2x3xf32>) {
  ^bb0(%v: f32, %s: f32):
    %j = linalg.index 2 : index
    %in = arith.cmpi slt, %j, %p : index
    %a = arith.select %in, %v, %zero : f32
    %n = arith.addf %s, %a : f32
    linalg.yield %n : f32
  } -> tensor<2x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%ex, %sum : tensor<2x3x203xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3x203xf32>) {
  ^bb0(%v: f32, %ss: f32, %o: f32):
    %j = linalg.index 2 : index
    %in = arith.cmpi slt, %j, %p : index
    %q = arith.divf %v, %ss : f32
    %a = arith.select %in, %q, %v : f32
    linalg.yield %a : f32
  } -> tensor<2x3x203xf32>
  return %y : tensor<2x3x203xf32>
}

// A single row, in a loop however long it is.

// CHECK: rms_norm 0: equal
func.func private @rms_norm(%x: tensor<288xf32>, %w: tensor<288xf32>, %out: tensor<288xf32>) -> tensor<288xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 288.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<288xf32>
  %er = tensor.empty() : tensor<f32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<f32>) -> tensor<f32>
  %ss = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
    ins(%x : tensor<288xf32>) outs(%s0 : tensor<f32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.mulf %v, %v : f32
    %a = arith.addf %s, %q : f32
    linalg.yield %a : f32
  } -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
    ins(%ss : tensor<f32>) outs(%er : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %mean = arith.divf %v, %n : f32
    %a = arith.addf %mean, %eps : f32
    %q = math.sqrt %a : f32
    %b = arith.divf %one, %q : f32
    linalg.yield %b : f32
  } -> tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%x, %w, %r : tensor<288xf32>, tensor<288xf32>, tensor<f32>) outs(%e : tensor<288xf32>) {
  ^bb0(%v: f32, %ww: f32, %rr: f32, %o: f32):
    %a = arith.mulf %v, %rr : f32
    %b = arith.mulf %ww, %a : f32
    linalg.yield %b : f32
  } -> tensor<288xf32>
  return %y : tensor<288xf32>
}

// CHECK: rms_norm_short 0: equal
func.func private @rms_norm_short(%x: tensor<5xf32>, %w: tensor<5xf32>, %out: tensor<5xf32>) -> tensor<5xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 5.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %er = tensor.empty() : tensor<f32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<f32>) -> tensor<f32>
  %ss = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
    ins(%x : tensor<5xf32>) outs(%s0 : tensor<f32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.mulf %v, %v : f32
    %a = arith.addf %s, %q : f32
    linalg.yield %a : f32
  } -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
    ins(%ss : tensor<f32>) outs(%er : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %mean = arith.divf %v, %n : f32
    %a = arith.addf %mean, %eps : f32
    %q = math.sqrt %a : f32
    %b = arith.divf %one, %q : f32
    linalg.yield %b : f32
  } -> tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%x, %w, %r : tensor<5xf32>, tensor<5xf32>, tensor<f32>) outs(%e : tensor<5xf32>) {
  ^bb0(%v: f32, %ww: f32, %rr: f32, %o: f32):
    %a = arith.mulf %v, %rr : f32
    %b = arith.mulf %ww, %a : f32
    linalg.yield %b : f32
  } -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// CHECK: rms_norm_long 0: equal
func.func private @rms_norm_long(%x: tensor<20011xf32>, %w: tensor<20011xf32>, %out: tensor<20011xf32>) -> tensor<20011xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 20011.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<20011xf32>
  %er = tensor.empty() : tensor<f32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<f32>) -> tensor<f32>
  %ss = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
    ins(%x : tensor<20011xf32>) outs(%s0 : tensor<f32>) {
  ^bb0(%v: f32, %s: f32):
    %q = arith.mulf %v, %v : f32
    %a = arith.addf %s, %q : f32
    linalg.yield %a : f32
  } -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
    ins(%ss : tensor<f32>) outs(%er : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    %mean = arith.divf %v, %n : f32
    %a = arith.addf %mean, %eps : f32
    %q = math.sqrt %a : f32
    %b = arith.divf %one, %q : f32
    linalg.yield %b : f32
  } -> tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%x, %w, %r : tensor<20011xf32>, tensor<20011xf32>, tensor<f32>) outs(%e : tensor<20011xf32>) {
  ^bb0(%v: f32, %ww: f32, %rr: f32, %o: f32):
    %a = arith.mulf %v, %rr : f32
    %b = arith.mulf %ww, %a : f32
    linalg.yield %b : f32
  } -> tensor<20011xf32>
  return %y : tensor<20011xf32>
}

// The reduction is the result; it starts from another number than zero.

// CHECK: sum 0: equal
func.func private @sum(%x: tensor<3x5x70xf32>, %out: tensor<3x5xf32>) -> tensor<3x5xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %s0 = linalg.fill ins(%half : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<3x5x70xf32>) outs(%s0 : tensor<3x5xf32>) {
  ^bb0(%v: f32, %s: f32):
    %a = arith.addf %s, %v : f32
    linalg.yield %a : f32
  } -> tensor<3x5xf32>
  return %sum : tensor<3x5xf32>
}

// The largest entry by numbers alone: no NaN is there. Rows of whole vectors and a
// rest, several of them a tile.
func.func private @softmax(%x: tensor<9x83xf32>, %out: tensor<9x83xf32>) -> tensor<9x83xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<9x83xf32>
  %er = tensor.empty() : tensor<9xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<9xf32>) -> tensor<9xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<9x83xf32>) outs(%m0 : tensor<9xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.maxnumf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<9xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %m : tensor<9x83xf32>, tensor<9xf32>) outs(%e : tensor<9x83xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %d = arith.subf %v, %s : f32
    %n = math.exp %d : f32
    linalg.yield %n : f32
  } -> tensor<9x83xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<9xf32>) -> tensor<9xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%y : tensor<9x83xf32>) outs(%s0 : tensor<9xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.addf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<9xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%y, %sum : tensor<9x83xf32>, tensor<9xf32>) outs(%e : tensor<9x83xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %n = arith.divf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<9x83xf32>
  return %r : tensor<9x83xf32>
}

// Two groups of 16 rows, and one of 5. The logarithms of a group are computed
// at once.

// CHECK: log_sum_exp 0: equal
func.func private @log_sum_exp(%x: tensor<37x40xf32>, %out: tensor<37xf32>) -> tensor<37xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<37x40xf32>
  %er = tensor.empty() : tensor<37xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<37xf32>) -> tensor<37xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<37x40xf32>) outs(%m0 : tensor<37xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.maxnumf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<37xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %m : tensor<37x40xf32>, tensor<37xf32>) outs(%e : tensor<37x40xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %d = arith.subf %v, %s : f32
    %n = math.exp %d : f32
    linalg.yield %n : f32
  } -> tensor<37x40xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<37xf32>) -> tensor<37xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%y : tensor<37x40xf32>) outs(%s0 : tensor<37xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.addf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<37xf32>
  %log = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%sum : tensor<37xf32>) outs(%er : tensor<37xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = math.log %v : f32
    linalg.yield %n : f32
  } -> tensor<37xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%log, %m : tensor<37xf32>, tensor<37xf32>) outs(%er : tensor<37xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %n = arith.addf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<37xf32>
  return %r : tensor<37xf32>
}

// CHECK: log_softmax 0: equal
func.func private @log_softmax(%x: tensor<37x40xf32>, %out: tensor<37x40xf32>) -> tensor<37x40xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<37x40xf32>
  %er = tensor.empty() : tensor<37xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<37xf32>) -> tensor<37xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<37x40xf32>) outs(%m0 : tensor<37xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.maxnumf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<37xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %m : tensor<37x40xf32>, tensor<37xf32>) outs(%e : tensor<37x40xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %d = arith.subf %v, %s : f32
    %n = math.exp %d : f32
    linalg.yield %n : f32
  } -> tensor<37x40xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<37xf32>) -> tensor<37xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%y : tensor<37x40xf32>) outs(%s0 : tensor<37xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.addf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<37xf32>
  %log = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%sum : tensor<37xf32>) outs(%er : tensor<37xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = math.log %v : f32
    linalg.yield %n : f32
  } -> tensor<37xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %m, %log : tensor<37x40xf32>, tensor<37xf32>, tensor<37xf32>) outs(%e : tensor<37x40xf32>) {
  ^bb0(%v: f32, %s: f32, %t: f32, %o: f32):
    %d = arith.subf %v, %s : f32
    %n = arith.subf %d, %t : f32
    linalg.yield %n : f32
  } -> tensor<37x40xf32>
  return %r : tensor<37x40xf32>
}
