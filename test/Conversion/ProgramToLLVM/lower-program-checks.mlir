// RUN: hamkaas-opt %s -hamkaas-lower-program | FileCheck %s

// A check of state is not run first behind a kernel of several calls, one of
// which writes the state.

// CHECK-LABEL: llvm.func @hamkaas_run(
// CHECK-NOT:     llvm.call @k1
// CHECK:         llvm.call @pair(
// CHECK:         llvm.call @k1(

func.func private @pair(%a: memref<1xi64>, %s: memref<1xi64>, %b: memref<1xi64>, %out: memref<1xi64>)
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>, hamkaas.tiles = 1 : i64,
                hamkaas.fused_calls = array<i64: 2, 2>} {
  return
}
func.func private @k1(%p: memref<1xi64>, %x: memref<1xi64>)
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>, hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = memref.load %p[%c0] : memref<1xi64>
  %z = arith.constant 0 : i64
  %ok = arith.cmpi eq, %v, %z : i64
  hamkaas.check %ok, "expected 0, got {0}"(%v) : i64
  return
}
func.func @main(%x: memref<8xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<1xi64>},
                %y: memref<8xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<1xi64>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<8xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<8xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 8 : i64,
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 8, first = 0, last = 1>]} {
  %c0 = arith.constant 0 : index
  %0 = memref.view %x[%c0][] : memref<8xi8> to memref<1xi64>
  %1 = memref.view %state[%c0][] : memref<8xi8> to memref<1xi64>
  %2 = memref.view %workspace[%c0][] : memref<8xi8> to memref<1xi64>
  call @pair(%0, %1, %0, %2) {hamkaas.call_index = 0 : i64, hamkaas.flops = 2 : i64}
      : (memref<1xi64>, memref<1xi64>, memref<1xi64>, memref<1xi64>) -> ()
  %3 = memref.view %y[%c0][] : memref<8xi8> to memref<1xi64>
  call @k1(%1, %3) {hamkaas.call_index = 1 : i64} : (memref<1xi64>, memref<1xi64>) -> ()
  return
}
