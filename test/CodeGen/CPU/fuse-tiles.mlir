// RUN: hamkaas-opt %s -hamkaas-cpu-fuse-tiles -hamkaas-verify-planned -split-input-file | FileCheck %s

// The update of a moment and that of the parameter that reads it become one call,
// with all that a report says of them. Their loops become one. Kernels that
// nothing calls any more are erased.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 1>]
// CHECK-DAG:     %[[M:.*]] = memref.view %{{.*}}[%c0][] : memref<512xi8>
// CHECK-DAG:     %[[W:.*]] = memref.view %{{.*}}[%c256][] : memref<512xi8>
// CHECK-DAG:     %[[G:.*]] = memref.view %{{.*}}[%c0][] : memref<1024xi8>
// CHECK:         call @copy({{.*}}hamkaas.call_index = 0
// CHECK-NEXT:    call @add_sub(%[[M]], %[[G]], %[[M]], %[[W]], %[[M]], %[[W]]) {hamkaas.call_index = 1 : i64, hamkaas.flops = 192 : i64, hamkaas.ops = "add | sub"}
// CHECK-NEXT:    call @sub({{.*}}hamkaas.call_index = 2
// CHECK-NOT:     func.func private @add(
// CHECK:       func.func private @add_sub(
// CHECK-SAME:    hamkaas.fused_calls = array<i64: 3, 3>
// CHECK-SAME:    hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [16]>
// CHECK-SAME:    hamkaas.knobs = {grain = 16 : i64}
// CHECK-SAME:    hamkaas.tiles = 4
// CHECK:         scf.for %[[TILE:.*]] = %c0 to %c4
// CHECK:           scf.for %[[I:.*]] = %c0 to %c16
// CHECK:             addf
// CHECK-NEXT:        vector.store %{{.*}}, %arg2
// CHECK:             %[[NEW:.*]] = vector.load %arg4
// CHECK-NEXT:        subf %{{.*}}, %[[NEW]]
// CHECK-NEXT:        vector.store %{{.*}}, %arg5
// CHECK-NOT:     scf.for
// CHECK:         } {hamkaas.tile_loop}
// CHECK:       func.func private @sub(
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<512xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"m", offset = 0, type = tensor<64xf32>>,
                                  #hamkaas.state<"w", offset = 256, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 1>]} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %of_y = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  %m = memref.view %state[%c0][] : memref<512xi8> to memref<64xf32>
  %w = memref.view %state[%c256][] : memref<512xi8> to memref<64xf32>
  %g = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %h = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %part = memref.view %workspace[%c128][] : memref<1024xi8> to memref<64xf32>
  call @copy(%of_x, %g) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "copy"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @add(%m, %g, %m) {hamkaas.call_index = 1 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "add"} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  call @sub(%w, %m, %w) {hamkaas.call_index = 2 : i64, hamkaas.flops = 128 : i64, hamkaas.ops = "sub"} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  call @sub(%of_x, %of_x, %of_y) {hamkaas.call_index = 3 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "sub"} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @copy(%a0: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [16]>, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %tiles = arith.constant 4 : index
  scf.for %tile = %c0 to %tiles step %c1 {
    %first = arith.muli %tile, %c16 : index
    scf.for %i = %c0 to %c16 step %c8 {
      %at = arith.addi %first, %i : index
      %v0 = vector.load %a0[%at] : memref<64xf32>, vector<8xf32>
      vector.store %v0, %out[%at] : memref<64xf32>, vector<8xf32>
    }
  } {hamkaas.tile_loop}
  return
}
func.func private @add(%a0: memref<64xf32> {hamkaas.inplace}, %a1: memref<64xf32> {hamkaas.inplace}, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [16]>, hamkaas.knobs = {grain = 16 : i64}, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %tiles = arith.constant 4 : index
  scf.for %tile = %c0 to %tiles step %c1 {
    %first = arith.muli %tile, %c16 : index
    scf.for %i = %c0 to %c16 step %c8 {
      %at = arith.addi %first, %i : index
      %v0 = vector.load %a0[%at] : memref<64xf32>, vector<8xf32>
      %v1 = vector.load %a1[%at] : memref<64xf32>, vector<8xf32>
      %r = arith.addf %v0, %v1 : vector<8xf32>
      vector.store %r, %out[%at] : memref<64xf32>, vector<8xf32>
    }
  } {hamkaas.tile_loop}
  return
}
func.func private @sub(%a0: memref<64xf32> {hamkaas.inplace}, %a1: memref<64xf32> {hamkaas.inplace}, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [16]>, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %tiles = arith.constant 4 : index
  scf.for %tile = %c0 to %tiles step %c1 {
    %first = arith.muli %tile, %c16 : index
    scf.for %i = %c0 to %c16 step %c8 {
      %at = arith.addi %first, %i : index
      %v0 = vector.load %a0[%at] : memref<64xf32>, vector<8xf32>
      %v1 = vector.load %a1[%at] : memref<64xf32>, vector<8xf32>
      %r = arith.subf %v0, %v1 : vector<8xf32>
      vector.store %r, %out[%at] : memref<64xf32>, vector<8xf32>
    }
  } {hamkaas.tile_loop}
  return
}

// -----

// The second call reads elements of other tiles of the first one.

// CHECK-LABEL: func.func @main(
// CHECK:         call @add(
// CHECK:         call @shuffle(
// CHECK-NOT:   hamkaas.fused_calls
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<512xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"m", offset = 0, type = tensor<64xf32>>,
                                  #hamkaas.state<"w", offset = 256, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 1>]} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %of_y = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  %m = memref.view %state[%c0][] : memref<512xi8> to memref<64xf32>
  %w = memref.view %state[%c256][] : memref<512xi8> to memref<64xf32>
  %g = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %h = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %part = memref.view %workspace[%c128][] : memref<1024xi8> to memref<64xf32>
  call @add(%of_x, %of_x, %g) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "add"} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  call @shuffle(%g, %of_y) {hamkaas.call_index = 1 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "shuffle"} : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @add(%a0: memref<64xf32> {hamkaas.inplace}, %a1: memref<64xf32> {hamkaas.inplace}, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [16]>, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %tiles = arith.constant 4 : index
  scf.for %tile = %c0 to %tiles step %c1 {
    %first = arith.muli %tile, %c16 : index
    scf.for %i = %c0 to %c16 step %c8 {
      %at = arith.addi %first, %i : index
      %v0 = vector.load %a0[%at] : memref<64xf32>, vector<8xf32>
      %v1 = vector.load %a1[%at] : memref<64xf32>, vector<8xf32>
      %r = arith.addf %v0, %v1 : vector<8xf32>
      vector.store %r, %out[%at] : memref<64xf32>, vector<8xf32>
    }
  } {hamkaas.tile_loop}
  return
}
func.func private @shuffle(%a0: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [16]>, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %tiles = arith.constant 4 : index
  scf.for %tile = %c0 to %tiles step %c1 {
    %first = arith.muli %tile, %c16 : index
    scf.for %i = %c0 to %c16 step %c8 {
      %at = arith.addi %first, %i : index
      %v0 = vector.load %a0[%at] : memref<64xf32>, vector<8xf32>
      vector.store %v0, %out[%at] : memref<64xf32>, vector<8xf32>
    }
  } {hamkaas.tile_loop}
  return
}

// -----

// Half of what the second call reads was written by other tiles.

// CHECK-LABEL: func.func @main(
// CHECK:         call @add(
// CHECK-NEXT:    call @add(
// CHECK-NOT:   hamkaas.fused_calls
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<512xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"m", offset = 0, type = tensor<64xf32>>,
                                  #hamkaas.state<"w", offset = 256, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 512, first = 0, last = 1>]} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %of_y = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  %m = memref.view %state[%c0][] : memref<512xi8> to memref<64xf32>
  %w = memref.view %state[%c256][] : memref<512xi8> to memref<64xf32>
  %g = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %h = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %part = memref.view %workspace[%c128][] : memref<1024xi8> to memref<64xf32>
  call @add(%of_x, %of_x, %g) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "add"} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  call @add(%of_x, %part, %of_y) {hamkaas.call_index = 1 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "add"} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @add(%a0: memref<64xf32> {hamkaas.inplace}, %a1: memref<64xf32> {hamkaas.inplace}, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [16]>, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %tiles = arith.constant 4 : index
  scf.for %tile = %c0 to %tiles step %c1 {
    %first = arith.muli %tile, %c16 : index
    scf.for %i = %c0 to %c16 step %c8 {
      %at = arith.addi %first, %i : index
      %v0 = vector.load %a0[%at] : memref<64xf32>, vector<8xf32>
      %v1 = vector.load %a1[%at] : memref<64xf32>, vector<8xf32>
      %r = arith.addf %v0, %v1 : vector<8xf32>
      vector.store %r, %out[%at] : memref<64xf32>, vector<8xf32>
    }
  } {hamkaas.tile_loop}
  return
}

// -----

// The second call writes what other tiles of the first one read.

// CHECK-LABEL: func.func @main(
// CHECK:         call @add(
// CHECK-NEXT:    call @add(
// CHECK-NOT:   hamkaas.fused_calls
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<512xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"m", offset = 0, type = tensor<64xf32>>,
                                  #hamkaas.state<"w", offset = 256, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 512, first = 0, last = 1>]} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %of_y = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  %m = memref.view %state[%c0][] : memref<512xi8> to memref<64xf32>
  %w = memref.view %state[%c256][] : memref<512xi8> to memref<64xf32>
  %g = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %h = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %part = memref.view %workspace[%c128][] : memref<1024xi8> to memref<64xf32>
  call @add(%of_x, %part, %of_y) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "add"} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  call @add(%of_x, %of_y, %g) {hamkaas.call_index = 1 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "add"} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @add(%a0: memref<64xf32> {hamkaas.inplace}, %a1: memref<64xf32> {hamkaas.inplace}, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [16]>, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %tiles = arith.constant 4 : index
  scf.for %tile = %c0 to %tiles step %c1 {
    %first = arith.muli %tile, %c16 : index
    scf.for %i = %c0 to %c16 step %c8 {
      %at = arith.addi %first, %i : index
      %v0 = vector.load %a0[%at] : memref<64xf32>, vector<8xf32>
      %v1 = vector.load %a1[%at] : memref<64xf32>, vector<8xf32>
      %r = arith.addf %v0, %v1 : vector<8xf32>
      vector.store %r, %out[%at] : memref<64xf32>, vector<8xf32>
    }
  } {hamkaas.tile_loop}
  return
}

// -----

// Calls that share nothing gain nothing.

// CHECK-LABEL: func.func @main(
// CHECK:         call @add(
// CHECK-NEXT:    call @add(
// CHECK-NOT:   hamkaas.fused_calls
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<512xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"m", offset = 0, type = tensor<64xf32>>,
                                  #hamkaas.state<"w", offset = 256, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 0>]} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %of_y = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  %m = memref.view %state[%c0][] : memref<512xi8> to memref<64xf32>
  %w = memref.view %state[%c256][] : memref<512xi8> to memref<64xf32>
  %g = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %h = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %part = memref.view %workspace[%c128][] : memref<1024xi8> to memref<64xf32>
  call @add(%m, %m, %g) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "add"} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  call @add(%of_x, %of_x, %of_y) {hamkaas.call_index = 1 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "add"} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @add(%a0: memref<64xf32> {hamkaas.inplace}, %a1: memref<64xf32> {hamkaas.inplace}, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [16]>, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %tiles = arith.constant 4 : index
  scf.for %tile = %c0 to %tiles step %c1 {
    %first = arith.muli %tile, %c16 : index
    scf.for %i = %c0 to %c16 step %c8 {
      %at = arith.addi %first, %i : index
      %v0 = vector.load %a0[%at] : memref<64xf32>, vector<8xf32>
      %v1 = vector.load %a1[%at] : memref<64xf32>, vector<8xf32>
      %r = arith.addf %v0, %v1 : vector<8xf32>
      vector.store %r, %out[%at] : memref<64xf32>, vector<8xf32>
    }
  } {hamkaas.tile_loop}
  return
}

// -----

// Tiles of different sizes.

// CHECK-LABEL: func.func @main(
// CHECK:         call @add(
// CHECK:         call @large(
// CHECK-NOT:   hamkaas.fused_calls
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<512xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"m", offset = 0, type = tensor<64xf32>>,
                                  #hamkaas.state<"w", offset = 256, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 1>]} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %of_y = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  %m = memref.view %state[%c0][] : memref<512xi8> to memref<64xf32>
  %w = memref.view %state[%c256][] : memref<512xi8> to memref<64xf32>
  %g = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %h = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %part = memref.view %workspace[%c128][] : memref<1024xi8> to memref<64xf32>
  call @add(%of_x, %of_x, %g) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "add"} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  call @large(%g, %of_x, %of_y) {hamkaas.call_index = 1 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "large"} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @add(%a0: memref<64xf32> {hamkaas.inplace}, %a1: memref<64xf32> {hamkaas.inplace}, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [16]>, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %tiles = arith.constant 4 : index
  scf.for %tile = %c0 to %tiles step %c1 {
    %first = arith.muli %tile, %c16 : index
    scf.for %i = %c0 to %c16 step %c8 {
      %at = arith.addi %first, %i : index
      %v0 = vector.load %a0[%at] : memref<64xf32>, vector<8xf32>
      %v1 = vector.load %a1[%at] : memref<64xf32>, vector<8xf32>
      %r = arith.addf %v0, %v1 : vector<8xf32>
      vector.store %r, %out[%at] : memref<64xf32>, vector<8xf32>
    }
  } {hamkaas.tile_loop}
  return
}
func.func private @large(%a0: memref<64xf32> {hamkaas.inplace}, %a1: memref<64xf32> {hamkaas.inplace}, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [32]>, hamkaas.tiles = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %tiles = arith.constant 2 : index
  scf.for %tile = %c0 to %tiles step %c1 {
    %first = arith.muli %tile, %c32 : index
    scf.for %i = %c0 to %c32 step %c8 {
      %at = arith.addi %first, %i : index
      %v0 = vector.load %a0[%at] : memref<64xf32>, vector<8xf32>
      %v1 = vector.load %a1[%at] : memref<64xf32>, vector<8xf32>
      %r = arith.addf %v0, %v1 : vector<8xf32>
      vector.store %r, %out[%at] : memref<64xf32>, vector<8xf32>
    }
  } {hamkaas.tile_loop}
  return
}

// -----

// Buffers that would be in use at once, though no call uses the bytes that they
// share.

// CHECK-LABEL: func.func @main(
// CHECK:         call @add(
// CHECK-NEXT:    call @add(
// CHECK-NOT:   hamkaas.fused_calls
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<512xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"m", offset = 0, type = tensor<64xf32>>,
                                  #hamkaas.state<"w", offset = 256, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 896, first = 0, last = 0>,
                                   #hamkaas.buffer<offset = 640, bytes = 256, first = 1, last = 1>]} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %of_y = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  %m = memref.view %state[%c0][] : memref<512xi8> to memref<64xf32>
  %w = memref.view %state[%c256][] : memref<512xi8> to memref<64xf32>
  %g = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %h = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %c640 = arith.constant 640 : index
  %tail = memref.view %workspace[%c640][] : memref<1024xi8> to memref<64xf32>
  %part = memref.view %workspace[%c128][] : memref<1024xi8> to memref<64xf32>
  call @add(%part, %of_x, %of_y) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "add"} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  call @add(%of_y, %of_x, %tail) {hamkaas.call_index = 1 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "add"} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @add(%a0: memref<64xf32> {hamkaas.inplace}, %a1: memref<64xf32> {hamkaas.inplace}, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [16]>, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %tiles = arith.constant 4 : index
  scf.for %tile = %c0 to %tiles step %c1 {
    %first = arith.muli %tile, %c16 : index
    scf.for %i = %c0 to %c16 step %c8 {
      %at = arith.addi %first, %i : index
      %v0 = vector.load %a0[%at] : memref<64xf32>, vector<8xf32>
      %v1 = vector.load %a1[%at] : memref<64xf32>, vector<8xf32>
      %r = arith.addf %v0, %v1 : vector<8xf32>
      vector.store %r, %out[%at] : memref<64xf32>, vector<8xf32>
    }
  } {hamkaas.tile_loop}
  return
}

// -----

// Stores of what is read again in the same tile go through the caches. Loops that
// start where a line of memory does, which differs, stay apart.

// CHECK-LABEL: func.func @main(
// CHECK:         call @stream_add(
// CHECK:       func.func private @stream_add(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             vector.store
// CHECK-NEXT:      }
// CHECK:           scf.for
// CHECK:             vector.store
// CHECK-NEXT:      }
// CHECK-NEXT:    } {hamkaas.tile_loop}
// CHECK-NOT:     stream_loop
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<512xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"m", offset = 0, type = tensor<64xf32>>,
                                  #hamkaas.state<"w", offset = 256, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 1>]} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %of_y = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  %m = memref.view %state[%c0][] : memref<512xi8> to memref<64xf32>
  %w = memref.view %state[%c256][] : memref<512xi8> to memref<64xf32>
  %g = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %h = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %part = memref.view %workspace[%c128][] : memref<1024xi8> to memref<64xf32>
  call @stream(%of_x, %g) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "stream"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @add(%g, %of_x, %of_y) {hamkaas.call_index = 1 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "add"} : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @stream(%a0: memref<64xf32> {hamkaas.inplace}, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [16]>, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %tiles = arith.constant 4 : index
  %address = memref.extract_aligned_pointer_as_index %out : memref<64xf32> -> index
  scf.for %tile = %c0 to %tiles step %c1 {
    %first = arith.muli %tile, %c16 : index
    scf.for %i = %c0 to %c16 step %c8 {
      %at = arith.addi %first, %i : index
      %v0 = vector.load %a0[%at] : memref<64xf32>, vector<8xf32>
      vector.store %v0, %out[%at] : memref<64xf32>, vector<8xf32>
    } {hamkaas.stream_loop}
  } {hamkaas.tile_loop}
  return
}
func.func private @add(%a0: memref<64xf32> {hamkaas.inplace}, %a1: memref<64xf32> {hamkaas.inplace}, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [16]>, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %tiles = arith.constant 4 : index
  scf.for %tile = %c0 to %tiles step %c1 {
    %first = arith.muli %tile, %c16 : index
    scf.for %i = %c0 to %c16 step %c8 {
      %at = arith.addi %first, %i : index
      %v0 = vector.load %a0[%at] : memref<64xf32>, vector<8xf32>
      %v1 = vector.load %a1[%at] : memref<64xf32>, vector<8xf32>
      %r = arith.addf %v0, %v1 : vector<8xf32>
      vector.store %r, %out[%at] : memref<64xf32>, vector<8xf32>
    }
  } {hamkaas.tile_loop}
  return
}
