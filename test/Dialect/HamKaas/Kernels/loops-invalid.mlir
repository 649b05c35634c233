// RUN: split-file %s %t
// RUN: not hamkaas-opt %t/graph.mlir -hamkaas-verify-graph 2>&1 | FileCheck %s --check-prefix=GRAPH
// RUN: not hamkaas-opt %t/kernels.mlir -hamkaas-verify-kernels 2>&1 | FileCheck %s --check-prefix=KERNELS
// RUN: not hamkaas-opt %t/no-loop.mlir -hamkaas-verify-planned 2>&1 | FileCheck %s --check-prefix=NO-LOOP
// RUN: not hamkaas-opt %t/size.mlir -hamkaas-verify-planned 2>&1 | FileCheck %s --check-prefix=SIZE

// GRAPH: graph.mlir:5:10: error: expected an operation of a graph, got ml_program.global_load_const
// KERNELS: kernels.mlir:5:8: error: expected @f to be the body of a loop
// NO-LOOP: no-loop.mlir:9:3: error: expected @k0 to be the body of a loop
// SIZE: size.mlir:8:3: error: expected operand 0 to have the size of argument 0 of @loop0, got 'memref<4x2xf32>'

//--- graph.mlir
ml_program.global private @w(#ml_program.extern : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<3x4xf32> {hamkaas.name = "x"}) -> (tensor<3x4xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.scan 3 from() over(%x) with() : (tensor<3x4xf32>) -> tensor<3x4xf32> {
  ^bb0(%row: tensor<4xf32>):
    %w = ml_program.global_load_const @w : tensor<4xf32>
    %1 = hamkaas.add %row, %w : tensor<4xf32>, tensor<4xf32>
    hamkaas.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<3x4xf32>
}

//--- kernels.mlir
func.func private @f(%x: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = hamkaas.repeat 3 of @f rows(%x) values() carried() outputs(%y) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

//--- no-loop.mlir
func.func private @k0(%a: memref<8xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%x: memref<32xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<8xf32>},
                %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.buffers = [], hamkaas.workspace_lower_bound = 0} {
  %c0 = arith.constant 0 : index
  %view = memref.view %x[%c0][] : memref<32xi8> to memref<8xf32>
  hamkaas.repeat 3 of @k0 rows() values(%view) carried() outputs() : (memref<8xf32>) -> ()
  return
}

//--- size.mlir
func.func private @loop0(%row: memref<12xi8> {hamkaas.name = "row0", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<3xf32>}, %s: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.loop, hamkaas.buffers = [], hamkaas.workspace_lower_bound = 0} {
  return
}
func.func @main(%x: memref<32xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<4x2xf32>}, %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>}) attributes {hamkaas.buffers = [], hamkaas.workspace_lower_bound = 0} {
  %c0 = arith.constant 0 : index
  %view = memref.view %x[%c0][] : memref<32xi8> to memref<4x2xf32>
  hamkaas.repeat 4 of @loop0 rows(%view) values() carried() outputs() workspace(%workspace) : (memref<4x2xf32>, memref<0xi8>) -> ()
  return
}
