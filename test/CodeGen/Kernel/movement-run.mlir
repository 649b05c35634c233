// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// RUN: %python %S/../Inputs/execute.py %s --integers=0:3,7:10,8:11,-1:2,2:4 --level=%level | FileCheck %s

// Only the rows that are replaced are written, wherever they begin.

// CHECK: replace 0:3: equal
// CHECK: replace 7:10: equal
// CHECK: replace 8:11: check failed with [8, 11, 0, 0]
// CHECK: replace -1:2: check failed with [-1, 2, 0, 0]
// CHECK: replace 2:4: check failed with [2, 4, 0, 0]
func.func private @replace(%r: tensor<3x21xf32>, %begin: tensor<1xi64>, %end: tensor<1xi64>, %x: tensor<10x21xf32>) -> tensor<10x21xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %three = arith.constant 3 : i64
  %ten = arith.constant 10 : i64
  %b64 = tensor.extract %begin[%c0] : tensor<1xi64>
  %e64 = tensor.extract %end[%c0] : tensor<1xi64>
  %size = arith.subi %e64, %b64 : i64
  %fits = arith.cmpi eq, %size, %three : i64
  %low = arith.cmpi sge, %b64, %zero : i64
  %high = arith.cmpi sle, %e64, %ten : i64
  %ok0 = arith.andi %fits, %low : i1
  %ok = arith.andi %ok0, %high : i1
  hamkaas.check %ok, "expected rows within [0, 10], got [{0}, {1}]"(%b64, %e64) : i64, i64
  %b = arith.index_cast %b64 : i64 to index
  %y = tensor.insert_slice %r into %x[%b, 0] [3, 21] [1, 1] : tensor<3x21xf32> into tensor<10x21xf32>
  return %y : tensor<10x21xf32>
}

// The vectors of one dimension end in the midst of the destination.

// CHECK: replace_vector 7:10: equal
func.func private @replace_vector(%r: tensor<37xf32>, %begin: tensor<1xi64>, %end: tensor<1xi64>, %x: tensor<100xf32>) -> tensor<100xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %b64 = tensor.extract %begin[%c0] : tensor<1xi64>
  %low = arith.cmpi sge, %b64, %zero : i64
  hamkaas.check %low, "expected a row from 0 on, got {0}"(%b64) : i64
  %b = arith.index_cast %b64 : i64 to index
  %y = tensor.insert_slice %r into %x[%b] [37] [1] : tensor<37xf32> into tensor<100xf32>
  return %y : tensor<100xf32>
}

// The elements that are placed may be computed on the way.

// CHECK: replace_computed 7:10: equal
func.func private @replace_computed(%r: tensor<2x2x9xf32>, %begin: tensor<1xi64>, %end: tensor<1xi64>, %x: tensor<12x2x9xf32>) -> tensor<12x2x9xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %b64 = tensor.extract %begin[%c0] : tensor<1xi64>
  %low = arith.cmpi sge, %b64, %zero : i64
  hamkaas.check %low, "expected a row from 0 on, got {0}"(%b64) : i64
  %b = arith.index_cast %b64 : i64 to index
  %e = tensor.empty() : tensor<2x2x9xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%r : tensor<2x2x9xf32>) outs(%e : tensor<2x2x9xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %p, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x2x9xf32>
  %y = tensor.insert_slice %a into %x[%b, 0, 0] [2, 2, 9] [1, 1, 1] : tensor<2x2x9xf32> into tensor<12x2x9xf32>
  return %y : tensor<12x2x9xf32>
}

// The last of three panels holds 4 columns and 44 of padding.

// CHECK: pack 0:3: equal
func.func private @pack(%w: tensor<70x100xf32>, %out: tensor<3x70x48xf32>) -> tensor<3x70x48xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %zero = arith.constant 0.0 : f32
  %p = linalg.pack %w padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [48] into %out : tensor<70x100xf32> -> tensor<3x70x48xf32>
  return %p : tensor<3x70x48xf32>
}

// CHECK: pack_exactly 0:3: equal
func.func private @pack_exactly(%w: tensor<5x64xf32>, %out: tensor<2x5x32xf32>) -> tensor<2x5x32xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %p = linalg.pack %w outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] into %out : tensor<5x64xf32> -> tensor<2x5x32xf32>
  return %p : tensor<2x5x32xf32>
}

// CHECK: pack_batch 0:3: equal
func.func private @pack_batch(%w: tensor<3x10x20xf32>, %out: tensor<3x2x10x16xf32>) -> tensor<3x2x10x16xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %zero = arith.constant 0.0 : f32
  %p = linalg.pack %w padding_value(%zero : f32) outer_dims_perm = [0, 2, 1] inner_dims_pos = [2] inner_tiles = [16] into %out : tensor<3x10x20xf32> -> tensor<3x2x10x16xf32>
  return %p : tensor<3x2x10x16xf32>
}

// Columns that are rows of the source. Neither they nor the depth are whole
// squares and tiles; those of a batch are whole panels.

// CHECK: pack_columns 0:3: equal
func.func private @pack_columns(%w: tensor<100x371xf32>, %out: tensor<3x371x48xf32>) -> tensor<3x371x48xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %zero = arith.constant 0.0 : f32
  %p = linalg.pack %w padding_value(%zero : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [48] into %out : tensor<100x371xf32> -> tensor<3x371x48xf32>
  return %p : tensor<3x371x48xf32>
}

// CHECK: pack_columns_batch 0:3: equal
func.func private @pack_columns_batch(%w: tensor<32x3x5xf32>, %out: tensor<3x2x5x16xf32>) -> tensor<3x2x5x16xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %p = linalg.pack %w outer_dims_perm = [1, 0, 2] inner_dims_pos = [0] inner_tiles = [16] into %out : tensor<32x3x5xf32> -> tensor<3x2x5x16xf32>
  return %p : tensor<3x2x5x16xf32>
}

// CHECK: pack_few_columns 0:3: equal
func.func private @pack_few_columns(%w: tensor<3x9xf32>, %out: tensor<1x9x24xf32>) -> tensor<1x9x24xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %zero = arith.constant 0.0 : f32
  %p = linalg.pack %w padding_value(%zero : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [24] into %out : tensor<3x9xf32> -> tensor<1x9x24xf32>
  return %p : tensor<1x9x24xf32>
}

// Weights that are transposed while they are packed.

// CHECK: pack_transposed 0:3: equal
func.func private @pack_transposed(%w: tensor<20x10xf32>, %out: tensor<2x10x16xf32>) -> tensor<2x10x16xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<10x20xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%w : tensor<20x10xf32>) outs(%e : tensor<10x20xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<10x20xf32>
  %p = linalg.pack %t padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16] into %out : tensor<10x20xf32> -> tensor<2x10x16xf32>
  return %p : tensor<2x10x16xf32>
}

// Padding on some sides of all dimensions.
func.func private @pad(%x: tensor<2x3x37xf32>, %out: tensor<4x3x45xf32>) -> tensor<4x3x45xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %value = arith.constant 2.5 : f32
  %a = tensor.pad %x low[1, 0, 3] high[1, 0, 5] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %value : f32
  } : tensor<2x3x37xf32> to tensor<4x3x45xf32>
  return %a : tensor<4x3x45xf32>
}

func.func private @pad_row(%x: tensor<5xi32>, %out: tensor<20xi32>) -> tensor<20xi32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %value = arith.constant 7 : i32
  %a = tensor.pad %x low[0] high[15] {
  ^bb0(%i: index):
    tensor.yield %value : i32
  } : tensor<5xi32> to tensor<20xi32>
  return %a : tensor<20xi32>
}

// A long row that is the only one is several tiles.

// CHECK: pad_long_row{{.*}}: equal
func.func private @pad_long_row(%x: tensor<1x9001xf32>, %out: tensor<1x9013xf32>) -> tensor<1x9013xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %value = arith.constant 7.0 : f32
  %a = tensor.pad %x low[0, 5] high[0, 7] {
  ^bb0(%i: index, %j: index):
    tensor.yield %value : f32
  } : tensor<1x9001xf32> to tensor<1x9013xf32>
  return %a : tensor<1x9013xf32>
}

// Whole tiles, and nothing in front.

// CHECK: pad_whole_tiles{{.*}}: equal
func.func private @pad_whole_tiles(%x: tensor<8192xf32>, %out: tensor<8195xf32>) -> tensor<8195xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %value = arith.constant 7.0 : f32
  %a = tensor.pad %x low[0] high[3] {
  ^bb0(%i: index):
    tensor.yield %value : f32
  } : tensor<8192xf32> to tensor<8195xf32>
  return %a : tensor<8195xf32>
}

// Images that are permuted and padded, in rows that squares cross.
func.func private @permuted_pad(%x: tensor<2x19x5x7xf32>, %out: tensor<2x9x10x19xf32>) -> tensor<2x9x10x19xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x5x7x19xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x19x5x7xf32>) outs(%e : tensor<2x5x7x19xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<2x5x7x19xf32>
  %b = tensor.pad %a low[0, 1, 2, 0] high[0, 3, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<2x5x7x19xf32> to tensor<2x9x10x19xf32>
  return %b : tensor<2x9x10x19xf32>
}

// In rows that they do not.
func.func private @permuted_pad_squares(%x: tensor<1x35x3x32xf32>, %out: tensor<1x5x34x35xf32>) -> tensor<1x5x34x35xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x32x35xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x35x3x32xf32>) outs(%e : tensor<1x3x32x35xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<1x3x32x35xf32>
  %b = tensor.pad %a low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<1x3x32x35xf32> to tensor<1x5x34x35xf32>
  return %b : tensor<1x5x34x35xf32>
}

// Without padding along the rows.
func.func private @permuted_pad_rows(%x: tensor<1x6x5x7xf32>, %out: tensor<1x8x7x6xf32>) -> tensor<1x8x7x6xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x7x6xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x6x5x7xf32>) outs(%e : tensor<1x5x7x6xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<1x5x7x6xf32>
  %b = tensor.pad %a low[0, 2, 0, 0] high[0, 1, 0, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<1x5x7x6xf32> to tensor<1x8x7x6xf32>
  return %b : tensor<1x8x7x6xf32>
}

// With one dimension of positions.
func.func private @permuted_pad_line(%x: tensor<3x17x21xf32>, %out: tensor<3x25x17xf32>) -> tensor<3x25x17xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x21x17xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<3x17x21xf32>) outs(%e : tensor<3x21x17xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<3x21x17xf32>
  %b = tensor.pad %a low[0, 2, 0] high[0, 2, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %zero : f32
  } : tensor<3x21x17xf32> to tensor<3x25x17xf32>
  return %b : tensor<3x25x17xf32>
}

// Padded channels, too.
func.func private @permuted_pad_channels(%x: tensor<1x6x5x7xf32>, %out: tensor<1x7x9x7xf32>) -> tensor<1x7x9x7xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x7x6xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x6x5x7xf32>) outs(%e : tensor<1x5x7x6xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<1x5x7x6xf32>
  %b = tensor.pad %a low[0, 1, 1, 1] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<1x5x7x6xf32> to tensor<1x7x9x7xf32>
  return %b : tensor<1x7x9x7xf32>
}
