// RUN: hamkaas-opt %s -hamkaas-cpu-fuse-columns -hamkaas-verify-planned -split-input-file | FileCheck %s

// A step's product and what multiplies the halves of its columns become one call.
// A tile computes 8 columns of both halves, then these columns of the result.

// CHECK-NOT:   @product(
// CHECK-LABEL: func.func private @product_gate(
// CHECK-SAME:    hamkaas.fused_calls = array<i64: 3, 2>
// CHECK-SAME:    hamkaas.kernel = #hamkaas.kernel<contraction, tile = [2, 8, 4]>
// CHECK-SAME:    hamkaas.tiles = 2
// CHECK:         scf.for %[[TILE:.*]] = %c0 to %c2 step %c1 {
// CHECK:           scf.for %[[PART:.*]] = %c0 to %c2 step %c1 {
// CHECK:             scf.for %[[WITHIN:.*]] = %c0 to %c1 step %c1 {
// CHECK:               %[[FIRST:.*]] = arith.muli %[[PART]], %c2
// CHECK:               %[[BLOCK:.*]] = arith.muli %[[TILE]], %c1
// CHECK:               vector.fma
// CHECK:               vector.store
// CHECK:           %[[LOWER:.*]] = arith.muli %[[TILE]], %c8
// CHECK:           %[[UPPER:.*]] = arith.addi %[[LOWER]], %c8
// CHECK:           scf.for %{{.*}} = %[[LOWER]] to %[[UPPER]] step %c8
// CHECK:             vector.transfer_write
// CHECK:         } {hamkaas.tile_loop}
// CHECK-LABEL: func.func private @loop0(
// CHECK-SAME:    hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 0>]
// CHECK-DAG:     %[[GATES:.*]] = memref.view %arg3
// CHECK-DAG:     %[[Y:.*]] = memref.view %arg2
// CHECK:         call @product_gate(%{{.*}}, %{{.*}}, %[[GATES]], %[[GATES]], %[[Y]]) {hamkaas.call_index = 0 : i64, hamkaas.flops = 544 : i64, hamkaas.ops = "matmul | mul"}
// CHECK-NEXT:    return
func.func private @product(%h: memref<2x4xf32>, %w: memref<4x4x8xf32>, %out: memref<2x32xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction, tile = [2, 8, 4]>, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  scf.for %tile = %c0 to %c4 step %c1 {
    %column = arith.muli %tile, %c8 : index
    scf.for %row = %c0 to %c2 step %c1 {
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%before = %zero) -> vector<8xf32> {
        %left = memref.load %h[%row, %k] : memref<2x4xf32>
        %lanes = vector.broadcast %left : f32 to vector<8xf32>
        %right = vector.load %w[%tile, %k, %c0] : memref<4x4x8xf32>, vector<8xf32>
        %next = vector.fma %lanes, %right, %before : vector<8xf32>
        scf.yield %next : vector<8xf32>
      }
      vector.store %sum, %out[%row, %column] : memref<2x32xf32>, vector<8xf32>
    }
  } {hamkaas.tile_loop}
  return
}
func.func private @gate(%gates: memref<2x32xf32>, %out: memref<2x16xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [2, 16]>, hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %distance = arith.constant 16 : index
  scf.for %row = %c0 to %c2 step %c1 {
    scf.for %column = %c0 to %c16 step %c8 {
      %other = arith.addi %column, %distance : index
      %a = vector.transfer_read %gates[%row, %column], %zero {in_bounds = [true]} : memref<2x32xf32>, vector<8xf32>
      %b = vector.transfer_read %gates[%row, %other], %zero {in_bounds = [true]} : memref<2x32xf32>, vector<8xf32>
      %c = arith.mulf %a, %b : vector<8xf32>
      vector.transfer_write %c, %out[%row, %column] {in_bounds = [true]} : vector<8xf32>, memref<2x16xf32>
    }
  }
  return
}
func.func private @loop0(%row: memref<32xi8> {hamkaas.name = "row0", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<2x4xf32>},
                         %weights: memref<512xi8> {hamkaas.name = "value0", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<4x4x8xf32>},
                         %out: memref<128xi8> {hamkaas.name = "output0", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<2x16xf32>},
                         %workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 1>], hamkaas.loop, hamkaas.workspace_lower_bound = 256 : i64} {
  %c0 = arith.constant 0 : index
  %h = memref.view %row[%c0][] : memref<32xi8> to memref<2x4xf32>
  %w = memref.view %weights[%c0][] : memref<512xi8> to memref<4x4x8xf32>
  %gates = memref.view %workspace[%c0][] : memref<256xi8> to memref<2x32xf32>
  %y = memref.view %out[%c0][] : memref<128xi8> to memref<2x16xf32>
  call @product(%h, %w, %gates) {hamkaas.call_index = 0 : i64, hamkaas.flops = 512 : i64, hamkaas.ops = "matmul"} : (memref<2x4xf32>, memref<4x4x8xf32>, memref<2x32xf32>) -> ()
  call @gate(%gates, %y) {hamkaas.call_index = 1 : i64, hamkaas.flops = 32 : i64, hamkaas.ops = "mul"} : (memref<2x32xf32>, memref<2x16xf32>) -> ()
  return
}
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<8x2x4xf32>},
                %v: memref<512xi8> {hamkaas.name = "w", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<4x4x8xf32>},
                %y: memref<1024xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<8x2x16xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<0xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.states = [], hamkaas.workspace_lower_bound = 256 : i64, hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 0>]} {
  %c0 = arith.constant 0 : index
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<8x2x4xf32>
  %of_v = memref.view %v[%c0][] : memref<512xi8> to memref<4x4x8xf32>
  %of_y = memref.view %y[%c0][] : memref<1024xi8> to memref<8x2x16xf32>
  %scratch = memref.view %workspace[%c0][] : memref<256xi8> to memref<256xi8>
  hamkaas.repeat 8 of @loop0 rows(%of_x) values(%of_v) carried() outputs(%of_y) workspace(%scratch) : (memref<8x2x4xf32>, memref<4x4x8xf32>, memref<8x2x16xf32>, memref<256xi8>) -> ()
  return
}

// -----

// Not if it reads columns that another tile computes.

// CHECK-LABEL: func.func private @loop0(
// CHECK:         call @product(
// CHECK:         call @gate(
func.func private @product(%h: memref<2x4xf32>, %w: memref<4x4x8xf32>, %out: memref<2x32xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction, tile = [2, 8, 4]>, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  scf.for %tile = %c0 to %c4 step %c1 {
    %column = arith.muli %tile, %c8 : index
    scf.for %row = %c0 to %c2 step %c1 {
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%before = %zero) -> vector<8xf32> {
        %left = memref.load %h[%row, %k] : memref<2x4xf32>
        %lanes = vector.broadcast %left : f32 to vector<8xf32>
        %right = vector.load %w[%tile, %k, %c0] : memref<4x4x8xf32>, vector<8xf32>
        %next = vector.fma %lanes, %right, %before : vector<8xf32>
        scf.yield %next : vector<8xf32>
      }
      vector.store %sum, %out[%row, %column] : memref<2x32xf32>, vector<8xf32>
    }
  } {hamkaas.tile_loop}
  return
}
func.func private @gate(%gates: memref<2x32xf32>, %out: memref<2x16xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [2, 16]>, hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %distance = arith.constant 12 : index
  scf.for %row = %c0 to %c2 step %c1 {
    scf.for %column = %c0 to %c16 step %c8 {
      %other = arith.addi %column, %distance : index
      %a = vector.transfer_read %gates[%row, %column], %zero {in_bounds = [true]} : memref<2x32xf32>, vector<8xf32>
      %b = vector.transfer_read %gates[%row, %other], %zero {in_bounds = [true]} : memref<2x32xf32>, vector<8xf32>
      %c = arith.mulf %a, %b : vector<8xf32>
      vector.transfer_write %c, %out[%row, %column] {in_bounds = [true]} : vector<8xf32>, memref<2x16xf32>
    }
  }
  return
}
func.func private @loop0(%row: memref<32xi8> {hamkaas.name = "row0", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<2x4xf32>},
                         %weights: memref<512xi8> {hamkaas.name = "value0", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<4x4x8xf32>},
                         %out: memref<128xi8> {hamkaas.name = "output0", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<2x16xf32>},
                         %workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 1>], hamkaas.loop, hamkaas.workspace_lower_bound = 256 : i64} {
  %c0 = arith.constant 0 : index
  %h = memref.view %row[%c0][] : memref<32xi8> to memref<2x4xf32>
  %w = memref.view %weights[%c0][] : memref<512xi8> to memref<4x4x8xf32>
  %gates = memref.view %workspace[%c0][] : memref<256xi8> to memref<2x32xf32>
  %y = memref.view %out[%c0][] : memref<128xi8> to memref<2x16xf32>
  call @product(%h, %w, %gates) {hamkaas.call_index = 0 : i64, hamkaas.flops = 512 : i64, hamkaas.ops = "matmul"} : (memref<2x4xf32>, memref<4x4x8xf32>, memref<2x32xf32>) -> ()
  call @gate(%gates, %y) {hamkaas.call_index = 1 : i64, hamkaas.flops = 32 : i64, hamkaas.ops = "mul"} : (memref<2x32xf32>, memref<2x16xf32>) -> ()
  return
}
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<8x2x4xf32>},
                %v: memref<512xi8> {hamkaas.name = "w", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<4x4x8xf32>},
                %y: memref<1024xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<8x2x16xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<0xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.states = [], hamkaas.workspace_lower_bound = 256 : i64, hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 0>]} {
  %c0 = arith.constant 0 : index
  %of_x = memref.view %x[%c0][] : memref<256xi8> to memref<8x2x4xf32>
  %of_v = memref.view %v[%c0][] : memref<512xi8> to memref<4x4x8xf32>
  %of_y = memref.view %y[%c0][] : memref<1024xi8> to memref<8x2x16xf32>
  %scratch = memref.view %workspace[%c0][] : memref<256xi8> to memref<256xi8>
  hamkaas.repeat 8 of @loop0 rows(%of_x) values(%of_v) carried() outputs(%of_y) workspace(%scratch) : (memref<8x2x4xf32>, memref<4x4x8xf32>, memref<8x2x16xf32>, memref<256xi8>) -> ()
  return
}

// -----

// Not if the result lies where the product reads its rows.

// CHECK-LABEL: func.func private @loop0(
// CHECK:         call @product(
// CHECK:         call @gate(
func.func private @product(%h: memref<2x4xf32>, %w: memref<4x4x8xf32>, %out: memref<2x32xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction, tile = [2, 8, 4]>, hamkaas.tiles = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  scf.for %tile = %c0 to %c4 step %c1 {
    %column = arith.muli %tile, %c8 : index
    scf.for %row = %c0 to %c2 step %c1 {
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%before = %zero) -> vector<8xf32> {
        %left = memref.load %h[%row, %k] : memref<2x4xf32>
        %lanes = vector.broadcast %left : f32 to vector<8xf32>
        %right = vector.load %w[%tile, %k, %c0] : memref<4x4x8xf32>, vector<8xf32>
        %next = vector.fma %lanes, %right, %before : vector<8xf32>
        scf.yield %next : vector<8xf32>
      }
      vector.store %sum, %out[%row, %column] : memref<2x32xf32>, vector<8xf32>
    }
  } {hamkaas.tile_loop}
  return
}
func.func private @gate(%gates: memref<2x32xf32>, %out: memref<2x16xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise, tile = [2, 16]>, hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %distance = arith.constant 16 : index
  scf.for %row = %c0 to %c2 step %c1 {
    scf.for %column = %c0 to %c16 step %c8 {
      %other = arith.addi %column, %distance : index
      %a = vector.transfer_read %gates[%row, %column], %zero {in_bounds = [true]} : memref<2x32xf32>, vector<8xf32>
      %b = vector.transfer_read %gates[%row, %other], %zero {in_bounds = [true]} : memref<2x32xf32>, vector<8xf32>
      %c = arith.mulf %a, %b : vector<8xf32>
      vector.transfer_write %c, %out[%row, %column] {in_bounds = [true]} : vector<8xf32>, memref<2x16xf32>
    }
  }
  return
}
func.func private @loop0(%row: memref<32xi8> {hamkaas.name = "row0", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<2x4xf32>},
                         %weights: memref<512xi8> {hamkaas.name = "value0", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<4x4x8xf32>},
                         %out: memref<128xi8> {hamkaas.name = "output0", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<2x16xf32>},
                         %workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 1>], hamkaas.loop, hamkaas.workspace_lower_bound = 256 : i64} {
  %c0 = arith.constant 0 : index
  %h = memref.view %row[%c0][] : memref<32xi8> to memref<2x4xf32>
  %w = memref.view %weights[%c0][] : memref<512xi8> to memref<4x4x8xf32>
  %gates = memref.view %workspace[%c0][] : memref<256xi8> to memref<2x32xf32>
  %y = memref.view %out[%c0][] : memref<128xi8> to memref<2x16xf32>
  call @product(%h, %w, %gates) {hamkaas.call_index = 0 : i64, hamkaas.flops = 512 : i64, hamkaas.ops = "matmul"} : (memref<2x4xf32>, memref<4x4x8xf32>, memref<2x32xf32>) -> ()
  call @gate(%gates, %y) {hamkaas.call_index = 1 : i64, hamkaas.flops = 32 : i64, hamkaas.ops = "mul"} : (memref<2x32xf32>, memref<2x16xf32>) -> ()
  return
}
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<8x2x4xf32>},
                %v: memref<512xi8> {hamkaas.name = "w", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<4x4x8xf32>},
                %y: memref<1024xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<8x2x16xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<0xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.states = [], hamkaas.workspace_lower_bound = 256 : i64, hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 0>]} {
  %c0 = arith.constant 0 : index
  %of_x = memref.view %y[%c0][] : memref<1024xi8> to memref<8x2x4xf32>
  %of_v = memref.view %v[%c0][] : memref<512xi8> to memref<4x4x8xf32>
  %of_y = memref.view %y[%c0][] : memref<1024xi8> to memref<8x2x16xf32>
  %scratch = memref.view %workspace[%c0][] : memref<256xi8> to memref<256xi8>
  hamkaas.repeat 8 of @loop0 rows(%of_x) values(%of_v) carried() outputs(%of_y) workspace(%scratch) : (memref<8x2x4xf32>, memref<4x4x8xf32>, memref<8x2x16xf32>, memref<256xi8>) -> ()
  return
}
