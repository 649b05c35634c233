// RUN: hamkaas-opt %s -hamkaas-gpu-distribute-to-threads -split-input-file | FileCheck %s

// Each thread has the element of its lane.

// CHECK-LABEL: func @whole_vectors(
// CHECK-SAME:    %[[X:.*]]: memref<64xf32>, %[[OUT:.*]]: memref<64xf32>)
// CHECK-SAME:    hamkaas.tile_runner = #hamkaas.tile_runner<warp>
// CHECK:         %[[LANE:.*]] = gpu.lane_id
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[AT:.*]] = arith.addi %[[I]], %[[LANE]] overflow<nsw>
// CHECK:           %[[V:.*]] = memref.load %[[X]][%[[AT]]]
// CHECK:           %[[FMA:.*]] = math.fma %[[V]], %[[V]], %{{.*}} : f32
// CHECK:           memref.store %[[FMA]], %[[OUT]]
// CHECK-NOT:   vector
func.func @whole_vectors(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0.0 : f32
  %two = arith.constant dense<2.0> : vector<32xf32>
  scf.for %i = %c0 to %c64 step %c32 {
    %v = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<64xf32>, vector<32xf32>
    %w = vector.fma %v, %v, %two : vector<32xf32>
    vector.transfer_write %w, %out[%i] {in_bounds = [true]} : vector<32xf32>, memref<64xf32>
  }
  return
}

// -----

// Threads without a lane read the last element that there is, and write none.

// CHECK-LABEL: func @fewer_lanes(
// CHECK:         %[[LANE:.*]] = gpu.lane_id
// CHECK-DAG:     %[[LAST:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[CLAMPED:.*]] = arith.minui %[[LANE]], %[[LAST]]
// CHECK-DAG:     %[[FIVE:.*]] = arith.constant 5 : index
// CHECK-DAG:     %[[IS_ACTIVE:.*]] = arith.cmpi ult, %[[LANE]], %[[FIVE]]
// CHECK:         %[[AT:.*]] = arith.addi %{{.*}}, %[[CLAMPED]]
// CHECK:         %[[READ:.*]] = memref.load %{{.*}}[%[[AT]]]
// CHECK:         %[[V:.*]] = arith.select %[[IS_ACTIVE]], %[[READ]], %{{.*}} : f32
// CHECK:         scf.if %[[IS_ACTIVE]] {
// CHECK:           memref.store %[[V]]
func.func @fewer_lanes(%x: memref<5xf32>, %out: memref<5xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1.0 : f32
  %m = vector.constant_mask [5] : vector<8xi1>
  %v = vector.transfer_read %x[%c0], %p, %m {in_bounds = [true]} : memref<5xf32>, vector<8xf32>
  vector.transfer_write %v, %out[%c0], %m {in_bounds = [true]} : vector<8xf32>, memref<5xf32>
  return
}

// -----

// Memory that may be written meanwhile is not read speculatively.

// CHECK-LABEL: func @in_place(
// CHECK:         %[[V:.*]] = scf.if
// CHECK:           memref.load
// CHECK:         } else {
func.func @in_place(%x: memref<5xf32> {hamkaas.inplace}, %out: memref<5xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1.0 : f32
  %m = vector.constant_mask [5] : vector<8xi1>
  %v = vector.transfer_read %x[%c0], %p, %m {in_bounds = [true]} : memref<5xf32>, vector<8xf32>
  vector.transfer_write %v, %out[%c0], %m {in_bounds = [true]} : vector<8xf32>, memref<5xf32>
  return
}

// -----

// A mask that is computed is a condition.

// CHECK-LABEL: func @computed_mask(
// CHECK:         %[[M:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK:         %[[V:.*]] = scf.if %[[M]] -> (f32) {
// CHECK:           memref.load
// CHECK:         } else {
// CHECK:         scf.if %[[M]] {
// CHECK:           memref.store %[[V]]
func.func @computed_mask(%n: memref<1xindex>, %x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %count = memref.load %n[%c0] : memref<1xindex>
  %m = vector.create_mask %count : vector<32xi1>
  %v = vector.transfer_read %x[%c0], %p, %m {in_bounds = [true]} : memref<64xf32>, vector<32xf32>
  vector.transfer_write %v, %out[%c0], %m {in_bounds = [true]} : vector<32xf32>, memref<64xf32>
  return
}

// -----

// Each thread reads where its own index says, and those without one the first
// element.

// CHECK-LABEL: func @gather(
// CHECK:         %[[LANE:.*]] = gpu.lane_id
// CHECK:         %[[AT:.*]] = arith.muli %[[LANE]], %{{.*}} : index
// CHECK:         %[[SAFE:.*]] = arith.select %[[IS_ACTIVE:.*]], %[[AT]], %{{.*}} : index
// CHECK:         %[[PLACE:.*]] = arith.addi %{{.*}}, %[[SAFE]]
// CHECK:         %[[V:.*]] = memref.load %{{.*}}[%[[PLACE]]]
// CHECK:         arith.select %[[IS_ACTIVE]], %[[V]], %{{.*}} : f32
func.func @gather(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %i = vector.step : vector<32xindex>
  %three = arith.constant dense<3> : vector<32xindex>
  %at = arith.muli %i, %three : vector<32xindex>
  %m = vector.constant_mask [20] : vector<32xi1>
  %none = arith.constant dense<0.0> : vector<32xf32>
  %v = vector.gather %x[%c0] [%at], %m, %none : memref<64xf32>, vector<32xindex>, vector<32xi1>, vector<32xf32> into vector<32xf32>
  vector.transfer_write %v, %out[%c0] {in_bounds = [true]} : vector<32xf32>, memref<64xf32>
  return
}

// -----

// Lanes in a known order are exchanged by the instruction that fits; the first
// one gives all others a number.

// CHECK-LABEL: func @exchange(
// CHECK:         gpu.shuffle xor %{{.*}}, %{{.*}}, %{{.*}} : f32
// A shift: the number of the lane less 1.
// CHECK:         %[[FROM:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK:         %[[INSIDE:.*]] = arith.andi %[[FROM]], %{{.*}} : i32
// CHECK:         gpu.shuffle idx %{{.*}}, %[[INSIDE]], %{{.*}} : f32
// No order: a table of a bit for each lane.
// CHECK-COUNT-2: arith.shrui
// CHECK:         gpu.shuffle idx
// CHECK:         arith.select
// CHECK:         %[[FIRST:.*]], %{{.*}} = gpu.shuffle idx %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK:         scf.if
// CHECK-NEXT:      memref.store %[[FIRST]]
func.func @exchange(%x: memref<8xf32>, %out: memref<8xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<8xf32>, vector<8xf32>
  %a = vector.shuffle %v, %v [4, 5, 6, 7, 0, 1, 2, 3] : vector<8xf32>, vector<8xf32>
  %b = vector.shuffle %a, %a [-1, 0, 1, 2, 3, 4, 5, 6] : vector<8xf32>, vector<8xf32>
  %c = vector.shuffle %b, %v [3, 0, 0, 1, 8, 9, 10, 11] : vector<8xf32>, vector<8xf32>
  %s = vector.extract %c[0] : f32 from vector<8xf32>
  memref.store %s, %out[%c0] : memref<8xf32>
  return
}

// -----

// All that is exchanged has 32 bits.

// CHECK-LABEL: func @widths(
// CHECK:         arith.extui %{{.*}} : i8 to i32
// CHECK:         gpu.shuffle xor %{{.*}} : i32
// CHECK:         arith.trunci %{{.*}} : i32 to i8
// CHECK:         %[[BITS:.*]] = arith.bitcast %{{.*}} : f64 to i64
// CHECK-COUNT-2: gpu.shuffle xor %{{.*}} : i32
// CHECK:         arith.bitcast %{{.*}} : i64 to f64
// CHECK:         arith.bitcast %{{.*}} : bf16 to i16
// CHECK:         gpu.shuffle xor %{{.*}} : i32
func.func @widths(%x: memref<32xi8>, %y: memref<32xf64>, %z: memref<32xbf16>, %out: memref<32xf64>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %i = vector.load %x[%c0] : memref<32xi8>, vector<32xi8>
  %f = vector.load %y[%c0] : memref<32xf64>, vector<32xf64>
  %b = vector.load %z[%c0] : memref<32xbf16>, vector<32xbf16>
  %0 = vector.shuffle %i, %i [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14, 17, 16, 19, 18, 21, 20, 23, 22, 25, 24, 27, 26, 29, 28, 31, 30] : vector<32xi8>, vector<32xi8>
  %1 = vector.shuffle %f, %f [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14, 17, 16, 19, 18, 21, 20, 23, 22, 25, 24, 27, 26, 29, 28, 31, 30] : vector<32xf64>, vector<32xf64>
  %2 = vector.shuffle %b, %b [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14, 17, 16, 19, 18, 21, 20, 23, 22, 25, 24, 27, 26, 29, 28, 31, 30] : vector<32xbf16>, vector<32xbf16>
  vector.store %0, %x[%c0] : memref<32xi8>, vector<32xi8>
  vector.store %1, %out[%c0] : memref<32xf64>, vector<32xf64>
  vector.store %2, %z[%c0] : memref<32xbf16>, vector<32xbf16>
  return
}

// -----

// A reduction has one order, and one result for all.

// CHECK-LABEL: func @reduction(
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK:         arith.andi %{{.*}} : i1
// CHECK:         %[[ALL:.*]], %{{.*}} = gpu.shuffle idx
// CHECK:         arith.trunci %[[ALL]] : i32 to i1
// CHECK:         scf.if
func.func @reduction(%x: memref<32xf32>, %out: memref<32xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %v = vector.load %x[%c0] : memref<32xf32>, vector<32xf32>
  %m = arith.cmpf oeq, %v, %zero : vector<32xf32>
  %all = vector.reduction <and>, %m : vector<32xi1> into i1
  scf.if %all {
    vector.store %zero, %out[%c0] : memref<32xf32>, vector<32xf32>
  }
  return
}

// -----

// Loops and branches carry a lane.

// CHECK-LABEL: func @carried(
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (f32)
// CHECK:           %[[NEXT:.*]] = scf.if %{{.*}} -> (f32)
// CHECK:           scf.yield %[[NEXT]] : f32
// CHECK:         memref.store %[[SUM]]
func.func @carried(%x: memref<4x32xf32>, %out: memref<32xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (vector<32xf32>) {
    %isFirst = arith.cmpi eq, %i, %c0 : index
    %next = scf.if %isFirst -> (vector<32xf32>) {
      scf.yield %s : vector<32xf32>
    } else {
      %v = vector.load %x[%i, %c0] : memref<4x32xf32>, vector<32xf32>
      %t = arith.addf %s, %v : vector<32xf32>
      scf.yield %t : vector<32xf32>
    }
    scf.yield %next : vector<32xf32>
  }
  vector.store %sum, %out[%c0] : memref<32xf32>, vector<32xf32>
  return
}

// -----

// Constants that differ from lane to lane.

// CHECK-LABEL: func @constants(
// CHECK-DAG:     %[[WORD:.*]] = arith.constant 5 : i32
// CHECK:         %[[SHIFTED:.*]] = arith.shrui %[[WORD]], %{{.*}}
// CHECK:         %[[BIT:.*]] = arith.trunci %[[SHIFTED]] : i32 to i1
// CHECK-COUNT-3: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK:         arith.select %[[BIT]]
func.func @constants(%x: memref<4xf32>, %out: memref<4xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %m = arith.constant dense<[true, false, true, false]> : vector<4xi1>
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %v = vector.load %x[%c0] : memref<4xf32>, vector<4xf32>
  %s = arith.select %m, %v, %c : vector<4xi1>, vector<4xf32>
  vector.store %s, %out[%c0] : memref<4xf32>, vector<4xf32>
  return
}

// -----

// Single lanes are put together and taken apart.

// CHECK-LABEL: func @single_lanes(
// CHECK:         %[[A:.*]] = memref.load
// CHECK:         %[[B:.*]] = memref.load
// CHECK:         %[[V:.*]] = arith.select %{{.*}}, %[[A]], %[[B]] : f32
// CHECK:         %[[W:.*]] = arith.select %{{.*}}, %[[B]], %[[V]] : f32
// CHECK:         gpu.shuffle xor %[[W]]
func.func @single_lanes(%x: memref<2xf32>, %out: memref<1xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.load %x[%c0] : memref<2xf32>
  %b = memref.load %x[%c1] : memref<2xf32>
  %v = vector.from_elements %a, %b : vector<2xf32>
  %w = vector.insert %b, %v[0] : f32 into vector<2xf32>
  %t = vector.extract_strided_slice %w {offsets = [1], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
  vector.store %t, %out[%c0] : memref<1xf32>, vector<1xf32>
  return
}

// -----

// Without vectors each thread runs a tile.

// CHECK-LABEL: func @scalars(
// CHECK-SAME:    hamkaas.tile_runner = #hamkaas.tile_runner<thread>
// CHECK-NOT:     gpu.lane_id
// CHECK-NOT:     scf.if
func.func @scalars(%x: memref<8xf32>, %out: memref<8xf32>) attributes {hamkaas.tiles = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %out[%i] : memref<8xf32>
  }
  return
}

// -----

// Other functions are left alone.

// CHECK-LABEL: func @no_kernel(
// CHECK:         vector.load
func.func @no_kernel(%x: memref<32xf32>) -> vector<32xf32> {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<32xf32>, vector<32xf32>
  return %v : vector<32xf32>
}

// -----

// Of 64 or 128 lanes a thread has two or four neighbours, which it moves at once.

// CHECK-LABEL: func @shares(
// CHECK-SAME:    %[[X:.*]]: memref<256xf32>, %[[OUT:.*]]: memref<256xf32>)
// CHECK:         %[[LANE:.*]] = gpu.lane_id
// CHECK:         %[[FIRST:.*]] = arith.muli %[[LANE]], %{{.*}} overflow<nsw>
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[AT:.*]] = arith.addi %[[I]], %[[FIRST]] overflow<nsw>
// CHECK:           %[[V:.*]] = vector.load %[[X]][%[[AT]]] : memref<256xf32>, vector<4xf32>
// CHECK:           %[[S:.*]] = vector.broadcast %{{.*}} : f32 to vector<4xf32>
// CHECK:           %[[FMA:.*]] = math.fma %[[V]], %[[S]], %{{.*}} : vector<4xf32>
// CHECK:           vector.store %[[FMA]], %[[OUT]]
// CHECK-NOT:   scf.if
// CHECK:       return
func.func @shares(%x: memref<256xf32>, %out: memref<256xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %p = arith.constant 0.0 : f32
  %two = arith.constant dense<2.0> : vector<128xf32>
  %s = memref.load %x[%c0] : memref<256xf32>
  scf.for %i = %c0 to %c256 step %c128 {
    %v = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<256xf32>, vector<128xf32>
    %b = vector.broadcast %s : f32 to vector<128xf32>
    %w = vector.fma %v, %b, %two : vector<128xf32>
    vector.transfer_write %w, %out[%i] {in_bounds = [true]} : vector<128xf32>, memref<256xf32>
  }
  return
}

// -----

// Threads beyond the last whole share read that one, and write nothing.

// CHECK-LABEL: func @fewer_shares(
// CHECK-DAG:     %[[LANE:.*]] = gpu.lane_id
// CHECK-DAG:     %[[LAST:.*]] = arith.constant 24 : index
// CHECK-DAG:     %[[CLAMPED:.*]] = arith.minui %[[LANE]], %[[LAST]]
// CHECK-DAG:     %[[COUNT:.*]] = arith.constant 25 : index
// CHECK-DAG:     %[[IS_ACTIVE:.*]] = arith.cmpi ult, %[[LANE]], %[[COUNT]]
// CHECK:         %[[BY:.*]] = arith.muli %[[CLAMPED]], %{{.*}} overflow<nsw>
// CHECK:         %[[AT:.*]] = arith.addi %{{.*}}, %[[BY]] overflow<nsw>
// CHECK:         %[[READ:.*]] = vector.load %{{.*}}[%[[AT]]] : memref<100xf32>, vector<4xf32>
// CHECK:         %[[V:.*]] = arith.select %[[IS_ACTIVE]], %[[READ]], %{{.*}} : vector<4xf32>
// CHECK:         scf.if %[[IS_ACTIVE]] {
// CHECK:           vector.store %[[V]]
func.func @fewer_shares(%x: memref<100xf32>, %out: memref<100xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1.0 : f32
  %m = vector.constant_mask [100] : vector<128xi1>
  %v = vector.transfer_read %x[%c0], %p, %m {in_bounds = [true]} : memref<100xf32>, vector<128xf32>
  vector.transfer_write %v, %out[%c0], %m {in_bounds = [true]} : vector<128xf32>, memref<100xf32>
  return
}

// -----

// A share that is divided is accessed element by element.

// CHECK-LABEL: func @divided_share(
// CHECK:         %[[MASK:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : vector<2xindex>
// CHECK:         %[[FIRST:.*]] = vector.extract %[[MASK]][0]
// CHECK:         scf.if %[[FIRST]] -> (f32) {
// CHECK:           memref.load
// CHECK:         %[[SECOND:.*]] = vector.extract %[[MASK]][1]
// CHECK:         scf.if %[[SECOND]] -> (f32) {
// CHECK:           memref.load
// CHECK:         vector.from_elements %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK-COUNT-2: memref.store
func.func @divided_share(%x: memref<51xf32>, %out: memref<51xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 1.0 : f32
  %m = vector.constant_mask [51] : vector<64xi1>
  %v = vector.transfer_read %x[%c0], %p, %m {in_bounds = [true]} : memref<51xf32>, vector<64xf32>
  vector.transfer_write %v, %out[%c0], %m {in_bounds = [true]} : vector<64xf32>, memref<51xf32>
  return
}

// -----

// A mask that is computed.

// CHECK-LABEL: func @computed_shares(
// CHECK:         %[[NUMBERS:.*]] = arith.addi %{{.*}}, %{{.*}} overflow<nsw> : vector<4xindex>
// CHECK:         arith.cmpi slt, %[[NUMBERS]], %{{.*}} : vector<4xindex>
// CHECK:         arith.index_cast %[[NUMBERS]] : vector<4xindex> to vector<4xi32>
// CHECK-COUNT-4: memref.store
func.func @computed_shares(%n: memref<1xindex>, %out: memref<128xi32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %count = memref.load %n[%c0] : memref<1xindex>
  %m = vector.create_mask %count : vector<128xi1>
  %step = vector.step : vector<128xindex>
  %v = arith.index_cast %step : vector<128xindex> to vector<128xi32>
  vector.transfer_write %v, %out[%c0], %m {in_bounds = [true]} : vector<128xi32>, memref<128xi32>
  return
}

// -----

// Neighbours are taken apart and joined within a thread.

// CHECK-LABEL: func @halves(
// CHECK:         %[[V:.*]] = vector.load %{{.*}} : memref<128xf32>, vector<4xf32>
// CHECK:         %[[A:.*]] = vector.extract %[[V]][0]
// CHECK:         %[[B:.*]] = vector.extract %[[V]][2]
// CHECK:         %[[EVEN:.*]] = vector.from_elements %[[A]], %[[B]] : vector<2xf32>
// CHECK:         %[[C:.*]] = vector.extract %[[V]][1]
// CHECK:         %[[D:.*]] = vector.extract %[[V]][3]
// CHECK:         %[[ODD:.*]] = vector.from_elements %[[C]], %[[D]] : vector<2xf32>
// CHECK:         %[[SUM:.*]] = arith.addf %[[EVEN]], %[[ODD]] : vector<2xf32>
// CHECK:         %[[LEFT:.*]] = vector.extract %[[SUM]][0]
// CHECK:         %[[RIGHT:.*]] = vector.extract %[[SUM]][1]
// CHECK:         %[[TOTAL:.*]] = arith.addf %[[LEFT]], %[[RIGHT]] : f32
// CHECK:         %[[PAIR:.*]] = vector.from_elements %[[TOTAL]], %[[LEFT]] : vector<2xf32>
// CHECK:         vector.store %[[PAIR]]
func.func @halves(%x: memref<128xf32>, %out: memref<64xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<128xf32>, vector<128xf32>
  %even, %odd = vector.deinterleave %v : vector<128xf32> -> vector<64xf32>
  %sum = arith.addf %even, %odd : vector<64xf32>
  %left, %right = vector.deinterleave %sum : vector<64xf32> -> vector<32xf32>
  %total = arith.addf %left, %right : vector<32xf32>
  %pairs = vector.interleave %total, %left : vector<32xf32> -> vector<64xf32>
  vector.store %pairs, %out[%c0] : memref<64xf32>, vector<64xf32>
  return
}

// -----

// An element is another thread's where shares have another size.

// CHECK-LABEL: func @shares_of_two_sizes(
// CHECK:         vector.store
// CHECK:         nvvm.bar.warp.sync
// CHECK:         memref.load
// CHECK-LABEL: func @shares_of_one_size(
// CHECK:         vector.store
// CHECK-NOT:     nvvm.bar.warp.sync
// CHECK:         vector.load
func.func @shares_of_two_sizes(%x: memref<128xf32>, %out: memref<128xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<128xf32>, vector<128xf32>
  vector.store %v, %out[%c0] : memref<128xf32>, vector<128xf32>
  %w = vector.load %out[%c0] : memref<128xf32>, vector<32xf32>
  vector.store %w, %out[%c0] : memref<128xf32>, vector<32xf32>
  return
}
func.func @shares_of_one_size(%x: memref<128xf32>, %out: memref<128xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<128xf32>, vector<128xf32>
  vector.store %v, %out[%c0] : memref<128xf32>, vector<128xf32>
  %w = vector.load %out[%c0] : memref<128xf32>, vector<128xf32>
  vector.store %w, %out[%c0] : memref<128xf32>, vector<128xf32>
  return
}

// -----

// Operations of the LLVM and NVVM dialects are a thread's already, and so is a
// store marked as one.

// CHECK-LABEL: func @threads(
// CHECK:         %[[PAIR:.*]] = nvvm.convert.f32x2.to.bf16x2 %{{.*}} : vector<2xbf16>
// CHECK:         llvm.bitcast %[[PAIR]] : vector<2xbf16> to f32
// CHECK-NOT:     scf.if
// CHECK:         memref.store %{{.*}}, %{{.*}}[%{{.*}}] : memref<32xf32>
// CHECK:         scf.if
// CHECK-NEXT:      memref.store
func.func @threads(%x: memref<32xf32>, %out: memref<32xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %lane = gpu.lane_id
  %a = memref.load %x[%lane] : memref<32xf32>
  %pair = nvvm.convert.f32x2.to.bf16x2 %a, %a {rnd = #nvvm.fp_rnd_mode<rn>} : vector<2xbf16>
  %b = llvm.bitcast %pair : vector<2xbf16> to f32
  %scratch = memref.alloca() : memref<32xf32>
  memref.store %b, %scratch[%lane] {hamkaas.lane_store} : memref<32xf32>
  memref.store %b, %out[%c0] : memref<32xf32>
  return
}

// -----

// Gathers and scatters of neighbours, as upstream simplifies them.

// CHECK-LABEL: func @masked(
// CHECK:         %[[V:.*]] = memref.load
// CHECK:         %[[W:.*]] = arith.select %[[IS_ACTIVE:.*]], %[[V]], %{{.*}} : f32
// CHECK:         scf.if %[[IS_ACTIVE]] {
// CHECK:           memref.store %[[W]]
// CHECK-NOT:   vector
func.func @masked(%x: memref<6xf32>, %out: memref<6xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %none = arith.constant dense<0.0> : vector<8xf32>
  %m = vector.constant_mask [6] : vector<8xi1>
  %v = vector.maskedload %x[%c0], %m, %none : memref<6xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.maskedstore %out[%c0], %m, %v : memref<6xf32>, vector<8xi1>, vector<8xf32>
  return
}
