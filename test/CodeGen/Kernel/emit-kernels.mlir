// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels -split-input-file | FileCheck %s
// RUN: not hamkaas-opt %s -hamkaas-cpu-emit-kernels -split-input-file 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: expected a module with 'hamkaas.target', which hamkaas-attach-target sets

// One loop over tiles that carries the destination, on vectors of the level; an
// argument that is read where it would be written may be the destination.

// CHECK-LABEL: func @elementwise(
// CHECK-SAME:    %[[X:.*]]: tensor<4x40xf32> {hamkaas.inplace}, %[[R:[^:]*]]: tensor<1x40xf32>, %[[OUT:[^:]*]]: tensor<4x40xf32>)
// CHECK-SAME:    #hamkaas.kernel<elementwise, tile = [
// CHECK-SAME:    hamkaas.tiles = 1
// CHECK:         %[[LOOP:.*]] = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %[[OUT]])
// CHECK:           vector.transfer_read %[[X]]{{.*}}vector<8xf32>
// CHECK:           arith.addf {{.*}} : vector<8xf32>
// CHECK:           vector.transfer_write
// CHECK:         } {hamkaas.tile_loop}
// CHECK:         return %[[LOOP]]
// CHECK-NOT:     linalg.generic
func.func @elementwise(%x: tensor<4x40xf32>, %b: tensor<1x40xf32>, %out: tensor<4x40xf32>) -> tensor<4x40xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<4x40xf32>, tensor<1x40xf32>) outs(%out : tensor<4x40xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<4x40xf32>
  return %0 : tensor<4x40xf32>
}

// -----

// An argument of one element is read before the tiles.

// CHECK-LABEL: func @scalar(
// CHECK-SAME:    %{{[^:]*}}: tensor<4x40xf32> {hamkaas.inplace}, %[[ONE:[^:]*]]: tensor<1x1xf32>, %{{[^:]*}}: tensor<4x40xf32>)
// CHECK:         %[[FACTOR:.*]] = tensor.extract %[[ONE]][%c0, %c0]
// CHECK:         scf.for
// CHECK:           vector.broadcast %[[FACTOR]]
// CHECK-NOT:     tensor.extract
func.func @scalar(%x: tensor<4x40xf32>, %one: tensor<1x1xf32>, %out: tensor<4x40xf32>) -> tensor<4x40xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, 0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %one : tensor<4x40xf32>, tensor<1x1xf32>) outs(%out : tensor<4x40xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.mulf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<4x40xf32>
  return %0 : tensor<4x40xf32>
}

// -----

// Dimensions along which all operands have consecutive elements, or the same
// one, are one row: the last index runs on.

// CHECK-LABEL: func @merged(
// CHECK-SAME:    %[[X:[^ ,]*]]: tensor<2x3x7x9xf32>
// CHECK-SAME:    tile = [6, 63]
// CHECK:         vector.transfer_read %[[X]][%[[N:[^,]*]], %[[C:[^,]*]], %c0, %c8]
// CHECK:         vector.transfer_write {{.*}}[%[[N]], %[[C]], %c0, %c8]
// CHECK:         vector.transfer_read %[[X]][%[[N]], %[[C]], %c0, %c56]
func.func @merged(%x: tensor<2x3x7x9xf32>, %b: tensor<3x1x1xf32>, %out: tensor<2x3x7x9xf32>) -> tensor<2x3x7x9xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(n, c, i, j) -> (n, c, i, j)>, affine_map<(n, c, i, j) -> (c, 0, 0)>, affine_map<(n, c, i, j) -> (n, c, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %b : tensor<2x3x7x9xf32>, tensor<3x1x1xf32>) outs(%out : tensor<2x3x7x9xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<2x3x7x9xf32>
  return %0 : tensor<2x3x7x9xf32>
}

// -----

// A table that finds the elements of each row is read before the loop over rows.

// CHECK-LABEL: func @table(
// CHECK-SAME:    %[[X:[^ ,]*]]: tensor<30x3xf32>{{.*}}, %[[TABLE:[^ ,]*]]: tensor<64xi64>
// CHECK:         scf.for
// CHECK-COUNT-4:   vector.transfer_read %[[TABLE]]
// CHECK:           scf.for
// CHECK-NOT:         vector.transfer_read %[[TABLE]]
// CHECK:             tensor.extract %[[X]]
// CHECK-NOT:         vector.transfer_read %[[TABLE]]
// CHECK:         return
func.func @table(%x: tensor<30x3xf32>, %n: tensor<64xi64>, %out: tensor<30x64xf32>) -> tensor<30x64xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%n : tensor<64xi64>) outs(%out : tensor<30x64xf32>) {
  ^bb0(%k: i64, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %k : i64 to index
    %v = tensor.extract %x[%i, %j] : tensor<30x3xf32>
    linalg.yield %v : f32
  } -> tensor<30x64xf32>
  return %0 : tensor<30x64xf32>
}

// -----

// Not where an operand is broadcast along the first of them.

// CHECK-LABEL: func @apart(
// CHECK-SAME:    %[[X:[^ ,]*]]: tensor<4x64xf32>
// CHECK-SAME:    tile = [4, 64]
// CHECK:         vector.transfer_read %[[X]][%[[I:[^,]*]], %[[J:[^,]*]]]
// CHECK:         vector.transfer_write {{.*}}[%[[I]], %[[J]]]
func.func @apart(%x: tensor<4x64xf32>, %b: tensor<64xf32>, %out: tensor<4x64xf32>) -> tensor<4x64xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<4x64xf32>, tensor<64xf32>) outs(%out : tensor<4x64xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

// The elements of a large result, and of what is read as it is written, are
// fetched a page ahead, once for each line. Tiles of 85 rows would be 19, the
// last of them of 6 rows: 16 are equal shares.

// CHECK-LABEL: func @large(
// CHECK-SAME:    %[[X:.*]]: tensor<1536x48xf32> {hamkaas.inplace}, %{{[^:]*}}: tensor<1x48xf32>, %[[OUT:[^:]*]]: tensor<1536x48xf32>)
// CHECK-SAME:    tile = [96, 48]
// CHECK-SAME:    hamkaas.tiles = 16
// CHECK:         bufferization.to_buffer %[[OUT]] read_only
// CHECK-NEXT:    %[[RESULT:.*]] = memref.reinterpret_cast
// CHECK:         %[[ROW:.*]] = arith.muli %{{.*}}, %c48
// CHECK-NEXT:    %[[AHEAD:.*]] = arith.addi %[[ROW]], %c1024
// CHECK-NEXT:    bufferization.to_buffer %[[X]] read_only
// CHECK-NEXT:    %[[READ:.*]] = memref.reinterpret_cast
// CHECK-NEXT:    memref.prefetch %[[READ]][%[[AHEAD]]], read, locality<3>, data : memref<73728xf32>
// CHECK-NEXT:    memref.prefetch %[[RESULT]][%[[AHEAD]]], read, locality<3>, data : memref<73728xf32>
// CHECK-COUNT-4: memref.prefetch
// CHECK-NOT:     memref.prefetch
func.func @large(%x: tensor<1536x48xf32>, %b: tensor<1x48xf32>, %out: tensor<1536x48xf32>) -> tensor<1536x48xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<1536x48xf32>, tensor<1x48xf32>) outs(%out : tensor<1536x48xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<1536x48xf32>
  return %0 : tensor<1536x48xf32>
}

// -----

// A transposed argument is read elsewhere than it would be written.

// CHECK-LABEL: func @transposed(
// CHECK-SAME:    %{{[^:]*}}: tensor<8x8xf32>, %{{[^:]*}}: tensor<8x8xf32>)
func.func @transposed(%x: tensor<8x8xf32>, %out: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%out : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// The tile of a contraction: accumulators stay in registers over the depth.

// CHECK-LABEL: func @contraction(
// CHECK-SAME:    #hamkaas.kernel<contraction, tile = [4, 24, 8]>
// CHECK:         iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
// CHECK:           vector.fma
// CHECK:         arith.maximumf
// CHECK:         } {hamkaas.tile_loop}
func.func @contraction(%x: tensor<4x8xf32>, %w: tensor<1x8x24xf32>, %out: tensor<4x24xf32>) -> tensor<4x24xf32> attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x24xf32>) -> tensor<4x24xf32>
  %d = tensor.empty() : tensor<8x24xf32>
  %u = linalg.unpack %w outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [24] into %d : tensor<1x8x24xf32> -> tensor<8x24xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %u : tensor<4x8xf32>, tensor<8x24xf32>) outs(%f : tensor<4x24xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<4x24xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x24xf32>) outs(%out : tensor<4x24xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<4x24xf32>
  return %1 : tensor<4x24xf32>
}

// -----

// Nothing to do: no kernel.

// CHECK-LABEL: func @other(
// CHECK-NEXT:    return
func.func @other(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// Pieces of the destination have tiles of their own, one after the other.

// CHECK-LABEL: func @pieces(
// CHECK-SAME:    hamkaas.tiles = 6
// CHECK:         scf.for %[[TILE:.*]] = %{{.*}} to %{{.*}} step
// CHECK:           %[[FIRST:.*]] = arith.cmpi ult, %[[TILE]], %{{.*}}
// CHECK:           scf.if %[[FIRST]]
// CHECK:         } {hamkaas.tile_loop}
// CHECK-NOT:     tensor.insert_slice
func.func @pieces(%x: tensor<1x5000xf32>, %y: tensor<2x5000xf32>, %out: tensor<3x5000xf32>) -> tensor<3x5000xf32> attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %empty = tensor.empty() : tensor<3x5000xf32>
  %0 = tensor.insert_slice %x into %empty[0, 0] [1, 5000] [1, 1] : tensor<1x5000xf32> into tensor<3x5000xf32>
  %1 = tensor.insert_slice %y into %0[1, 0] [2, 5000] [1, 1] : tensor<2x5000xf32> into tensor<3x5000xf32>
  return %1 : tensor<3x5000xf32>
}

// -----

// Pieces beside each other, of which one is short, are written row by row: a
// tile has rows of all. Pieces may be made of others.

// CHECK-LABEL: func @rows(
// CHECK-SAME:    hamkaas.tiles = 2
// CHECK:         scf.for %[[TILE:.*]] =
// CHECK:           scf.if
// CHECK:             scf.for %[[ROW:[^ ]*]] =
// CHECK:               vector.transfer_write {{.*}}[%[[ROW]], %{{.*}}] {{.*}}vector<2xf32>
// CHECK-COUNT-2:       vector.transfer_write {{.*}}[%[[ROW]], %{{.*}}] {{.*}}vector<8xf32>
// CHECK:           else
// CHECK:         } {hamkaas.tile_loop}
// CHECK-NOT:     tensor.insert_slice
func.func @rows(%x: tensor<3x16xf32>, %y: tensor<2x16xf32>, %a: tensor<3x2xf32>, %b: tensor<2x2xf32>, %out: tensor<5x18xf32>) -> tensor<5x18xf32> attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %left = tensor.empty() : tensor<5x2xf32>
  %0 = tensor.insert_slice %a into %left[0, 0] [3, 2] [1, 1] : tensor<3x2xf32> into tensor<5x2xf32>
  %1 = tensor.insert_slice %b into %0[3, 0] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<5x2xf32>
  %right = tensor.empty() : tensor<5x16xf32>
  %2 = tensor.insert_slice %x into %right[0, 0] [3, 16] [1, 1] : tensor<3x16xf32> into tensor<5x16xf32>
  %3 = tensor.insert_slice %y into %2[3, 0] [2, 16] [1, 1] : tensor<2x16xf32> into tensor<5x16xf32>
  %empty = tensor.empty() : tensor<5x18xf32>
  %4 = tensor.insert_slice %1 into %empty[0, 0] [5, 2] [1, 1] : tensor<5x2xf32> into tensor<5x18xf32>
  %5 = tensor.insert_slice %3 into %4[0, 2] [5, 16] [1, 1] : tensor<5x16xf32> into tensor<5x18xf32>
  return %5 : tensor<5x18xf32>
}

// -----

// Loops are the kernel as they are, unless neighbouring tiles have neighbours,
// and their outermost one goes over the tiles. They may read anything at any
// time.

// CHECK-LABEL: func @loops(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[OUT:[^:]*]]: tensor<4xf32>)
// CHECK-SAME:    hamkaas.tiles = 4
// CHECK:         %[[LOOP:.*]] = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[TO:.*]] = %[[OUT]])
// CHECK:           %[[FROM:.*]] = arith.subi %{{.*}}, %[[I]]
// CHECK:           %[[VALUE:.*]] = tensor.extract %[[X]][%[[FROM]]]
// CHECK:           %[[NEXT:.*]] = tensor.insert %[[VALUE]] into %[[TO]][%[[I]]]
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         } {hamkaas.tile_loop}
// CHECK:         return %[[LOOP]]
func.func @loops(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<loops>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %empty = tensor.empty() : tensor<4xf32>
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%to = %empty) -> tensor<4xf32> {
    %from = arith.subi %c3, %i : index
    %1 = tensor.extract %x[%from] : tensor<4xf32>
    %2 = tensor.insert %1 into %to[%i] : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Each thread that runs tiles reads again what is checked before them, so the
// destination must not take its place.

// CHECK-LABEL: func @checked(
// CHECK-SAME:    %{{[^:]*}}: tensor<1xi64>, %{{[^:]*}}: tensor<1xi64>)
func.func @checked(%x: tensor<1xi64>, %out: tensor<1xi64>) -> tensor<1xi64> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %first = tensor.extract %x[%c0] : tensor<1xi64>
  %valid = arith.cmpi sge, %first, %zero : i64
  hamkaas.check %valid, "expected 0 or more, got {0}"(%first) : i64
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<1xi64>) outs(%out : tensor<1xi64>) {
  ^bb0(%a: i64, %o: i64):
    %1 = arith.addi %a, %a : i64
    linalg.yield %1 : i64
  } -> tensor<1xi64>
  return %0 : tensor<1xi64>
}

// -----

// The largest entry of a row takes a comparison and a choice for each vector,
// without a care for NaN. While the exponentials of a row are computed, the next
// one is asked for, and after the last that one again; so is where the next
// results go.

// CHECK-LABEL: func private @softmax(
// CHECK-SAME:    %[[OUT:[^:]*]]: tensor<16x1024xf32>)
// CHECK:         bufferization.to_buffer %[[OUT]] read_only
// CHECK-NEXT:    %[[RESULT:.*]] = memref.reinterpret_cast
// CHECK:         scf.for
// CHECK:         %[[ROW:.*]] = arith.minui
// CHECK:         %[[NEXT:.*]] = arith.muli %[[ROW]], %{{.*}}
// CHECK:         arith.cmpf ogt, %[[V:.*]], %[[M:.*]] : vector<8xf32>
// CHECK-NEXT:    arith.select %{{.*}}, %[[V]], %[[M]]
// CHECK:         math.exp
// CHECK:         %[[AT:.*]] = arith.addi %[[NEXT]]
// CHECK:         memref.prefetch %{{.*}}[%[[AT]]], read, locality<3>, data : memref<16384xf32>
// CHECK:         memref.prefetch %[[RESULT]][%[[AT]]], read, locality<3>, data : memref<16384xf32>
func.func private @softmax(%x: tensor<16x1024xf32>, %out: tensor<16x1024xf32>) -> tensor<16x1024xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<16x1024xf32>
  %er = tensor.empty() : tensor<16xf32>
  %m0 = linalg.fill ins(%low : f32) outs(%er : tensor<16xf32>) -> tensor<16xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<16x1024xf32>) outs(%m0 : tensor<16xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.maxnumf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %m : tensor<16x1024xf32>, tensor<16xf32>) outs(%e : tensor<16x1024xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %d = arith.subf %v, %s : f32
    %n = math.exp %d : f32
    linalg.yield %n : f32
  } -> tensor<16x1024xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%y : tensor<16x1024xf32>) outs(%s0 : tensor<16xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.addf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%y, %sum : tensor<16x1024xf32>, tensor<16xf32>) outs(%e : tensor<16x1024xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %n = arith.divf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<16x1024xf32>
  return %r : tensor<16x1024xf32>
}

// -----

// Rows that do not fit the first level of caches twice are brought to the second
// only. Without mathematics the last pass is the longest, so it asks for them.

// CHECK-LABEL: func private @divided(
// CHECK:         arith.addf {{.*}} : vector<8xf32>
// CHECK-NOT:     memref.prefetch
// CHECK:         scf.for
// CHECK-COUNT-2: memref.prefetch %{{.*}}, read, locality<2>, data : memref<131072xf32>
// CHECK:         arith.divf {{.*}} : vector<8xf32>
func.func private @divided(%x: tensor<16x8192xf32>, %out: tensor<16x8192xf32>) -> tensor<16x8192xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x8192xf32>
  %er = tensor.empty() : tensor<16xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<16xf32>) -> tensor<16xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<16x8192xf32>) outs(%s0 : tensor<16xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.addf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %sum : tensor<16x8192xf32>, tensor<16xf32>) outs(%e : tensor<16x8192xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %n = arith.divf %v, %s : f32
    linalg.yield %n : f32
  } -> tensor<16x8192xf32>
  return %r : tensor<16x8192xf32>
}
