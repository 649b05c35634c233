// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @operand(
// CHECK:         hamkaas.sliced_softmax %{{.*}} prefix(%{{.*}}) : tensor<2x4xf32>
func.func @operand(%x: tensor<2x4xf32>, %p: tensor<1xi64>) -> tensor<2x4xf32> {
  %0 = hamkaas.sliced_softmax %x prefix(%p) : tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: func @attribute(
// CHECK:         hamkaas.sliced_softmax %{{.*}} static_prefix 4 : tensor<4xf32>
func.func @attribute(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hamkaas.sliced_softmax %x static_prefix 4 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @unchecked(
// CHECK:         hamkaas.sliced_softmax %{{.*}} prefix(%{{.*}}) {unchecked} : tensor<4xf32>
func.func @unchecked(%x: tensor<4xf32>, %p: tensor<1xi64>) -> tensor<4xf32> {
  %0 = hamkaas.sliced_softmax %x prefix(%p) {unchecked} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
