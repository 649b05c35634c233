// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @type() -> i32 {
  // expected-error @below {{'hamkaas.has_cpu_feature' op result #0 must be 1-bit signless integer, but got 'i32'}}
  %has = hamkaas.has_cpu_feature dot_products : i32
  return %has : i32
}
