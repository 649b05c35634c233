// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s

// The type of the result follows from that of the blocks.

// CHECK-LABEL: func @legacy(
// CHECK:         hamkaas.dequantize_blocks q4_0 %{{.*}} : tensor<4x36xui8>
// CHECK:         hamkaas.dequantize_blocks q4_1 %{{.*}} : tensor<1x20xui8>
// CHECK:         hamkaas.dequantize_blocks q5_0 %{{.*}} : tensor<22xui8>
// CHECK:         hamkaas.dequantize_blocks q5_1 %{{.*}} : tensor<2x3x48xui8>
// CHECK:         hamkaas.dequantize_blocks q8_0 %{{.*}} : tensor<4x34xui8>
func.func @legacy(%a: tensor<4x36xui8>, %b: tensor<1x20xui8>, %c: tensor<22xui8>, %d: tensor<2x3x48xui8>, %e: tensor<4x34xui8>)
    -> (tensor<4x64xf32>, tensor<1x32xf32>, tensor<32xf32>, tensor<2x3x64xf32>, tensor<4x32xf32>) {
  %0 = hamkaas.dequantize_blocks q4_0 %a : tensor<4x36xui8>
  %1 = hamkaas.dequantize_blocks q4_1 %b : tensor<1x20xui8>
  %2 = hamkaas.dequantize_blocks q5_0 %c : tensor<22xui8>
  %3 = hamkaas.dequantize_blocks q5_1 %d : tensor<2x3x48xui8>
  %4 = hamkaas.dequantize_blocks q8_0 %e : tensor<4x34xui8>
  return %0, %1, %2, %3, %4 : tensor<4x64xf32>, tensor<1x32xf32>, tensor<32xf32>, tensor<2x3x64xf32>, tensor<4x32xf32>
}

// CHECK-LABEL: func @k(
// CHECK:         hamkaas.dequantize_blocks q2_k %{{.*}} : tensor<2x84xui8>
// CHECK:         hamkaas.dequantize_blocks q3_k %{{.*}} : tensor<2x110xui8>
// CHECK:         hamkaas.dequantize_blocks q4_k %{{.*}} : tensor<2x144xui8>
// CHECK:         hamkaas.dequantize_blocks q5_k %{{.*}} : tensor<2x176xui8>
// CHECK:         hamkaas.dequantize_blocks q6_k %{{.*}} : tensor<1x420xui8>
func.func @k(%a: tensor<2x84xui8>, %b: tensor<2x110xui8>, %c: tensor<2x144xui8>, %d: tensor<2x176xui8>, %e: tensor<1x420xui8>)
    -> (tensor<2x256xf32>, tensor<2x256xf32>, tensor<2x256xf32>, tensor<2x256xf32>, tensor<1x512xf32>) {
  %0 = hamkaas.dequantize_blocks q2_k %a : tensor<2x84xui8>
  %1 = hamkaas.dequantize_blocks q3_k %b : tensor<2x110xui8>
  %2 = hamkaas.dequantize_blocks q4_k %c : tensor<2x144xui8>
  %3 = hamkaas.dequantize_blocks q5_k %d : tensor<2x176xui8>
  %4 = hamkaas.dequantize_blocks q6_k %e : tensor<1x420xui8>
  return %0, %1, %2, %3, %4 : tensor<2x256xf32>, tensor<2x256xf32>, tensor<2x256xf32>, tensor<2x256xf32>, tensor<1x512xf32>
}
