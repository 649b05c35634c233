// RUN: hamkaas-opt %s -split-input-file -hamkaas-lower-program | FileCheck %s

// A carried value that becomes a row of an output is that row in the next step.
// It is copied once, behind the loop.

// CHECK-LABEL: llvm.func internal @hamkaas_loop0(
// CHECK-NOT:     memcpy
// CHECK-LABEL: llvm.func @hamkaas_run(
// CHECK:       ^[[LOOP:.*]](%[[STEP:.*]]: i64):
// CHECK:         %[[FIRST:.*]] = llvm.icmp "eq" %[[STEP]], %{{.*}}
// CHECK:         %[[ONE:.*]] = llvm.mlir.constant(-1 : i64)
// CHECK:         %[[BEFORE:.*]] = llvm.add %[[STEP]], %[[ONE]]
// CHECK:         %[[BYTES:.*]] = llvm.mlir.constant(16 : i64)
// CHECK:         %[[OFFSET:.*]] = llvm.mul %[[BEFORE]], %[[BYTES]]
// CHECK:         %[[OUTPUT:.*]] = llvm.load %arg2
// CHECK:         %[[ROW:.*]] = llvm.getelementptr %[[OUTPUT]][%[[OFFSET]]]
// CHECK:         %[[CARRIED:.*]] = llvm.select %[[FIRST]], %{{.*}}, %[[ROW]]
// CHECK:         llvm.store %[[CARRIED]]
// CHECK:         llvm.call @hamkaas_loop0(
// CHECK:         llvm.mlir.constant(7 : i64)
// CHECK:         memcpy
func.func private @add(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>, hamkaas.tiles = 1 : i64} {
  return
}
func.func private @loop0(%row: memref<16xi8> {hamkaas.name = "row0", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<4xf32>},
                         %carried: memref<16xi8> {hamkaas.name = "carried0", hamkaas.region = #hamkaas.region<state>, hamkaas.type = tensor<4xf32>},
                         %output: memref<16xi8> {hamkaas.name = "output0", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<4xf32>},
                         %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.buffers = [], hamkaas.loop, hamkaas.workspace_lower_bound = 0 : i64} {
  %c0 = arith.constant 0 : index
  %x = memref.view %row[%c0][] : memref<16xi8> to memref<4xf32>
  %h = memref.view %carried[%c0][] : memref<16xi8> to memref<4xf32>
  %y = memref.view %output[%c0][] : memref<16xi8> to memref<4xf32>
  call @add(%x, %h, %y) {hamkaas.call_index = 0 : i64, hamkaas.flops = 4 : i64, hamkaas.ops = "add"} : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %y, %h : memref<4xf32> to memref<4xf32>
  return
}
func.func @main(%in: memref<128xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<8x4xf32>},
                %out: memref<128xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<8x4xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<0xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<16xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.states = [], hamkaas.workspace_lower_bound = 16 : i64, hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 16, first = 0, last = 0>]} {
  %c0 = arith.constant 0 : index
  %x = memref.view %in[%c0][] : memref<128xi8> to memref<8x4xf32>
  %y = memref.view %out[%c0][] : memref<128xi8> to memref<8x4xf32>
  %h = memref.view %workspace[%c0][] : memref<16xi8> to memref<4xf32>
  %none = memref.view %workspace[%c0][] : memref<16xi8> to memref<0xi8>
  hamkaas.repeat 8 of @loop0 rows(%x) values() carried(%h) outputs(%y) workspace(%none) : (memref<8x4xf32>, memref<4xf32>, memref<8x4xf32>, memref<0xi8>) -> ()
  return
}

// -----

// From the last row to the first, the step before has the row behind.

// CHECK-LABEL: llvm.func @hamkaas_run(
// CHECK:       ^{{.*}}(%[[STEP:.*]]: i64):
// CHECK:         %[[LAST:.*]] = llvm.mlir.constant(7 : i64)
// CHECK:         %[[NUMBER:.*]] = llvm.sub %[[LAST]], %[[STEP]]
// CHECK:         llvm.icmp "eq"
// CHECK:         %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
// CHECK:         llvm.add %[[NUMBER]], %[[ONE]]
// CHECK:         llvm.select
// CHECK:         llvm.call @hamkaas_loop0(
// CHECK:         llvm.mlir.constant(0 : i64)
// CHECK:         memcpy
func.func private @add(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>, hamkaas.tiles = 1 : i64} {
  return
}
func.func private @loop0(%row: memref<16xi8> {hamkaas.name = "row0", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<4xf32>},
                         %carried: memref<16xi8> {hamkaas.name = "carried0", hamkaas.region = #hamkaas.region<state>, hamkaas.type = tensor<4xf32>},
                         %output: memref<16xi8> {hamkaas.name = "output0", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<4xf32>},
                         %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.buffers = [], hamkaas.loop, hamkaas.workspace_lower_bound = 0 : i64} {
  %c0 = arith.constant 0 : index
  %x = memref.view %row[%c0][] : memref<16xi8> to memref<4xf32>
  %h = memref.view %carried[%c0][] : memref<16xi8> to memref<4xf32>
  %y = memref.view %output[%c0][] : memref<16xi8> to memref<4xf32>
  call @add(%x, %h, %y) {hamkaas.call_index = 0 : i64, hamkaas.flops = 4 : i64, hamkaas.ops = "add"} : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %y, %h : memref<4xf32> to memref<4xf32>
  return
}
func.func @main(%in: memref<128xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<8x4xf32>},
                %out: memref<128xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<8x4xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<0xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<16xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.states = [], hamkaas.workspace_lower_bound = 16 : i64, hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 16, first = 0, last = 0>]} {
  %c0 = arith.constant 0 : index
  %x = memref.view %in[%c0][] : memref<128xi8> to memref<8x4xf32>
  %y = memref.view %out[%c0][] : memref<128xi8> to memref<8x4xf32>
  %h = memref.view %workspace[%c0][] : memref<16xi8> to memref<4xf32>
  %none = memref.view %workspace[%c0][] : memref<16xi8> to memref<0xi8>
  hamkaas.repeat 8 reversed of @loop0 rows(%x) values() carried(%h) outputs(%y) workspace(%none) : (memref<8x4xf32>, memref<4xf32>, memref<8x4xf32>, memref<0xi8>) -> ()
  return
}

// -----

// A row that changes afterwards, and a value that is read afterwards, are copied.

// CHECK-LABEL: llvm.func internal @hamkaas_loop0(
// CHECK:         memcpy
// CHECK:         llvm.call @add(
// CHECK-LABEL: llvm.func @hamkaas_run(
// CHECK-NOT:     llvm.select
// CHECK-NOT:     memcpy
func.func private @add(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>, hamkaas.tiles = 1 : i64} {
  return
}
func.func private @loop0(%row: memref<16xi8> {hamkaas.name = "row0", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<4xf32>},
                         %carried: memref<16xi8> {hamkaas.name = "carried0", hamkaas.region = #hamkaas.region<state>, hamkaas.type = tensor<4xf32>},
                         %output: memref<16xi8> {hamkaas.name = "output0", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<4xf32>},
                         %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.buffers = [], hamkaas.loop, hamkaas.workspace_lower_bound = 0 : i64} {
  %c0 = arith.constant 0 : index
  %x = memref.view %row[%c0][] : memref<16xi8> to memref<4xf32>
  %h = memref.view %carried[%c0][] : memref<16xi8> to memref<4xf32>
  %y = memref.view %output[%c0][] : memref<16xi8> to memref<4xf32>
  call @add(%x, %h, %y) {hamkaas.call_index = 0 : i64, hamkaas.flops = 4 : i64, hamkaas.ops = "add"} : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %y, %h : memref<4xf32> to memref<4xf32>
  call @add(%x, %h, %y) {hamkaas.call_index = 1 : i64, hamkaas.flops = 4 : i64, hamkaas.ops = "add"} : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func @main(%in: memref<128xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<8x4xf32>},
                %out: memref<128xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<8x4xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<0xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<16xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.states = [], hamkaas.workspace_lower_bound = 16 : i64, hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 16, first = 0, last = 0>]} {
  %c0 = arith.constant 0 : index
  %x = memref.view %in[%c0][] : memref<128xi8> to memref<8x4xf32>
  %y = memref.view %out[%c0][] : memref<128xi8> to memref<8x4xf32>
  %h = memref.view %workspace[%c0][] : memref<16xi8> to memref<4xf32>
  %none = memref.view %workspace[%c0][] : memref<16xi8> to memref<0xi8>
  hamkaas.repeat 8 of @loop0 rows(%x) values() carried(%h) outputs(%y) workspace(%none) : (memref<8x4xf32>, memref<4xf32>, memref<8x4xf32>, memref<0xi8>) -> ()
  return
}
