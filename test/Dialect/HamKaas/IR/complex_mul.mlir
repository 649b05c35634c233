// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @equal(
// CHECK:         hamkaas.complex_mul %{{.*}}, %{{.*}} : tensor<4x2xf32>, tensor<4x2xf32>
func.func @equal(%x: tensor<4x2xf32>, %r: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = hamkaas.complex_mul %x, %r : tensor<4x2xf32>, tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func @broadcast(
// CHECK:         hamkaas.complex_mul %{{.*}}, %{{.*}} : tensor<4x3x2xf32>, tensor<1x3x2xf32>
func.func @broadcast(%x: tensor<4x3x2xf32>, %r: tensor<1x3x2xf32>) -> tensor<4x3x2xf32> {
  %0 = hamkaas.complex_mul %x, %r : tensor<4x3x2xf32>, tensor<1x3x2xf32>
  return %0 : tensor<4x3x2xf32>
}
