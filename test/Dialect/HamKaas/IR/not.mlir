// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s

// Booleans and bits.

// CHECK-LABEL: func @not(
// CHECK:         hamkaas.not %{{.*}} : tensor<2x3xi1>
func.func @not(%x: tensor<2x3xi1>) -> tensor<2x3xi1> {
  %0 = hamkaas.not %x : tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}
