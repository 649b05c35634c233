// Near misses are in the report, with the condition that failed and its place,
// once each; also of code from the cache.

// RUN: rm -rf %t && mkdir %t
// RUN: env HAMKAAS_CACHE_DIR=%t hamkaas-compile %s --report \
// RUN:   | FileCheck %s --check-prefixes=REPORT,NEW
// RUN: env HAMKAAS_CACHE_DIR=%t hamkaas-compile %s --report \
// RUN:   | FileCheck %s --check-prefixes=REPORT,OLD
// RUN: hamkaas-compile %s --report=json | %python -m json.tool \
// RUN:   | FileCheck %s --check-prefix=JSON
// RUN: hamkaas-compile %s --no-optimize=raise,raise-attention --report \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: hamkaas-compile %S/report.hk --report | FileCheck %s --check-prefix=NONE

// NEW:         compiled in
// OLD:         from the cache in
// REPORT:      not recognised, for one condition
// REPORT-NEXT:   operation{{ +}}times{{ +}}condition{{ +}}source
// REPORT-NEXT:   gelu{{ +}}2{{ +}}the constant factor is not 0.5{{ .*}}missed.mlir:[[#@LINE+26]]:8 (first)
// REPORT-NEXT:   attention{{ +}}1{{ +}}something else needs the scores{{ .*}}missed.mlir:[[#@LINE+31]]:8{{$}}

// JSON:       "missed": [
// JSON-NEXT:    {
// JSON-NEXT:      "operation": "gelu",
// JSON-NEXT:      "reason": "the constant factor is not 0.5",
// JSON-NEXT:      "location": "{{.*}}missed.mlir:
// JSON:           "operation": "gelu",
// JSON:           "operation": "attention",
// JSON-NEXT:      "reason": "something else needs the scores",
// JSON-NOT:       "operation"
// JSON:       "memory"

// NONE-NOT:   not recognised

func.func @main(%q: tensor<2x8x16xf32> {hamkaas.name = "q"},
                %k: tensor<2x8x16xf32> {hamkaas.name = "k"},
                %v: tensor<2x8x16xf32> {hamkaas.name = "v"})
    -> (tensor<2x8x16xf32> {hamkaas.name = "y"},
        tensor<2x8x8xf32> {hamkaas.name = "scores"}) {
  %one = hamkaas.constant dense<1.0> : tensor<1x1x1xf32>
  %root = hamkaas.constant dense<0.707106769> : tensor<1x1x1xf32>
  %0 = hamkaas.mul %q, %root : tensor<2x8x16xf32>, tensor<1x1x1xf32>
  %1 = hamkaas.erf %0 : tensor<2x8x16xf32>
  %2 = hamkaas.add %1, %one : tensor<2x8x16xf32>, tensor<1x1x1xf32>
  %3 = hamkaas.mul %q, %2 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
  %4 = hamkaas.mul %v, %root : tensor<2x8x16xf32>, tensor<1x1x1xf32>
  %5 = hamkaas.erf %4 : tensor<2x8x16xf32>
  %6 = hamkaas.add %5, %one : tensor<2x8x16xf32>, tensor<1x1x1xf32>
  %7 = hamkaas.mul %v, %6 : tensor<2x8x16xf32>, tensor<2x8x16xf32>
  %8 = hamkaas.permute %k [0, 2, 1] : tensor<2x8x16xf32>
  %9 = hamkaas.matmul %3, %8 : tensor<2x8x16xf32>, tensor<2x16x8xf32>
  %10 = hamkaas.sliced_softmax %9 static_prefix 8 : tensor<2x8x8xf32>
  %11 = hamkaas.matmul %10, %7 : tensor<2x8x8xf32>, tensor<2x8x16xf32>
  return %11, %9 : tensor<2x8x16xf32>, tensor<2x8x8xf32>
}
