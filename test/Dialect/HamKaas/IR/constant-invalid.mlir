// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_resource() {
  // expected-error @below {{expected a value of dense elements, got builtin.dense_resource_elements}}
  %0 = hamkaas.constant dense_resource<blob> : tensor<4xf32>
  return
}
