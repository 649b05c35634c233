// RUN: hamkaas-opt %s -hamkaas-gpu-outline-device-code -split-input-file -verify-diagnostics

// expected-error @below {{expected at most 101376 bytes of scratch memory for a warp, got 131072}}
func.func @scratch(%out: memref<1xf32>) attributes {hamkaas.tiles = 1 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  %c0 = arith.constant 0 : index
  %a = memref.alloca() : memref<32768xf32>
  %w = memref.load %a[%c0] : memref<32768xf32>
  memref.store %w, %out[%c0] : memref<1xf32>
  return
}

// -----

// expected-error @below {{expected at most 2147483647 blocks of threads, got 2147483648}}
func.func @tiles(%out: memref<1xf32>) attributes {hamkaas.tiles = 8589934592 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  return
}

// -----

// expected-error @below {{expected a kernel of one block}}
func.func @blocks(%out: memref<1xf32>) attributes {hamkaas.tiles = 1 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  cf.br ^end
^end:
  return
}

// -----

// expected-error @below {{expected 2 calls of kernels, got 1}}
func.func private @fused(%x: memref<1xf32>, %y: memref<1xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<row>, hamkaas.fused_calls = array<i64: 1, 1>} {
  call @one(%x) : (memref<1xf32>) -> ()
  return
}
func.func private @one(%x: memref<1xf32>) attributes {hamkaas.tiles = 1 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  return
}

// -----

func.func private @fused(%x: memref<1xf32>, %y: memref<1xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<row>, hamkaas.fused_calls = array<i64: 1, 1>} {
  call @one(%x) : (memref<1xf32>) -> ()
  // expected-error @below {{expected @none to be a kernel for a GPU}}
  call @none(%y) : (memref<1xf32>) -> ()
  return
}
func.func private @one(%x: memref<1xf32>) attributes {hamkaas.tiles = 1 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  return
}
func.func private @none(memref<1xf32>)

// -----

func.func private @fused(%x: memref<1xf32>, %y: memref<1xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<row>, hamkaas.fused_calls = array<i64: 1, 1>} {
  // expected-error @below {{expected the next 1 arguments of @fused as operands}}
  call @one(%y) : (memref<1xf32>) -> ()
  call @one(%x) : (memref<1xf32>) -> ()
  return
}
func.func private @one(%x: memref<1xf32>) attributes {hamkaas.tiles = 1 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  return
}

// -----

func.func private @fused(%x: memref<1xf32>, %y: memref<1xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<row>, hamkaas.fused_calls = array<i64: 1, 1>} {
  call @one(%x) : (memref<1xf32>) -> ()
  // expected-error @below {{expected the checks of @one alone}}
  call @two(%y) : (memref<1xf32>) -> ()
  return
}
func.func private @one(%x: memref<1xf32>) attributes {hamkaas.tiles = 1 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 1 : i64
  %v = memref.load %x[%c0] : memref<1xf32>
  %ok = arith.cmpf ogt, %v, %zero : f32
  hamkaas.check %ok, "expected a positive number"(%n) : i64
  return
}
func.func private @two(%x: memref<1xf32>) attributes {hamkaas.tiles = 1 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 1 : i64
  %v = memref.load %x[%c0] : memref<1xf32>
  %ok = arith.cmpf ogt, %v, %zero : f32
  hamkaas.check %ok, "expected a positive number"(%n) : i64
  return
}

// -----

func.func private @fused(%x: memref<1xf32>, %y: memref<1xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<row>, hamkaas.fused_calls = array<i64: 1, 1>} {
  call @one(%x) : (memref<1xf32>) -> ()
  call @two(%y) : (memref<1xf32>) -> ()
  return
}
func.func private @one(%x: memref<1xf32>) attributes {hamkaas.tiles = 1 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>, hamkaas.block_warps = 1 : i64} {
  return
}
// expected-error @below {{expected blocks of 32 threads as in the same launch, got 64}}
func.func private @two(%x: memref<1xf32>) attributes {hamkaas.tiles = 1 : i64, hamkaas.tile_runner = #hamkaas.tile_runner<warp>, hamkaas.block_warps = 2 : i64} {
  return
}
