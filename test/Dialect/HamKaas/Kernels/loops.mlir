// The body of a loop is a program of its own: a step of it is planned and
// lowered as @main is, with rows as inputs and what is carried as state.

// RUN: hamkaas-opt %s -hamkaas-to-kernels=target-cpu=x86-64-v3 | FileCheck %s --check-prefix=KERNELS
// RUN: hamkaas-opt %s -hamkaas-to-planned=target-cpu=x86-64-v3 | FileCheck %s --check-prefix=PLANNED
// RUN: hamkaas-opt %s -hamkaas-to-llvm=target-cpu=x86-64-v3 | FileCheck %s --check-prefix=LLVM

// The weights are packed once, when the program is loaded, as they are before
// their permute.
// KERNELS-LABEL: func @prepare(
// KERNELS:         call @k0({{.*}}) {hamkaas.ops = "pack"}
// KERNELS-LABEL: func private @loop0(
// KERNELS-SAME:    %[[ROW:[a-z0-9]+]]: tensor<2x4xf32> {hamkaas.name = "row0", hamkaas.region = #hamkaas.region<input>}
// KERNELS-SAME:    %[[W:[a-z0-9]+]]: tensor<1x4x4xf32> {hamkaas.name = "value0", hamkaas.region = #hamkaas.region<input>}
// KERNELS-SAME:    %[[H:[a-z0-9]+]]: tensor<2x4xf32> {bufferization.writable = true, hamkaas.name = "carried0", hamkaas.region = #hamkaas.region<state>}
// KERNELS-SAME:    %[[Y:[a-z0-9]+]]: tensor<2x4xf32> {bufferization.writable = true, hamkaas.name = "output0", hamkaas.region = #hamkaas.region<output>}
// KERNELS-SAME:    attributes {hamkaas.loop}
// KERNELS:         call @k1(%[[H]], %[[W]], %[[ROW]], %{{.*}}) {hamkaas.flops = 80 : i64, hamkaas.ops = "matmul+add+tanh"}
// KERNELS:         call @k2(
// KERNELS-LABEL: func @main(
// KERNELS-SAME:    %[[X:[a-z0-9]+]]: tensor<5x2x4xf32> {hamkaas.name = "x"
// KERNELS-SAME:    %[[INIT:[a-z0-9]+]]: tensor<2x4xf32> {hamkaas.name = "h"
// KERNELS-SAME:    %[[PACKED:[a-z0-9]+]]: tensor<1x4x4xf32> {hamkaas.index = 0
// KERNELS-SAME:    %[[OUT:[a-z0-9]+]]: tensor<5x2x4xf32> {bufferization.writable = true, hamkaas.name = "y"
// KERNELS:         hamkaas.repeat 5 reversed of @loop0 rows(%[[X]]) values(%[[PACKED]]) carried(%[[INIT]]) outputs(%[[OUT]])

// The loop's workspace is a buffer of @main, beside the value that is carried.
// PLANNED-LABEL: func private @loop0(
// PLANNED-SAME:    %[[S:[a-z0-9]+]]: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>})
// PLANNED-SAME:    hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 32, first = 0, last = 2>], hamkaas.loop
// PLANNED:         call @k1
// PLANNED:         call @k2
// PLANNED:         memref.copy
// PLANNED-LABEL: func @main(
// PLANNED-SAME:    memref<512xi8> {hamkaas.region = #hamkaas.region<workspace>})
// PLANNED:         memref.copy %{{.*}}, %[[C:.*]] : memref<2x4xf32> to memref<2x4xf32>
// PLANNED:         hamkaas.repeat 5 reversed of @loop0 rows(%{{.*}}) values(%{{.*}}) carried(%[[C]]) outputs(%{{.*}}) workspace(%{{.*}})
// PLANNED-NEXT:    return

// LLVM-LABEL: llvm.func internal @hamkaas_loop0(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// LLVM-LABEL: llvm.func @hamkaas_run(
// LLVM:         llvm.br ^[[LOOP:.*]](%{{.*}} : i64)
// LLVM:       ^[[LOOP]](%[[STEP:.*]]: i64):
// LLVM:         %[[LAST:.*]] = llvm.mlir.constant(4 : i64)
// LLVM:         %[[ROW:.*]] = llvm.sub %[[LAST]], %[[STEP]]
// LLVM:         %[[OFFSET:.*]] = llvm.mul %[[ROW]], %{{.*}} : i64
// LLVM:         llvm.getelementptr %{{.*}}[%[[OFFSET]]]
// LLVM:         %[[STATUS:.*]] = llvm.call @hamkaas_loop0(
// LLVM:         %[[FAILED:.*]] = llvm.icmp "ne" %[[STATUS]]
// LLVM:         llvm.cond_br %[[FAILED]], ^[[FAIL:.*]], ^[[NEXT:[a-z0-9]*]]
// LLVM:       ^[[FAIL]]:
// LLVM-NEXT:    llvm.return %[[STATUS]]
// LLVM:       ^[[NEXT]]:
// LLVM:         llvm.cond_br %{{.*}}, ^[[LOOP]](%{{.*}} : i64), ^{{.*}}

ml_program.global private @w(#ml_program.extern : tensor<4x4xf32>) : tensor<4x4xf32>
func.func @main(%x: tensor<5x2x4xf32> {hamkaas.name = "x"}, %h: tensor<2x4xf32> {hamkaas.name = "h"}) -> (tensor<5x2x4xf32> {hamkaas.name = "y"}) {
  %w = ml_program.global_load_const @w : tensor<4x4xf32>
  %hn, %y = hamkaas.scan 5 reversed from(%h) over(%x) with(%w) : (tensor<2x4xf32>, tensor<5x2x4xf32>, tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%c: tensor<2x4xf32>, %row: tensor<2x4xf32>, %m: tensor<4x4xf32>):
    %t = hamkaas.permute %m [1, 0] : tensor<4x4xf32>
    %0 = hamkaas.matmul %c, %t : tensor<2x4xf32>, tensor<4x4xf32>
    %1 = hamkaas.add %0, %row : tensor<2x4xf32>, tensor<2x4xf32>
    %2 = hamkaas.tanh %1 : tensor<2x4xf32>
    %3 = hamkaas.mul %2, %c : tensor<2x4xf32>, tensor<2x4xf32>
    hamkaas.yield %2, %3 : tensor<2x4xf32>, tensor<2x4xf32>
  }
  return %y : tensor<5x2x4xf32>
}
