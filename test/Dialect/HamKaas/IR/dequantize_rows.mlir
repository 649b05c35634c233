// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @rows(
// CHECK:         hamkaas.dequantize_rows %{{.*}}, %{{.*}}, %{{.*}} block 32 step 16 : tensor<2x64xi8>, tensor<2x2xf32>, tensor<2x4xi32>
func.func @rows(%c: tensor<2x64xi8>, %s: tensor<2x2xf32>, %n: tensor<2x4xi32>) -> tensor<2x64xf32> {
  %0 = hamkaas.dequantize_rows %c, %s, %n block 32 step 16 : tensor<2x64xi8>, tensor<2x2xf32>, tensor<2x4xi32>
  return %0 : tensor<2x64xf32>
}
