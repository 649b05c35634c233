// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// RUN: %python %S/../Inputs/execute.py %s --level=%level

#id1 = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>

// A slice: lanes are next to each other, further on.
func.func private @offset(%x: tensor<7x40xf32>, %out: tensor<3x37xf32>) -> tensor<3x37xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<3x37xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 * 2 + 2, d1 + 3)>, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<7x40xf32>) outs(%e : tensor<3x37xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<3x37xf32>
  return %a : tensor<3x37xf32>
}

// Every second, third and ninth element. The last one read is the last there
// is.
func.func private @strided(%x: tensor<75xf32>, %y: tensor<112xf32>, %z: tensor<334xf32>, %out: tensor<38xf32>) -> tensor<38xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<38xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 * 2)>, affine_map<(d0) -> (d0 * 3)>, affine_map<(d0) -> (d0 * 9)>, #id1], iterator_types = ["parallel"]}
    ins(%x, %y, %z : tensor<75xf32>, tensor<112xf32>, tensor<334xf32>) outs(%e : tensor<38xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %o: f32):
    %s = arith.subf %p, %q : f32
    %t = arith.mulf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<38xf32>
  return %a : tensor<38xf32>
}

// From the end to the begin, each and every second one, in both dimensions.
func.func private @reversed(%x: tensor<5x37xf32>, %y: tensor<9x73xf32>, %out: tensor<5x37xf32>) -> tensor<5x37xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<5x37xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (-d0 + 4, -d1 + 36)>, affine_map<(d0, d1) -> (-2 * d0 + 8, -2 * d1 + 72)>, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : tensor<5x37xf32>, tensor<9x73xf32>) outs(%e : tensor<5x37xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.subf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<5x37xf32>
  return %a : tensor<5x37xf32>
}

// A diagonal, and one that runs the other way.
func.func private @diagonal(%x: tensor<19x19xf32>, %out: tensor<19xf32>) -> tensor<19xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<19xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0)>, affine_map<(d0) -> (d0, -d0 + 18)>, #id1], iterator_types = ["parallel"]}
    ins(%x, %x : tensor<19x19xf32>, tensor<19x19xf32>) outs(%e : tensor<19xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.subf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<19xf32>
  return %a : tensor<19xf32>
}

// A slice of what is computed, not of what is in memory.
func.func private @slice_of_tree(%x: tensor<41xf32>, %y: tensor<41xf32>, %out: tensor<20xf32>) -> tensor<20xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<41xf32>
  %a = linalg.generic {indexing_maps = [#id1, affine_map<(d0) -> (-d0 + 40)>, #id1], iterator_types = ["parallel"]}
    ins(%x, %y : tensor<41xf32>, tensor<41xf32>) outs(%e : tensor<41xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<41xf32>
  %f = tensor.empty() : tensor<20xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 * 2 + 1)>, #id1], iterator_types = ["parallel"]}
    ins(%a : tensor<41xf32>) outs(%f : tensor<20xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<20xf32>
  return %b : tensor<20xf32>
}

// Padding: indices computed in the body that count from lane to lane, clamped
// along the rows and tested along both dimensions.
func.func private @pad_rows(%x: tensor<4x37xf32>, %out: tensor<9x37xf32>) -> tensor<9x37xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x37xf32>
  %a = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]}
    outs(%e : tensor<9x37xf32>) {
  ^bb0(%o: f32):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.subi %i, %c2 : index
    %low = arith.maxsi %row, %c0 : index
    %clamped = arith.minsi %low, %c3 : index
    %v = tensor.extract %x[%clamped, %j] : tensor<4x37xf32>
    %inside = arith.cmpi ult, %row, %c4 : index
    %r = arith.select %inside, %v, %zero : f32
    linalg.yield %r : f32
  } -> tensor<9x37xf32>
  return %a : tensor<9x37xf32>
}

// As before, along the lanes: these are read one by one.
func.func private @pad_columns(%x: tensor<30xf32>, %out: tensor<37xf32>) -> tensor<37xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37xf32>
  %a = linalg.generic {indexing_maps = [#id1], iterator_types = ["parallel"]}
    outs(%e : tensor<37xf32>) {
  ^bb0(%o: f32):
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c29 = arith.constant 29 : index
    %c30 = arith.constant 30 : index
    %j = linalg.index 0 : index
    %column = arith.subi %j, %c3 : index
    %low = arith.maxsi %column, %c0 : index
    %clamped = arith.minsi %low, %c29 : index
    %v = tensor.extract %x[%clamped] : tensor<30xf32>
    %inside = arith.cmpi ult, %column, %c30 : index
    %r = arith.select %inside, %v, %zero : f32
    linalg.yield %r : f32
  } -> tensor<37xf32>
  return %a : tensor<37xf32>
}

// Rows that a table names, and elements: the row of a lane is its own.
func.func private @gather(%x: tensor<11x37xf32>, %rows: tensor<5xi32>, %out: tensor<5x37xf32>) -> tensor<5x37xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<5x37xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%rows : tensor<5xi32>) outs(%e : tensor<5x37xf32>) {
  ^bb0(%p: i32, %o: f32):
    %c11 = arith.constant 11 : i32
    %positive = arith.remui %p, %c11 : i32
    %row = arith.index_cast %positive : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%row, %j] : tensor<11x37xf32>
    linalg.yield %v : f32
  } -> tensor<5x37xf32>
  return %a : tensor<5x37xf32>
}

func.func private @gather_elements(%x: tensor<11xf32>, %rows: tensor<37xi64>, %out: tensor<37xf32>) -> tensor<37xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<37xf32>
  %a = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
    ins(%rows : tensor<37xi64>) outs(%e : tensor<37xf32>) {
  ^bb0(%p: i64, %o: f32):
    %c11 = arith.constant 11 : i64
    %positive = arith.remui %p, %c11 : i64
    %row = arith.index_cast %positive : i64 to index
    %v = tensor.extract %x[%row] : tensor<11xf32>
    linalg.yield %v : f32
  } -> tensor<37xf32>
  return %a : tensor<37xf32>
}

// Index arithmetic through sums, differences and multiples: 2 * (36 - j) + 1.
func.func private @counting(%x: tensor<74xf32>, %out: tensor<37xf32>) -> tensor<37xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<37xf32>
  %a = linalg.generic {indexing_maps = [#id1], iterator_types = ["parallel"]}
    outs(%e : tensor<37xf32>) {
  ^bb0(%o: f32):
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c36 = arith.constant 36 : i64
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %k = arith.subi %c36, %j : i64
    %l = arith.muli %c2, %k : i64
    %m = arith.addi %l, %c1 : i64
    %n = arith.index_cast %m : i64 to index
    %v = tensor.extract %x[%n] : tensor<74xf32>
    linalg.yield %v : f32
  } -> tensor<37xf32>
  return %a : tensor<37xf32>
}

// Lanes are compared as the numbers they are: bounds far away, and integers
// that wrap between two lanes.
func.func private @compare(%x: tensor<300xf32>, %bounds: tensor<3x1xi64>, %out: tensor<3x300xf32>) -> tensor<3x300xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x300xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, 0)>, #id2], iterator_types = ["parallel", "parallel"]}
    ins(%x, %bounds : tensor<300xf32>, tensor<3x1xi64>) outs(%e : tensor<3x300xf32>) {
  ^bb0(%p: f32, %bound: i64, %o: f32):
    %j = linalg.index 1 : index
    %wide = arith.index_cast %j : index to i64
    %narrow = arith.index_cast %j : index to i8
    %c23 = arith.constant 23 : i64
    %far = arith.shli %bound, %c23 : i64
    %c100 = arith.constant 100 : i8
    %least = arith.constant -9223372036854775808 : i64
    %below = arith.ori %far, %least : i64
    %a = arith.cmpi slt, %wide, %far : i64
    %b = arith.cmpi slt, %narrow, %c100 : i8
    %c = arith.cmpi slt, %wide, %below : i64
    %u = arith.select %a, %p, %zero : f32
    %v = arith.select %b, %p, %zero : f32
    %w = arith.select %c, %p, %zero : f32
    %s = arith.addf %u, %v : f32
    %t = arith.subf %s, %w : f32
    linalg.yield %t : f32
  } -> tensor<3x300xf32>
  return %a : tensor<3x300xf32>
}
