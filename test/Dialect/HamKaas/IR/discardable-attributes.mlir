// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// The dialect's attributes on operations of other dialects are printed and read
// back where they may stand.

// CHECK: ml_program.global private @w(#{{.*}}) : tensor<4xi8> {hamkaas.name = "weights", hamkaas.type = tensor<4xi1>}
ml_program.global private @w(#ml_program.extern) : tensor<4xi8> {hamkaas.name = "weights", hamkaas.type = tensor<4xi1>}

// CHECK: func private @k0(memref<4xf32> {hamkaas.inplace}, memref<4xf32>) attributes {hamkaas.block_warps = 8 : i64, hamkaas.device_kernel = #hamkaas.device_kernel<2>, hamkaas.kernel = #hamkaas.kernel<row>, hamkaas.tile_runner = #hamkaas.tile_runner<warp>, hamkaas.tiles = 3 : i64}
func.func private @k0(memref<4xf32> {hamkaas.inplace}, memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<row>, hamkaas.tiles = 3, hamkaas.tile_runner = #hamkaas.tile_runner<warp>, hamkaas.block_warps = 8, hamkaas.device_kernel = #hamkaas.device_kernel<2>}

// CHECK: #hamkaas.device_kernel<2, checks = 1, checked = [0, 3]>
func.func private @k1() attributes {hamkaas.device_kernel = #hamkaas.device_kernel<2, checks = 1, checked = [0, 3]>}

// CHECK: #hamkaas.device_kernel<2, checks = 1>
func.func private @k2() attributes {hamkaas.device_kernel = #hamkaas.device_kernel<2, checks = 1>}

// CHECK: func private @k4(memref<4xf32>, memref<4xf32>, memref<4xf32>) attributes {hamkaas.fused_calls = array<i64: 1, 2>}
func.func private @k4(memref<4xf32>, memref<4xf32>, memref<4xf32>) attributes {hamkaas.fused_calls = array<i64: 1, 2>}

// CHECK: llvm.func @expf(f32) -> f32 attributes {hamkaas.library}
llvm.func @expf(f32) -> f32 attributes {hamkaas.library}

// CHECK:      func private @loop0(%{{.*}}: memref<16xi8> {hamkaas.name = "row0", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<4xf32>}
// CHECK-SAME: hamkaas.region = #hamkaas.region<workspace>
// CHECK-SAME: hamkaas.buffers = []
// CHECK-SAME: hamkaas.loop
func.func private @loop0(%x: memref<16xi8> {hamkaas.name = "row0", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<4xf32>},
                         %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.loop, hamkaas.buffers = [], hamkaas.workspace_lower_bound = 0} {
  return
}

// CHECK:      func @prepare(%{{.*}}: tensor<4xf32> {hamkaas.name = "w", hamkaas.region = #hamkaas.region<parameter>})
func.func @prepare(%w: tensor<4xf32> {hamkaas.name = "w", hamkaas.region = #hamkaas.region<parameter>}) {
  return
}

// CHECK:      func @main(%{{.*}}: memref<4xf32> {hamkaas.index = 0 : i64, hamkaas.region = #hamkaas.region<constants>}
// CHECK-SAME: -> (tensor<4xf32> {hamkaas.name = "h", hamkaas.region = #hamkaas.region<state>})
// CHECK-SAME: hamkaas.buffers = [#hamkaas.buffer<offset = 256, bytes = 16, first = 0, last = 1>]
// CHECK-SAME: hamkaas.states = [#hamkaas.state<"h", offset = 0, type = tensor<4xf32>>]
func.func @main(%x: memref<4xf32> {hamkaas.region = #hamkaas.region<constants>, hamkaas.index = 0},
                %h: tensor<4xf32> {hamkaas.name = "h", hamkaas.region = #hamkaas.region<state>})
    -> (tensor<4xf32> {hamkaas.name = "h", hamkaas.region = #hamkaas.region<state>})
    attributes {hamkaas.states = [#hamkaas.state<"h", offset = 0, type = tensor<4xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 256, bytes = 16, first = 0, last = 1>],
                hamkaas.workspace_lower_bound = 16} {
  // CHECK: call @k0({{.*}}) {hamkaas.call_index = 0 : i64, hamkaas.copy, hamkaas.flops = 4 : i64, hamkaas.ops = "add+relu"}
  call @k0(%x, %x) {hamkaas.call_index = 0, hamkaas.copy, hamkaas.flops = 4, hamkaas.ops = "add+relu"} : (memref<4xf32>, memref<4xf32>) -> ()
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c1 step %c1 {
    // CHECK: memref.store {{.*}} {hamkaas.lane_store}
    memref.store %v, %x[%i] {hamkaas.lane_store} : memref<4xf32>
    // CHECK: {hamkaas.stream_loop, hamkaas.tile_loop}
  } {hamkaas.tile_loop, hamkaas.stream_loop}
  return %h : tensor<4xf32>
}

gpu.module @device {
  // CHECK: gpu.func @k0() kernel attributes {hamkaas.shared_bytes = 640 : i64}
  gpu.func @k0() kernel attributes {hamkaas.shared_bytes = 640} {
    gpu.return
  }
}

// CHECK: func private @k5() attributes {hamkaas.knobs = {"block-rows" = 8 : i64, depth = 64 : i64, grain = 256 : i64, packing = "never", rows = 4 : i64, vectors = 3 : i64, winograd = "6"}}
func.func private @k5() attributes {hamkaas.knobs = {rows = 4, vectors = 3, depth = 64, "block-rows" = 8, grain = 256, packing = "never", winograd = "6"}}

func.func @knobs(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: hamkaas.matmul {{.*}} {hamkaas.knobs = {rows = 1 : i64}}
  %0 = hamkaas.matmul %x, %x {hamkaas.knobs = {rows = 1}} : tensor<4x4xf32>, tensor<4x4xf32>
  // CHECK: hamkaas.group {{.*}} {hamkaas.knobs = {packing = "always", winograd = "off"}}
  %1 = hamkaas.group contraction(%0) {hamkaas.knobs = {packing = "always", winograd = "off"}} : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    hamkaas.yield %a : tensor<4x4xf32>
  }
  return %1 : tensor<4x4xf32>
}
