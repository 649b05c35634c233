// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// Only the rows of an embedding that are taken are computed.

// CHECK-LABEL: func @rows(
// CHECK-SAME:    %[[B:.*]]: tensor<100x36xui8>, %[[I:.*]]: tensor<5xi64>
// CHECK-NEXT:    %[[R:.*]] = hamkaas.gather %[[B]], %[[I]] dim 0 : tensor<100x36xui8>, tensor<5xi64>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.dequantize_blocks q4_0 %[[R]] : tensor<5x36xui8>
// CHECK-NEXT:    return %[[Y]]
func.func @rows(%b: tensor<100x36xui8>, %i: tensor<5xi64>) -> tensor<5x64xf32> {
  %0 = hamkaas.dequantize_blocks q4_0 %b : tensor<100x36xui8>
  %1 = hamkaas.gather %0, %i dim 0 : tensor<100x64xf32>, tensor<5xi64>
  return %1 : tensor<5x64xf32>
}

// The blocks may have other uses, and a run need not check the indices.

// CHECK-LABEL: func @other_uses(
// CHECK-SAME:    %[[B:.*]]: tensor<2x100x34xui8>, %[[I:.*]]: tensor<i64>
// CHECK-DAG:     %[[W:.*]] = hamkaas.dequantize_blocks q8_0 %[[B]]
// CHECK-DAG:     %[[R:.*]] = hamkaas.gather %[[B]], %[[I]] dim 1 {unchecked} : tensor<2x100x34xui8>, tensor<i64>
// CHECK-DAG:     %[[Y:.*]] = hamkaas.dequantize_blocks q8_0 %[[R]] : tensor<2x34xui8>
// CHECK:         return %[[Y]], %[[W]]
func.func @other_uses(%b: tensor<2x100x34xui8>, %i: tensor<i64>) -> (tensor<2x32xf32>, tensor<2x100x32xf32>) {
  %0 = hamkaas.dequantize_blocks q8_0 %b : tensor<2x100x34xui8>
  %1 = hamkaas.gather %0, %i dim 1 {unchecked} : tensor<2x100x32xf32>, tensor<i64>
  return %1, %0 : tensor<2x32xf32>, tensor<2x100x32xf32>
}

// Taking each row several times is no reason to compute it so often.

// CHECK-LABEL: func @many(
// CHECK:         %[[W:.*]] = hamkaas.dequantize_blocks
// CHECK:         hamkaas.gather %[[W]]
func.func @many(%b: tensor<4x36xui8>, %i: tensor<5xi64>) -> tensor<5x64xf32> {
  %0 = hamkaas.dequantize_blocks q4_0 %b : tensor<4x36xui8>
  %1 = hamkaas.gather %0, %i dim 0 : tensor<4x64xf32>, tensor<5xi64>
  return %1 : tensor<5x64xf32>
}

// Numbers of a row are in several bytes.

// CHECK-LABEL: func @columns(
// CHECK:         %[[W:.*]] = hamkaas.dequantize_blocks
// CHECK:         hamkaas.gather %[[W]]
func.func @columns(%b: tensor<4x36xui8>, %i: tensor<5xi64>) -> tensor<4x5xf32> {
  %0 = hamkaas.dequantize_blocks q4_0 %b : tensor<4x36xui8>
  %1 = hamkaas.gather %0, %i dim 1 : tensor<4x64xf32>, tensor<5xi64>
  return %1 : tensor<4x5xf32>
}
