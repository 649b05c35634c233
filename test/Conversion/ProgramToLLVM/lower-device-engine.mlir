// RUN: hamkaas-opt %s -hamkaas-lower-device-program | FileCheck %s

// The runtime is asked to add the call of an engine, by its number among those
// of all engines.

// CHECK-LABEL: llvm.func @hamkaas_device_run(
// CHECK-SAME:    %[[EXECUTION:[^:]*]]: !llvm.ptr
// CHECK:         %[[OFFSET:.*]] = llvm.mlir.constant(120 : i64)
// CHECK:         %[[PLACE:.*]] = llvm.getelementptr %[[EXECUTION]][%[[OFFSET]]]
// CHECK:         %[[ENGINE:.*]] = llvm.load %[[PLACE]]
// CHECK:         %[[NUMBER:.*]] = llvm.mlir.constant(1 : i32)
// CHECK:         %[[CALL:.*]] = llvm.mlir.constant(0 : i64)
// CHECK:         llvm.call %[[ENGINE]](%[[EXECUTION]], %[[NUMBER]], %{{.*}}, %[[CALL]]) : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr, i64) -> i32
// CHECK-NOT:     hamkaas.engine_call
func.func @main(%x: memref<64xi8> {hamkaas.region = #hamkaas.region<input>}, %y: memref<64xi8> {hamkaas.region = #hamkaas.region<output>}, %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>}, %state: memref<0xi8> {hamkaas.region = #hamkaas.region<state>}, %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>}) {
  %c0 = arith.constant 0 : index
  %0 = memref.view %x[%c0][] : memref<64xi8> to memref<4x4xf32>
  %1 = memref.view %y[%c0][] : memref<64xi8> to memref<4x4xf32>
  call @k1(%0, %1) {hamkaas.call_index = 0 : i64} : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  return
}
func.func private @k0(%x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>, hamkaas.tiles = 1 : i64} {
  hamkaas.engine_call <id = "other", version = "1", library = "/lib/other.so", group = "hamkaas-group 1", knobs = "", workspace = 0, packed = 0, packs = false> ins(%x) outs(%y) : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  return
}
func.func private @k1(%x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>, hamkaas.tiles = 1 : i64} {
  hamkaas.engine_call <id = "engine", version = "1", library = "/lib/engine.so", group = "hamkaas-group 1", knobs = "", workspace = 0, packed = 0, packs = false> ins(%x) outs(%y) : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  return
}
