// A parameter that kernels read in several layouts is named in the report, also
// of code from the cache; one that is packed once, or in parts, is not.

// RUN: rm -rf %t && split-file %s %t && mkdir %t/cache
// RUN: env HAMKAAS_CACHE_DIR=%t/cache hamkaas-compile %t/twice.mlir --report \
// RUN:   | FileCheck %s --check-prefixes=REPORT,NEW
// RUN: env HAMKAAS_CACHE_DIR=%t/cache hamkaas-compile %t/twice.mlir --report \
// RUN:   | FileCheck %s --check-prefixes=REPORT,OLD
// RUN: hamkaas-compile %t/twice.mlir --report=json | %python -m json.tool \
// RUN:   | FileCheck %s --check-prefix=JSON
// RUN: hamkaas-compile %t/once.mlir --report | FileCheck %s --check-prefix=ONCE

// NEW:         compiled in
// OLD:         from the cache in
// REPORT:      constants 73,728 bytes
// REPORT:      parameters packed in several layouts
// REPORT-NEXT:   name{{ +}}times{{ +}}together
// REPORT-NEXT:   table{{ +}}2{{ +}}49,152 bytes
// REPORT-EMPTY:

// JSON:        "repacked": [
// JSON-NEXT:     {
// JSON-NEXT:       "name": "table",
// JSON-NEXT:       "times": 2,
// JSON-NEXT:       "bytes": 49152
// JSON-NEXT:     }
// JSON-NEXT:   ],

// ONCE:        constants 40,960 bytes
// ONCE-NOT:    several layouts

//--- twice.mlir
// The rows that @look gathers are not in the panels that @score multiplies by.
// Both multiply by `w`, in the same panels.
ml_program.global private @table(#ml_program.extern : tensor<96x64xf32>) : tensor<96x64xf32>
ml_program.global private @w(#ml_program.extern : tensor<64x96xf32>) : tensor<64x96xf32>
func.func @look(%i: tensor<2xi64> {hamkaas.name = "i"})
    -> (tensor<2x96xf32> {hamkaas.name = "y"}) {
  %table = ml_program.global_load_const @table : tensor<96x64xf32>
  %w = ml_program.global_load_const @w : tensor<64x96xf32>
  %x = hamkaas.gather %table, %i dim 0 : tensor<96x64xf32>, tensor<2xi64>
  %y = hamkaas.matmul %x, %w : tensor<2x64xf32>, tensor<64x96xf32>
  return %y : tensor<2x96xf32>
}
func.func @score(%x: tensor<4x64xf32> {hamkaas.name = "x"})
    -> (tensor<4x96xf32> {hamkaas.name = "y"},
        tensor<4x96xf32> {hamkaas.name = "z"}) {
  %table = ml_program.global_load_const @table : tensor<96x64xf32>
  %w = ml_program.global_load_const @w : tensor<64x96xf32>
  %columns = hamkaas.permute %table [1, 0] : tensor<96x64xf32>
  %y = hamkaas.matmul %x, %columns : tensor<4x64xf32>, tensor<64x96xf32>
  %z = hamkaas.matmul %x, %w : tensor<4x64xf32>, tensor<64x96xf32>
  return %y, %z : tensor<4x96xf32>, tensor<4x96xf32>
}

//--- once.mlir
// The halves of `both` have panels of their own; `left` and `right` are joined.
ml_program.global private @both(#ml_program.extern : tensor<128x32xf32>) : tensor<128x32xf32>
ml_program.global private @left(#ml_program.extern : tensor<64x48xf32>) : tensor<64x48xf32>
ml_program.global private @right(#ml_program.extern : tensor<64x48xf32>) : tensor<64x48xf32>
func.func @main(%x: tensor<1x64xf32> {hamkaas.name = "x"})
    -> (tensor<1x32xf32> {hamkaas.name = "a"},
        tensor<1x32xf32> {hamkaas.name = "b"},
        tensor<1x48xf32> {hamkaas.name = "c"},
        tensor<1x48xf32> {hamkaas.name = "d"}) {
  %both = ml_program.global_load_const @both : tensor<128x32xf32>
  %left = ml_program.global_load_const @left : tensor<64x48xf32>
  %right = ml_program.global_load_const @right : tensor<64x48xf32>
  %upper = hamkaas.slice %both [0, 64] : tensor<128x32xf32>
  %lower = hamkaas.slice %both [64, 128] : tensor<128x32xf32>
  %a = hamkaas.matmul %x, %upper : tensor<1x64xf32>, tensor<64x32xf32>
  %y = hamkaas.relu %x : tensor<1x64xf32>
  %b = hamkaas.matmul %y, %lower : tensor<1x64xf32>, tensor<64x32xf32>
  %z = hamkaas.silu %x : tensor<1x64xf32>
  %c = hamkaas.matmul %z, %left : tensor<1x64xf32>, tensor<64x48xf32>
  %d = hamkaas.matmul %z, %right : tensor<1x64xf32>, tensor<64x48xf32>
  return %a, %b, %c, %d : tensor<1x32xf32>, tensor<1x32xf32>, tensor<1x48xf32>, tensor<1x48xf32>
}
