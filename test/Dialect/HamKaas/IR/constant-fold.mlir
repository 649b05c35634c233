// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// A constant is the same operation after folding, and there once.

// CHECK-LABEL: func @constant(
// CHECK-NEXT:    %[[C:.*]] = hamkaas.constant dense<7> : tensor<2xui8>
// CHECK-NEXT:    return %[[C]], %[[C]]
func.func @constant() -> (tensor<2xui8>, tensor<2xui8>) {
  %0 = hamkaas.constant dense<7> : tensor<2xui8>
  %1 = hamkaas.constant dense<7> : tensor<2xui8>
  return %0, %1 : tensor<2xui8>, tensor<2xui8>
}
