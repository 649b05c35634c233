// RUN: hamkaas-opt %s -hamkaas-gpu-distribute-to-threads -split-input-file -verify-diagnostics

func.func @wide(%x: memref<96xf32>, %out: memref<96xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected vectors of one dimension and at most 32, or 64 or 128, lanes, got 'vector<96xf32>'}}
  %v = vector.load %x[%c0] : memref<96xf32>, vector<96xf32>
  vector.store %v, %out[%c0] : memref<96xf32>, vector<96xf32>
  return
}

// -----

func.func @square(%x: memref<4x4xf32>, %out: memref<4x4xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected vectors of one dimension and at most 32, or 64 or 128, lanes, got 'vector<4x4xf32>'}}
  %v = vector.load %x[%c0, %c0] : memref<4x4xf32>, vector<4x4xf32>
  vector.store %v, %out[%c0, %c0] : memref<4x4xf32>, vector<4x4xf32>
  return
}

// -----

func.func @out_of_bounds(%x: memref<20xf32>, %out: memref<32xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  // expected-error @below {{expected a transfer of elements along the last dimension of a buffer, within its bounds}}
  %v = vector.transfer_read %x[%c0], %p : memref<20xf32>, vector<32xf32>
  vector.transfer_write %v, %out[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  return
}

// -----

func.func @across(%x: memref<32xf32>, %out: memref<32x4xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<32xf32>, vector<32xf32>
  // expected-error @below {{expected a transfer of elements along the last dimension of a buffer, within its bounds}}
  vector.transfer_write %v, %out[%c0, %c0] {in_bounds = [true], permutation_map = affine_map<(i, j) -> (i)>} : vector<32xf32>, memref<32x4xf32>
  return
}

// -----

func.func @three_lanes(%x: memref<3xf32>, %out: memref<1xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<3xf32>, vector<3xf32>
  // expected-error @below {{expected a power of two of lanes, got 3}}
  %s = vector.reduction <add>, %v : vector<3xf32> into f32
  memref.store %s, %out[%c0] : memref<1xf32>
  return
}

// -----

func.func @other_operation(%x: memref<32xf32>, %out: memref<32xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %m = vector.constant_mask [5] : vector<32xi1>
  %v = vector.load %x[%c0] : memref<32xf32>, vector<32xf32>
  // expected-error @below {{expected an operation that works on the lanes of a warp, got vector.compressstore}}
  vector.compressstore %out[%c0], %m, %v : memref<32xf32>, vector<32xi1>, vector<32xf32>
  return
}

// -----

func.func @other_region(%x: memref<32xf32>, %out: memref<32xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = vector.load %x[%c0] : memref<32xf32>, vector<32xf32>
  // expected-error @below {{expected only loops and branches of scf around other operations in a kernel, got scf.parallel}}
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    vector.store %v, %out[%c0] : memref<32xf32>, vector<32xf32>
  }
  return
}

// -----

func.func @unknown_lane(%n: memref<1xindex>, %x: memref<32xf32>, %out: memref<32xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %i = memref.load %n[%c0] : memref<1xindex>
  %f = memref.load %x[%c0] : memref<32xf32>
  %v = vector.load %x[%c0] : memref<32xf32>, vector<32xf32>
  // expected-error @below {{expected to insert one lane of a known number}}
  %w = vector.insert %f, %v[%i] : f32 into vector<32xf32>
  vector.store %w, %out[%c0] : memref<32xf32>, vector<32xf32>
  return
}

// -----

func.func @wide_reduction(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<64xf32>, vector<64xf32>
  // expected-error @below {{expected an operation on vectors of at most 32 lanes, got vector.reduction}}
  %s = vector.reduction <add>, %v : vector<64xf32> into f32
  memref.store %s, %out[%c0] : memref<64xf32>
  return
}

// -----

func.func @wide_table(%out: memref<64xi1>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected the same number in all of more than 32 lanes}}
  %v = arith.constant dense<"0x01000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : vector<64xi8>
  %w = arith.trunci %v : vector<64xi8> to vector<64xi1>
  vector.store %w, %out[%c0] : memref<64xi1>, vector<64xi1>
  return
}

// -----

func.func @wide_broadcast(%x: memref<1xf32>, %out: memref<64xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<1xf32>, vector<1xf32>
  // expected-error @below {{expected a scalar for more than 32 lanes}}
  %w = vector.broadcast %v : vector<1xf32> to vector<64xf32>
  vector.store %w, %out[%c0] : memref<64xf32>, vector<64xf32>
  return
}

// -----

func.func @wide_out_of_bounds(%x: memref<64xf32>, %out: memref<96xf32>) attributes {hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<64xf32>, vector<64xf32>
  // expected-error @below {{expected a transfer of elements along the last dimension of a buffer, within its bounds}}
  vector.transfer_write %v, %out[%c0] {in_bounds = [false]} : vector<64xf32>, memref<96xf32>
  return
}
