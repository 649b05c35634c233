// RUN: hamkaas-opt %s -hamkaas-lower-device-program -split-input-file | FileCheck %s

// Launches and copies in the order of the program. The checks of what is known
// when the run begins come first, those of other calls just before these.

// CHECK-LABEL: llvm.func @hamkaas_device_prepare(
// CHECK-SAME:    %[[EXECUTION:[^:]*]]: !llvm.ptr, %[[PARAMETERS:[^:]*]]: !llvm.ptr, %[[CONSTANTS:[^:]*]]: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// CHECK:         %[[W:.*]] = llvm.load %[[PARAMETERS]]
// CHECK:         %[[BYTES:.*]] = llvm.mlir.constant(256 : i64)
// CHECK:         %[[STATUS:.*]] = llvm.call %{{.*}}(%{{.*}}, %[[CONSTANTS]], %[[W]], %[[BYTES]]) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
// CHECK:         llvm.cond_br
// CHECK:         llvm.return %[[STATUS]]
// CHECK:         llvm.getelementptr %[[CONSTANTS]]
// The calls of the preparation have no number.
// CHECK:         %[[KERNEL:.*]] = llvm.mlir.constant(0 : i32) : i32
// CHECK:         %[[NONE:.*]] = llvm.mlir.constant(-1 : i64)
// CHECK:         llvm.call %{{.*}}(%{{.*}}, %[[KERNEL]], %{{.*}}, %[[NONE]])

// CHECK-LABEL: llvm.func @hamkaas_device_run(
// CHECK-SAME:    %[[EXECUTION:[^:]*]]: !llvm.ptr, %[[INPUTS:[^:]*]]: !llvm.ptr,
// CHECK:         %[[TABLE:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK:         %[[NAME:.*]] = llvm.mlir.addressof @name_one
// CHECK:         %[[FIND:.*]] = llvm.load
// CHECK:         %[[ONE:.*]] = llvm.call %[[FIND]](%{{.*}}, %[[NAME]]) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
// First the checks of the call number 1.
// CHECK:         llvm.store %[[ONE]], %[[TABLE]]
// CHECK:         %[[CHECKS:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK:         %[[CALL:.*]] = llvm.mlir.constant(1 : i64) : i64
// CHECK:         llvm.call %{{.*}}(%{{.*}}, %[[CHECKS]], %[[TABLE]], %[[CALL]])
// CHECK:         llvm.mlir.constant(8 : i64)
// CHECK:         %[[K0:.*]] = llvm.mlir.constant(0 : i32) : i32
// CHECK:         llvm.call %{{.*}}(%{{.*}}, %[[K0]], %[[TABLE]],
// CHECK:         %[[K1:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK:         %[[CALL:.*]] = llvm.mlir.constant(1 : i64) : i64
// CHECK:         llvm.call %{{.*}}(%{{.*}}, %[[K1]], %[[TABLE]], %[[CALL]])
// The results of a kernel are checked after that.
// CHECK:         %[[CHECKS:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK:         %[[CALL:.*]] = llvm.mlir.constant(2 : i64) : i64
// CHECK:         llvm.call %{{.*}}(%{{.*}}, %[[CHECKS]], %[[TABLE]], %[[CALL]])
// CHECK:         llvm.mlir.constant(2 : i32) : i32
// CHECK:         llvm.return
// CHECK-NOT:   func.func
// CHECK:       llvm.mlir.global internal constant @name_one("one\00")
memref.global "private" constant @one : memref<1xi64> = dense<1>
func.func @prepare(%w: memref<256xi8> {hamkaas.name = "w", hamkaas.region = #hamkaas.region<parameter>, hamkaas.type = tensor<64xf32>}, %constants: memref<512xi8> {hamkaas.region = #hamkaas.region<constants>}, %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %from = memref.view %w[%c0][] : memref<256xi8> to memref<64xf32>
  %to = memref.view %constants[%c0][] : memref<512xi8> to memref<64xf32>
  %other = memref.view %constants[%c256][] : memref<512xi8> to memref<64xf32>
  memref.copy %from, %to : memref<64xf32> to memref<64xf32>
  call @k0(%to, %other) {hamkaas.call_index = 0 : i64} : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>}, %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>}, %constants: memref<512xi8> {hamkaas.region = #hamkaas.region<constants>}, %state: memref<0xi8> {hamkaas.region = #hamkaas.region<state>}, %workspace: memref<512xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 0>,
                                   #hamkaas.buffer<offset = 256, bytes = 8, first = 2, last = 2>]} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %0 = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %1 = memref.view %workspace[%c0][] : memref<512xi8> to memref<64xf32>
  %2 = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  %p = memref.view %workspace[%c256][] : memref<512xi8> to memref<1xi64>
  %one = memref.get_global @one : memref<1xi64>
  call @k0(%0, %1) {hamkaas.call_index = 0 : i64} : (memref<64xf32>, memref<64xf32>) -> ()
  call @k1(%one, %2) {hamkaas.call_index = 1 : i64} : (memref<1xi64>, memref<64xf32>) -> ()
  call @k1(%p, %2) {hamkaas.call_index = 2 : i64} : (memref<1xi64>, memref<64xf32>) -> ()
  return
}
func.func private @k0(memref<64xf32>, memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>, hamkaas.device_kernel = #hamkaas.device_kernel<0>}
func.func private @k1(memref<1xi64>, memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<movement>, hamkaas.device_kernel = #hamkaas.device_kernel<2, checks = 1, checked = [0]>}

// -----

// A kernel of several calls writes several operands, here the state that the
// second call checks, which is not known before.

// CHECK-LABEL: llvm.func @hamkaas_device_run(
// CHECK:         llvm.mlir.constant(0 : i32) : i32
// CHECK:         llvm.mlir.constant(0 : i64) : i64
// CHECK:         llvm.mlir.constant(1 : i32) : i32
// CHECK:         llvm.mlir.constant(1 : i64) : i64
// CHECK:         llvm.mlir.constant(2 : i32) : i32
func.func @main(%constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>}, %state: memref<8xi8> {hamkaas.region = #hamkaas.region<state>}, %workspace: memref<512xi8> {hamkaas.region = #hamkaas.region<workspace>}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %p = memref.view %state[%c0][] : memref<8xi8> to memref<1xi64>
  %q = memref.view %workspace[%c8][] : memref<512xi8> to memref<1xi64>
  %0 = memref.view %workspace[%c0][] : memref<512xi8> to memref<1xi64>
  %1 = memref.view %workspace[%c256][] : memref<512xi8> to memref<64xf32>
  call @k0_k0(%0, %p, %0, %q) {hamkaas.call_index = 0 : i64} : (memref<1xi64>, memref<1xi64>, memref<1xi64>, memref<1xi64>) -> ()
  call @k1(%p, %1) {hamkaas.call_index = 1 : i64} : (memref<1xi64>, memref<64xf32>) -> ()
  return
}
func.func private @k0_k0(memref<1xi64>, memref<1xi64>, memref<1xi64>, memref<1xi64>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>, hamkaas.fused_calls = array<i64: 2, 2>, hamkaas.device_kernel = #hamkaas.device_kernel<0>}
func.func private @k1(memref<1xi64>, memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<movement>, hamkaas.device_kernel = #hamkaas.device_kernel<2, checks = 1, checked = [0]>}
