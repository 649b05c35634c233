// RUN: hamkaas-opt %s -hamkaas-lower-program | FileCheck %s

// The features of the processor stand before the addresses of operands, if a
// kernel has code for one.

// CHECK-LABEL: llvm.func @hamkaas_run(
// CHECK-SAME:    %[[EXECUTION:[^:]*]]: !llvm.ptr
// CHECK:         %[[COUNT:.*]] = llvm.mlir.constant(2 : i64)
// CHECK:         %[[SLOTS:.*]] = llvm.alloca %[[COUNT]] x !llvm.ptr
// CHECK:         %[[PLACE:.*]] = llvm.getelementptr %[[EXECUTION]]
// CHECK:         %[[FEATURES:.*]] = llvm.load %[[PLACE]]
// CHECK:         llvm.store %[[FEATURES]], %[[SLOTS]]
// CHECK:         %[[BYTES:.*]] = llvm.mlir.constant(8 : i64)
// CHECK:         %[[TABLE:.*]] = llvm.getelementptr %[[SLOTS]][%[[BYTES]]]
// CHECK:         llvm.store %{{.*}}, %[[TABLE]]
// CHECK:         llvm.call @k0(%[[TABLE]],

func.func private @k0(%out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>, hamkaas.tiles = 4 : i64} {
  %has = hamkaas.has_cpu_feature dot_products : i1
  return
}
func.func @main(%y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<0xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  %c0 = arith.constant 0 : index
  %0 = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  call @k0(%0) {hamkaas.call_index = 0 : i64} : (memref<64xf32>) -> ()
  return
}
