// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s

// The value has the type.

// CHECK-LABEL: func @constant(
// CHECK:         hamkaas.constant dense<[1, 255]> : tensor<2xui8>
// CHECK:         hamkaas.constant dense<true> : tensor<3xi1>
func.func @constant() -> (tensor<2xui8>, tensor<3xi1>) {
  %0 = hamkaas.constant dense<[1, 255]> : tensor<2xui8>
  %1 = hamkaas.constant dense<true> : tensor<3xi1>
  return %0, %1 : tensor<2xui8>, tensor<3xi1>
}
