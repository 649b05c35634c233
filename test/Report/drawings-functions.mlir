// Drawings of a program with several functions show all of them: a frame with
// its name for each graph, the plans one below the other.

// RUN: hamkaas-compile %s --plan-svg=%t.plan.svg --graph-svg=%t.graph.svg
// RUN: %python %S/Inputs/print-svg-texts.py %t.plan.svg \
// RUN:   | FileCheck %s --check-prefix=PLAN
// RUN: %python %S/Inputs/print-svg-texts.py %t.graph.svg > %t.texts
// RUN: FileCheck %s --check-prefix=GRAPH --input-file=%t.texts

// PLAN:       plan of the workspace of first{{$}}
// PLAN-NEXT:  1,024 bytes;
// PLAN:       matmul+relu
// PLAN:       peak, step 0: 1 kB in 1 buffer
// PLAN:       plan of the workspace of second{{$}}
// PLAN-NEXT:  0 bytes;
// PLAN:       No result is kept.

// One legend for both.
// GRAPH:      elementwise
// GRAPH-NEXT: contraction
// GRAPH-NOT:  contraction
// GRAPH:      {{^}}first{{$}}
// GRAPH-DAG:  f0_leaf{{[0-9]+}}->f0_n0
// GRAPH-DAG:  relu
// GRAPH-DAG:  {{^}}second{{$}}
// GRAPH-DAG:  f1_leaf{{[0-9]+}}->f1_n0
// GRAPH-DAG:  f1_n0->f1_sink0
// RUN: grep -c "^weights$" %t.texts | FileCheck %s --check-prefix=WEIGHTS
// WEIGHTS:    {{^}}2{{$}}

ml_program.global private @weights(#ml_program.extern : tensor<64x64xf32>) : tensor<64x64xf32>
func.func @first(%x: tensor<4x64xf32> {hamkaas.name = "x"})
    -> (tensor<4x64xf32> {hamkaas.name = "y"}) {
  %w = ml_program.global_load_const @weights : tensor<64x64xf32>
  %0 = hamkaas.matmul %x, %w : tensor<4x64xf32>, tensor<64x64xf32>
  %1 = hamkaas.relu %0 : tensor<4x64xf32>
  %2 = hamkaas.matmul %1, %w : tensor<4x64xf32>, tensor<64x64xf32>
  return %2 : tensor<4x64xf32>
}
func.func @second(%x: tensor<1x64xf32> {hamkaas.name = "x"})
    -> (tensor<1x64xf32> {hamkaas.name = "y"}) {
  %w = ml_program.global_load_const @weights : tensor<64x64xf32>
  %0 = hamkaas.matmul %x, %w : tensor<1x64xf32>, tensor<64x64xf32>
  return %0 : tensor<1x64xf32>
}
