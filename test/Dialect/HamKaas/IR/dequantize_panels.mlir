// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @bits_4(
// CHECK:         hamkaas.dequantize_panels %{{.*}}, %{{.*}} bits 4 span 32 block 32 zero 8 columns 14 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>
func.func @bits_4(%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x8xf16>) -> tensor<32x14xf32> {
  %0 = hamkaas.dequantize_panels %c, %s bits 4 span 32 block 32 zero 8 columns 14 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>
  return %0 : tensor<32x14xf32>
}

// CHECK-LABEL: func @offsets(
// CHECK:         hamkaas.dequantize_panels %{{.*}}, %{{.*}} offsets %{{.*}} bits 8 span 4 block 16 zero 0 columns 16 : tensor<1x8x16x4xui8>, tensor<1x2x16xf32>, tensor<1x2x16xf32>
func.func @offsets(%c: tensor<1x8x16x4xui8>, %s: tensor<1x2x16xf32>, %o: tensor<1x2x16xf32>) -> tensor<32x16xf32> {
  %0 = hamkaas.dequantize_panels %c, %s offsets %o bits 8 span 4 block 16 zero 0 columns 16 : tensor<1x8x16x4xui8>, tensor<1x2x16xf32>, tensor<1x2x16xf32>
  return %0 : tensor<32x16xf32>
}

// CHECK-LABEL: func @factors(
// CHECK:         hamkaas.dequantize_panels %{{.*}}, %{{.*}} offsets %{{.*}} factors %{{.*}} bits 6 span 32 block 16 zero 0 columns 16 : tensor<1x12x16x4xui8>, tensor<1x4x16xi8>, tensor<1x4x16xi8> factors tensor<1x1x2x16xf16>
func.func @factors(%c: tensor<1x12x16x4xui8>, %s: tensor<1x4x16xi8>, %o: tensor<1x4x16xi8>, %f: tensor<1x1x2x16xf16>) -> tensor<64x16xf32> {
  %0 = hamkaas.dequantize_panels %c, %s offsets %o factors %f bits 6 span 32 block 16 zero 0 columns 16 : tensor<1x12x16x4xui8>, tensor<1x4x16xi8>, tensor<1x4x16xi8> factors tensor<1x1x2x16xf16>
  return %0 : tensor<64x16xf32>
}

// CHECK-LABEL: func @factors_of_scales(
// CHECK:         hamkaas.dequantize_panels %{{.*}}, %{{.*}} factors %{{.*}} bits 8 span 4 block 16 zero 0 columns 16 : tensor<1x8x16x4xui8>, tensor<1x2x16xi8> factors tensor<1x1x1x16xf16>
func.func @factors_of_scales(%c: tensor<1x8x16x4xui8>, %s: tensor<1x2x16xi8>, %f: tensor<1x1x1x16xf16>) -> tensor<32x16xf32> {
  %0 = hamkaas.dequantize_panels %c, %s factors %f bits 8 span 4 block 16 zero 0 columns 16 : tensor<1x8x16x4xui8>, tensor<1x2x16xi8> factors tensor<1x1x1x16xf16>
  return %0 : tensor<32x16xf32>
}
