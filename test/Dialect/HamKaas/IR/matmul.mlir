// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @vector(
// CHECK-SAME:    -> tensor<16xf32>
// CHECK:         hamkaas.matmul %{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8x16xf32>
func.func @vector(%x: tensor<8xf32>, %w: tensor<8x16xf32>) -> tensor<16xf32> {
  %0 = hamkaas.matmul %x, %w : tensor<8xf32>, tensor<8x16xf32>
  return %0 : tensor<16xf32>
}

// CHECK-LABEL: func @matrix(
// CHECK:         hamkaas.matmul %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8x16xf32>
func.func @matrix(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = hamkaas.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32>
  return %0 : tensor<4x16xf32>
}

// CHECK-LABEL: func @batch(
// CHECK:         hamkaas.matmul %{{.*}}, %{{.*}} : tensor<2x4x8xf32>, tensor<2x8x16xf32>
func.func @batch(%x: tensor<2x4x8xf32>, %w: tensor<2x8x16xf32>) -> tensor<2x4x16xf32> {
  %0 = hamkaas.matmul %x, %w : tensor<2x4x8xf32>, tensor<2x8x16xf32>
  return %0 : tensor<2x4x16xf32>
}

// CHECK-LABEL: func @integers(
// CHECK:         hamkaas.matmul %{{.*}}, %{{.*}} : tensor<4x8xui8>, tensor<8x16xui8>
func.func @integers(%x: tensor<4x8xui8>, %w: tensor<8x16xui8>) -> tensor<4x16xui8> {
  %0 = hamkaas.matmul %x, %w : tensor<4x8xui8>, tensor<8x16xui8>
  return %0 : tensor<4x16xui8>
}
