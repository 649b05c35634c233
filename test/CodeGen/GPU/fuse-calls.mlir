// RUN: hamkaas-opt %s -hamkaas-gpu-fuse-calls -hamkaas-verify-planned -split-input-file | FileCheck %s

// Two calls that need nothing of each other become one, with all that a report
// says of them. Equal kernels share one that is fused: the order of the calls
// does not matter. Calls and buffers get new numbers.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 1>, #hamkaas.buffer<offset = 256, bytes = 256, first = 0, last = 1>]
// CHECK:         %[[W0:.*]] = memref.view %{{.*}}[%c0]
// CHECK:         %[[W256:.*]] = memref.view %{{.*}}[%c256]
// CHECK:         call @a_b(%{{.*}}, %[[W0]], %{{.*}}, %[[W256]]) {hamkaas.call_index = 0 : i64, hamkaas.flops = 192 : i64, hamkaas.ops = "a | b"}
// CHECK-NEXT:    call @a_b(%[[W256]], %{{.*}}, %[[W0]], %{{.*}}) {hamkaas.call_index = 1 : i64, hamkaas.flops = 448 : i64, hamkaas.ops = "a | b"}
// CHECK-NEXT:    return
// CHECK:       func.func private @a_b(%[[A0:.*]]: memref<64xf32>, %[[A1:.*]]: memref<64xf32>, %[[A2:.*]]: memref<64xf32>, %[[A3:.*]]: memref<64xf32>)
// CHECK-SAME:    hamkaas.fused_calls = array<i64: 2, 2>
// CHECK-SAME:    hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>
// CHECK-NEXT:    call @a(%[[A0]], %[[A1]])
// CHECK-NEXT:    call @b(%[[A2]], %[[A3]])
// CHECK-NEXT:    return
// CHECK-NOT:   hamkaas.fused_calls
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %z: memref<256xi8> {hamkaas.name = "z", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<256xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"s", offset = 0, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 2>,
                                   #hamkaas.buffer<offset = 256, bytes = 256, first = 1, last = 3>]} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %w0 = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %w256 = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %of_y = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  %of_z = memref.view %z[%c0][] : memref<256xi8> to memref<64xf32>
  call @a(%of_x, %w0) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "a"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @b(%of_x, %w256) {hamkaas.call_index = 1 : i64, hamkaas.flops = 128 : i64, hamkaas.ops = "b"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @b(%w0, %of_y) {hamkaas.call_index = 2 : i64, hamkaas.flops = 192 : i64, hamkaas.ops = "b"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @a(%w256, %of_z) {hamkaas.call_index = 3 : i64, hamkaas.flops = 256 : i64, hamkaas.ops = "a"} : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @a(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>, hamkaas.tiles = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}
func.func private @b(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>, hamkaas.tiles = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}

// -----

// Calls keep their order where one reads what another one writes, or writes what
// it reads, or where their buffers are at the same place.

// CHECK-LABEL: func.func @main(
// CHECK-COUNT-4: call @a(
// CHECK-NOT:   hamkaas.fused_calls
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %z: memref<256xi8> {hamkaas.name = "z", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<256xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"s", offset = 0, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 1>,
                                   #hamkaas.buffer<offset = 256, bytes = 256, first = 1, last = 2>,
                                   #hamkaas.buffer<offset = 0, bytes = 256, first = 2, last = 3>]} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %w0 = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %w256 = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %of_y = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  call @a(%of_x, %w0) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "a"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @a(%w0, %w256) {hamkaas.call_index = 1 : i64, hamkaas.flops = 128 : i64, hamkaas.ops = "a"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @a(%w256, %w0) {hamkaas.call_index = 2 : i64, hamkaas.flops = 192 : i64, hamkaas.ops = "a"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @a(%w0, %of_y) {hamkaas.call_index = 3 : i64, hamkaas.flops = 256 : i64, hamkaas.ops = "a"} : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @a(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>, hamkaas.tiles = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}

// -----

// A call waits for one that it can run with.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 1, last = 1>, #hamkaas.buffer<offset = 256, bytes = 256, first = 0, last = 1>]
// CHECK:         call @eight({{.*}}hamkaas.call_index = 0
// CHECK-NEXT:    call @four_four({{.*}}hamkaas.call_index = 1
// CHECK-NEXT:    return
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %z: memref<256xi8> {hamkaas.name = "z", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<256xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"s", offset = 0, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 0>,
                                   #hamkaas.buffer<offset = 256, bytes = 256, first = 1, last = 2>]} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %w0 = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %w256 = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %of_y = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  call @four(%of_x, %w0) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "four"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @eight(%of_x, %w256) {hamkaas.call_index = 1 : i64, hamkaas.flops = 128 : i64, hamkaas.ops = "eight"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @four(%w256, %of_y) {hamkaas.call_index = 2 : i64, hamkaas.flops = 192 : i64, hamkaas.ops = "four"} : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @four(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>, hamkaas.tiles = 64 : i64, hamkaas.block_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}
func.func private @eight(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>, hamkaas.tiles = 64 : i64, hamkaas.block_warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}

// -----

// Blocks of two sizes do not run together, nor do two kernels that fill a GPU.

// CHECK-LABEL: func.func @main(
// CHECK:         call @four_large(
// CHECK-NEXT:    call @eight_large(
// CHECK-NEXT:    return
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %z: memref<256xi8> {hamkaas.name = "z", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<256xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"s", offset = 0, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 0>,
                                   #hamkaas.buffer<offset = 256, bytes = 256, first = 1, last = 1>]} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %w0 = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %w256 = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %of_y = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  %of_z = memref.view %z[%c0][] : memref<256xi8> to memref<64xf32>
  call @four(%of_x, %w0) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "four"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @eight(%of_x, %w256) {hamkaas.call_index = 1 : i64, hamkaas.flops = 128 : i64, hamkaas.ops = "eight"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @large(%of_x, %of_y) {hamkaas.call_index = 2 : i64, hamkaas.flops = 192 : i64, hamkaas.ops = "large"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @large(%of_x, %of_z) {hamkaas.call_index = 3 : i64, hamkaas.flops = 256 : i64, hamkaas.ops = "large"} : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @four(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>, hamkaas.tiles = 64 : i64, hamkaas.block_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}
func.func private @eight(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>, hamkaas.tiles = 64 : i64, hamkaas.block_warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}
func.func private @large(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>, hamkaas.tiles = 1000000 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}

// -----

// Calls with checks keep their order, as the first failed check is the error of
// the run. One launch has the checks of one.

// CHECK-LABEL: func.func @main(
// CHECK:         call @checked(
// CHECK-NEXT:    call @checked_a(
// CHECK-NEXT:    return
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %z: memref<256xi8> {hamkaas.name = "z", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<256xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"s", offset = 0, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 0>,
                                   #hamkaas.buffer<offset = 256, bytes = 256, first = 1, last = 1>,
                                   #hamkaas.buffer<offset = 512, bytes = 256, first = 2, last = 2>]} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %w0 = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %w256 = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %w512 = memref.view %workspace[%c512][] : memref<1024xi8> to memref<64xf32>
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %of_z = memref.view %z[%c0][] : memref<256xi8> to memref<64xf32>
  call @checked(%of_x, %w0) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "checked"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @checked(%of_z, %w256) {hamkaas.call_index = 1 : i64, hamkaas.flops = 128 : i64, hamkaas.ops = "checked"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @a(%of_x, %w512) {hamkaas.call_index = 2 : i64, hamkaas.flops = 192 : i64, hamkaas.ops = "a"} : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @checked(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>, hamkaas.tiles = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %f = memref.load %x[%c0] : memref<64xf32>
  %zero = arith.constant 0.0 : f32
  %positive = arith.cmpf ogt, %f, %zero : f32
  %n = arith.constant 1 : i64
  hamkaas.check %positive, "expected a positive number"(%n) : i64
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}
func.func private @a(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>, hamkaas.tiles = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}

// -----

// Two calls that check the same run together.

// CHECK-LABEL: func.func @main(
// CHECK:         call @checked_checked(
// CHECK-NEXT:    return
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %z: memref<256xi8> {hamkaas.name = "z", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<256xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"s", offset = 0, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 0>,
                                   #hamkaas.buffer<offset = 256, bytes = 256, first = 1, last = 1>]} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %w0 = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %w256 = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  call @checked(%of_x, %w0) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "checked"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @checked(%of_x, %w256) {hamkaas.call_index = 1 : i64, hamkaas.flops = 128 : i64, hamkaas.ops = "checked"} : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @checked(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>, hamkaas.tiles = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %f = memref.load %x[%c0] : memref<64xf32>
  %zero = arith.constant 0.0 : f32
  %positive = arith.cmpf ogt, %f, %zero : f32
  %n = arith.constant 1 : i64
  hamkaas.check %positive, "expected a positive number"(%n) : i64
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}

// -----

// A copy joins a launch as a kernel. Alone, or large, it stays a copy.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[FROM:.*]] = memref.view {{.*}} to memref<64xf32>
// CHECK:         call @a_copy(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {hamkaas.call_index = 0 : i64, hamkaas.flops = 128 : i64, hamkaas.ops = "a | copy"}
// CHECK-NEXT:    memref.copy
// CHECK-NEXT:    return
// CHECK:       func.func private @copy(%[[X:.*]]: memref<64xf32>, %[[OUT:.*]]: memref<64xf32>)
// CHECK-SAME:    hamkaas.kernel = #hamkaas.kernel<movement, tile = [32]>, hamkaas.tiles = 2 : i64
// CHECK:         scf.for %[[I:.*]] = %c0{{.*}} to %c2{{.*}} step %c1
// CHECK:           %[[V:.*]] = vector.load %[[X]]
// CHECK:           vector.store %[[V]], %[[OUT]]
// CHECK:         } {hamkaas.tile_loop}
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %z: memref<256xi8> {hamkaas.name = "z", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<256xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"s", offset = 0, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 1, last = 2>]} {
  %c0 = arith.constant 0 : index
  %w0 = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %of_y = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  %of_z = memref.view %z[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %of_x, %of_y : memref<64xf32> to memref<64xf32>
  call @a(%of_x, %w0) {hamkaas.call_index = 1 : i64, hamkaas.flops = 128 : i64, hamkaas.ops = "a"} : (memref<64xf32>, memref<64xf32>) -> ()
  memref.copy %w0, %of_z : memref<64xf32> to memref<64xf32>
  return
}
func.func private @a(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>, hamkaas.tiles = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}

// -----

// A state is not written before a check that came first.

// CHECK-LABEL: func.func @main(
// CHECK:         call @eight(
// CHECK-NEXT:    call @checked(
// CHECK-NEXT:    call @eight(
// CHECK-NEXT:    return
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %z: memref<256xi8> {hamkaas.name = "z", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<256xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"s", offset = 0, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 1>,
                                   #hamkaas.buffer<offset = 256, bytes = 256, first = 1, last = 1>]} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %w0 = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %w256 = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %of_s = memref.view %state[%c0][] : memref<256xi8> to memref<64xf32>
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  call @eight(%of_x, %w0) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "eight"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @checked(%w0, %w256) {hamkaas.call_index = 1 : i64, hamkaas.flops = 128 : i64, hamkaas.ops = "checked"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @eight(%of_x, %of_s) {hamkaas.call_index = 2 : i64, hamkaas.flops = 192 : i64, hamkaas.ops = "eight"} : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @eight(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>, hamkaas.tiles = 64 : i64, hamkaas.block_warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}
func.func private @checked(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>, hamkaas.tiles = 64 : i64, hamkaas.block_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %f = memref.load %x[%c0] : memref<64xf32>
  %zero = arith.constant 0.0 : f32
  %positive = arith.cmpf ogt, %f, %zero : f32
  %n = arith.constant 1 : i64
  hamkaas.check %positive, "expected a positive number"(%n) : i64
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}

// -----

// Other results may be written before it.

// CHECK-LABEL: func.func @main(
// CHECK:         call @eight_eight(
// CHECK-NEXT:    call @checked(
// CHECK-NEXT:    return
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %z: memref<256xi8> {hamkaas.name = "z", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<256xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.states = [#hamkaas.state<"s", offset = 0, type = tensor<64xf32>>],
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 1>,
                                   #hamkaas.buffer<offset = 256, bytes = 256, first = 1, last = 1>,
                                   #hamkaas.buffer<offset = 512, bytes = 256, first = 2, last = 2>]} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %w0 = memref.view %workspace[%c0][] : memref<1024xi8> to memref<64xf32>
  %w256 = memref.view %workspace[%c256][] : memref<1024xi8> to memref<64xf32>
  %w512 = memref.view %workspace[%c512][] : memref<1024xi8> to memref<64xf32>
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  call @eight(%of_x, %w0) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64, hamkaas.ops = "eight"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @checked(%w0, %w256) {hamkaas.call_index = 1 : i64, hamkaas.flops = 128 : i64, hamkaas.ops = "checked"} : (memref<64xf32>, memref<64xf32>) -> ()
  call @eight(%of_x, %w512) {hamkaas.call_index = 2 : i64, hamkaas.flops = 192 : i64, hamkaas.ops = "eight"} : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @eight(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>, hamkaas.tiles = 64 : i64, hamkaas.block_warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}
func.func private @checked(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [64]>, hamkaas.tiles = 64 : i64, hamkaas.block_warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %f = memref.load %x[%c0] : memref<64xf32>
  %zero = arith.constant 0.0 : f32
  %positive = arith.cmpf ogt, %f, %zero : f32
  %n = arith.constant 1 : i64
  hamkaas.check %positive, "expected a positive number"(%n) : i64
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %out[%i] : memref<64xf32>
  } {hamkaas.tile_loop}
  return
}
