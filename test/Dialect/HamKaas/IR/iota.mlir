// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s

// The dimension, then the type.

// CHECK-LABEL: func @iota(
// CHECK:         hamkaas.iota 1 : tensor<2x3xi64>
// CHECK:         hamkaas.iota 0 : tensor<4xbf16>
func.func @iota() -> (tensor<2x3xi64>, tensor<4xbf16>) {
  %0 = hamkaas.iota 1 : tensor<2x3xi64>
  %1 = hamkaas.iota 0 : tensor<4xbf16>
  return %0, %1 : tensor<2x3xi64>, tensor<4xbf16>
}
