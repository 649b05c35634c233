// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @values(
// CHECK:         hamkaas.check %{{.*}}, "expected {0} below {1}"(%{{.*}}, %{{.*}}) : i64, i64
func.func @values(%ok: i1, %a: i64, %b: i64) {
  hamkaas.check %ok, "expected {0} below {1}"(%a, %b) : i64, i64
  return
}

// CHECK-LABEL: func @no_values(
// CHECK:         hamkaas.check %{{.*}}, "expected more"()
func.func @no_values(%ok: i1) {
  hamkaas.check %ok, "expected more"()
  return
}

// Braces that hold no digit are text.

// CHECK-LABEL: func @braces(
// CHECK:         hamkaas.check %{{.*}}, "{a} {} {10} {"()
func.func @braces(%ok: i1) {
  hamkaas.check %ok, "{a} {} {10} {"()
  return
}
