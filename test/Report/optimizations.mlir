// Optimizations of the graph are reported, can be left out one by one, and can
// be seen in drawings.

// RUN: hamkaas-compile %s --report | FileCheck %s --check-prefix=REPORT
// RUN: hamkaas-compile %s --report=json | %python -m json.tool \
// RUN:   | FileCheck %s --check-prefix=JSON
// RUN: hamkaas-compile %s --emit=graph | FileCheck %s --check-prefix=GRAPH
// RUN: hamkaas-compile %s --emit=graph --no-optimize=move-layouts,raise \
// RUN:   | FileCheck %s --check-prefix=PARTS
// RUN: hamkaas-compile %s --emit=graph --no-optimize=all \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: hamkaas-opt %s -hamkaas-to-graph=no-optimize=all \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: hamkaas-compile %s --graph-svg=%t.svg --optimized-graph-svg=%t.new.svg
// RUN: %python %S/Inputs/print-svg-texts.py %t.svg \
// RUN:   | FileCheck %s --check-prefix=BEFORE
// RUN: %python %S/Inputs/print-svg-texts.py %t.new.svg \
// RUN:   | FileCheck %s --check-prefix=AFTER
// RUN: not hamkaas-compile %s --emit=graph --no-optimize=layouts 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN
// RUN: not hamkaas-opt %s -hamkaas-to-kernels=no-optimize=raise,layouts 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN
// RUN: not hamkaas-compile %s --emit=graph --winograd-error=nan 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BOUND

// Permuting there and back leaves one silu. The report counts nodes.

// REPORT:      optimizations of the graph, in nodes
// REPORT-NEXT:   name{{ +}}removed  added
// REPORT-NEXT:   simplify{{ +}}2{{ +}}0
// REPORT-NEXT:   raise{{ +}}2{{ +}}1
// REPORT-NEXT:   move-layouts{{ +}}3{{ +}}1

// JSON:       "optimizations": [
// JSON:           "name": "raise",
// JSON-NEXT:      "removed": 2,
// JSON-NEXT:      "added": 1

// GRAPH:      func.func @main(%[[X:.*]]: tensor<2x3x4xf32>
// GRAPH-NEXT:   %[[Y:.*]] = hamkaas.silu %[[X]]
// GRAPH-NEXT:   return %[[Y]]

// PARTS-NOT:  hamkaas.neg
// PARTS:      hamkaas.sigmoid
// PARTS:      hamkaas.permute

// NONE:       hamkaas.neg
// NONE:       hamkaas.permute

// BEFORE-DAG: permute
// BEFORE-DAG: float32 [4, 2, 3]
// AFTER-NOT:  permute
// AFTER:      silu
// AFTER-NOT:  [4, 2, 3]

// BOUND: error: --winograd-error: expected 0 or more, got nan
// UNKNOWN: error: --no-optimize: expected all or some of fold-constants, simplify, raise, move-layouts, raise-attention, fold-affine, use-winograd, fuse-calls, multiply-integers, got 'layouts'

func.func @main(%x: tensor<2x3x4xf32> {hamkaas.name = "x"})
    -> (tensor<2x3x4xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.permute %x[2, 0, 1] : tensor<2x3x4xf32>
  %1 = hamkaas.neg %0 : tensor<4x2x3xf32>
  %2 = hamkaas.neg %1 : tensor<4x2x3xf32>
  %3 = hamkaas.sigmoid %2 : tensor<4x2x3xf32>
  %4 = hamkaas.mul %2, %3 : tensor<4x2x3xf32>, tensor<4x2x3xf32>
  %5 = hamkaas.permute %4[1, 2, 0] : tensor<4x2x3xf32>
  return %5 : tensor<2x3x4xf32>
}
