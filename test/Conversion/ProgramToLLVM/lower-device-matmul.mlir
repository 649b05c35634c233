// RUN: hamkaas-opt %s -hamkaas-lower-device-program | FileCheck %s

// The runtime is asked to multiply, by its function behind the device.

// CHECK-LABEL: llvm.func @hamkaas_device_run(
// CHECK-SAME:    %[[EXECUTION:[^:]*]]: !llvm.ptr
// CHECK:         %[[NUMBER:.*]] = llvm.mlir.constant(3 : i32)
// CHECK:         %[[CALL:.*]] = llvm.mlir.constant(0 : i64)
// CHECK:         %[[OFFSET:.*]] = llvm.mlir.constant(120 : i64)
// CHECK:         %[[PLACE:.*]] = llvm.getelementptr %[[EXECUTION]][%[[OFFSET]]]
// CHECK:         %[[MULTIPLY:.*]] = llvm.load %[[PLACE]]
// CHECK:         %[[DEVICE:.*]] = llvm.load
// CHECK:         llvm.call %[[MULTIPLY]](%[[DEVICE]], %[[NUMBER]], %{{.*}}, %[[CALL]]) : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr, i64) -> i32
func.func @main(%x: memref<64xi8> {hamkaas.region = #hamkaas.region<input>}, %y: memref<64xi8> {hamkaas.region = #hamkaas.region<output>}, %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>}, %state: memref<0xi8> {hamkaas.region = #hamkaas.region<state>}, %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>}) {
  %c0 = arith.constant 0 : index
  %0 = memref.view %x[%c0][] : memref<64xi8> to memref<4x4xf32>
  %1 = memref.view %y[%c0][] : memref<64xi8> to memref<4x4xf32>
  call @k0(%0, %0, %1) {hamkaas.call_index = 0 : i64} : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
  return
}
func.func private @k0(memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>, hamkaas.device_matmul = 3 : i64}
