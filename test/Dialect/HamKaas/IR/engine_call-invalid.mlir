// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_buffer(%x: memref<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected tensors of static shape, got 'memref<4xf32>'}}
  %0 = hamkaas.engine_call <id = "a", version = "1", library = "/a.so", group = "g", knobs = "", workspace = 0, packed = 0, packs = false> ins(%x) outs(%y) : (memref<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @c1_shape(%x: memref<?xf32>, %y: memref<4xf32>) {
  // expected-error @below {{expected buffers of static shape, got 'memref<?xf32>'}}
  hamkaas.engine_call <id = "a", version = "1", library = "/a.so", group = "g", knobs = "", workspace = 0, packed = 0, packs = false> ins(%x) outs(%y) : (memref<?xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func @c2_count(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{expected 2 inits, got 1}}
  hamkaas.engine_call <id = "a", version = "1", library = "/a.so", group = "g", knobs = "", workspace = 8, packed = 0, packs = false> ins(%x) outs(%y) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func @c2_size(%x: memref<4xf32>, %s: memref<7xi8>, %y: memref<4xf32>) {
  // expected-error @below {{expected a workspace of 8 bytes, got 'memref<7xi8>'}}
  hamkaas.engine_call <id = "a", version = "1", library = "/a.so", group = "g", knobs = "", workspace = 8, packed = 0, packs = false> ins(%x) outs(%s, %y) : (memref<4xf32>, memref<7xi8>, memref<4xf32>) -> ()
  return
}

// -----

// expected-error @below {{expected packed to be at least 1, got 0}}
func.func private @packs() attributes {hamkaas.kernel = #hamkaas.engine<id = "a", version = "1", library = "/a.so", group = "g", knobs = "", workspace = 0, packed = 0, packs = true>}
