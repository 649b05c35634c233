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
