// RUN: hamkaas-opt %s -hamkaas-lower-program | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-lower-program=thread-flops=64 | FileCheck %s --check-prefix=FLOPS
// RUN: hamkaas-opt %s '-hamkaas-lower-program=thread-bytes=512 thread-flops=2000000' | FileCheck %s --check-prefix=FLOPS
// RUN: hamkaas-opt %s -hamkaas-lower-program=thread-flops=2000000 | FileCheck %s --check-prefix=NEVER

// The functions of Program.h. A kernel gets the addresses of its operands in one
// array on the stack; what a check reports is the number of the call.

// CHECK:       func.func private @k0_body(
// CHECK:       func.func private @k1_body(
// CHECK:       llvm.mlir.global internal constant @constant_one(dense<1>

// CHECK-LABEL: llvm.func @hamkaas_prepare(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %[[PARAMETERS:.*]]: !llvm.ptr, %[[CONSTANTS:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// CHECK:         %[[W:.*]] = llvm.load %[[PARAMETERS]]
// CHECK:         %[[BYTES:.*]] = llvm.mlir.constant(256 : i64)
// CHECK:         "llvm.intr.memcpy"(%[[CONSTANTS]], %[[W]], %[[BYTES]])
// CHECK:         llvm.return

// CHECK-LABEL: llvm.func @hamkaas_run(
// CHECK-SAME:    %[[EXECUTION:[^:]*]]: !llvm.ptr, %[[INPUTS:[^:]*]]: !llvm.ptr, %[[OUTPUTS:[^:]*]]: !llvm.ptr, %[[CONSTANTS:[^:]*]]: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %[[WORKSPACE:[^:]*]]: !llvm.ptr) -> i32
// CHECK:         %[[TABLE:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// First the checks, of no tiles: nothing is written before all of them hold.
// CHECK:         %[[ONE:.*]] = llvm.mlir.addressof @constant_one
// CHECK:         %[[NONE:.*]] = llvm.mlir.constant(0 : i64)
// CHECK:         %[[STATUS:.*]] = llvm.call @k1(%[[TABLE]], %[[NONE]], %[[NONE]],
// CHECK:         llvm.cond_br %{{.*}}, ^[[BAD:.*]], ^[[GOOD:.*]]
// CHECK:       ^[[BAD]]:
// CHECK:         %[[CALL:.*]] = llvm.mlir.constant(1 : i64)
// CHECK:         llvm.store %[[CALL]]
// CHECK:         llvm.return %[[STATUS]]
// CHECK:       ^[[GOOD]]:
// CHECK:         llvm.store %[[ONE]], %[[TABLE]]
// CHECK:         llvm.call @k1(
// CHECK:         llvm.mlir.constant(2 : i64)
// A small kernel runs on the caller; who measures is told of each call.
// CHECK:         %[[X:.*]] = llvm.load %[[INPUTS]]
// CHECK:         llvm.store %[[X]], %[[TABLE]]
// CHECK:         %[[OFFSET:.*]] = llvm.mlir.constant(256 : i64)
// CHECK:         %[[B:.*]] = llvm.getelementptr %[[WORKSPACE]][%[[OFFSET]]]
// CHECK:         %[[SLOT:.*]] = llvm.getelementptr %[[TABLE]]
// CHECK:         llvm.store %[[B]], %[[SLOT]]
// CHECK:         llvm.call @k0(%[[TABLE]],
// CHECK:         %[[REPORT:.*]] = llvm.load
// CHECK:         llvm.icmp "ne" %[[REPORT]]
// CHECK:         llvm.call %[[REPORT]](
// CHECK:         llvm.call @k1(%[[TABLE]],
// CHECK:         llvm.store %[[ONE]], %[[TABLE]]
// CHECK:         llvm.call @k1(%[[TABLE]],
// A large one is handed to the pool.
// CHECK:         llvm.store %[[CONSTANTS]], %[[TABLE]]
// CHECK:         %[[Y:.*]] = llvm.load %[[OUTPUTS]]
// CHECK:         llvm.store %[[Y]],
// CHECK:         %[[KERNEL:.*]] = llvm.mlir.addressof @k0
// CHECK:         llvm.call %{{.*}}(%{{.*}}, %[[KERNEL]], %[[TABLE]],
// CHECK:         llvm.return
// CHECK:       llvm.func @k0(!llvm.ptr, i64, i64, !llvm.ptr) -> i32
// CHECK:       llvm.func @k1(!llvm.ptr, i64, i64, !llvm.ptr) -> i32

// FLOPS-LABEL: llvm.func @hamkaas_run(
// FLOPS-COUNT-2: llvm.mlir.addressof @k0
// FLOPS-NOT:     llvm.mlir.addressof @k

// NEVER-LABEL: llvm.func @hamkaas_run(
// NEVER-NOT:     llvm.mlir.addressof @k

func.func private @k0(%x: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>, hamkaas.tiles = 4 : i64} {
  return
}
func.func private @k1(%p: memref<1xi64>, %x: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<movement>, hamkaas.tiles = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = memref.load %p[%c0] : memref<1xi64>
  %z = arith.constant 0 : i64
  %ok = arith.cmpi eq, %v, %z : i64
  hamkaas.check %ok, "expected 0, got {0}"(%v) : i64
  return
}
memref.global "private" constant @one : memref<1xi64> = dense<1>
func.func @prepare(%w: memref<256xi8> {hamkaas.name = "w", hamkaas.region = #hamkaas.region<parameter>, hamkaas.type = tensor<64xf32>},
                   %constants: memref<256xi8> {hamkaas.region = #hamkaas.region<constants>},
                   %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  %c0 = arith.constant 0 : index
  %0 = memref.view %w[%c0][] : memref<256xi8> to memref<64xf32>
  %1 = memref.view %constants[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %0, %1 : memref<64xf32> to memref<64xf32>
  return
}
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %p: memref<8xi8> {hamkaas.name = "p", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<1xi64>},
                %y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<256xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<0xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<512xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.buffers = [#hamkaas.buffer<offset = 256, bytes = 256, first = 0, last = 2>]} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %0 = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %1 = memref.view %workspace[%c256][] : memref<512xi8> to memref<64xf32>
  call @k0(%0, %1) {hamkaas.call_index = 0 : i64, hamkaas.flops = 64 : i64} : (memref<64xf32>, memref<64xf32>) -> ()
  %2 = memref.view %p[%c0][] : memref<8xi8> to memref<1xi64>
  call @k1(%2, %1) {hamkaas.call_index = 1 : i64} : (memref<1xi64>, memref<64xf32>) -> ()
  %3 = memref.get_global @one : memref<1xi64>
  call @k1(%3, %1) {hamkaas.call_index = 2 : i64} : (memref<1xi64>, memref<64xf32>) -> ()
  %4 = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  %5 = memref.view %constants[%c0][] : memref<256xi8> to memref<64xf32>
  call @k0(%5, %4) {hamkaas.call_index = 3 : i64, hamkaas.flops = 1000000 : i64} : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
