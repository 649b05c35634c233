// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_values(%ok: i1, %a: i64) {
  // expected-error @below {{expected at most 4 values, got 5}}
  hamkaas.check %ok, "no"(%a, %a, %a, %a, %a) : i64, i64, i64, i64, i64
  return
}

// -----

func.func @c2_place(%ok: i1, %a: i64) {
  // expected-error @below {{expected {1} to name one of 1 values}}
  hamkaas.check %ok, "got {0} and {1}"(%a) : i64
  return
}
