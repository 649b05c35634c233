// RUN: hamkaas-opt %s -hamkaas-multiply-integers -split-input-file | FileCheck %s

// Bytes less a zero point on the left, times one scale; bytes on the right,
// times a scale a column, permuted. The result is quantized by the reciprocal
// of its scale. A pointwise reader of the left side has its integers, too.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x6xui8>, %[[W:[^:]*]]: tensor<8x6xi8>, %[[S:[^:]*]]: tensor<8x1xf32>
// CHECK-DAG:     %[[XS:.*]] = hamkaas.cast %[[X]] : tensor<4x6xui8> -> tensor<4x6xi16>
// CHECK-DAG:     %[[Z:.*]] = hamkaas.constant dense<3> : tensor<1x1xi16>
// CHECK:         %[[L:.*]] = hamkaas.sub %[[XS]], %[[Z]] : tensor<4x6xi16>, tensor<1x1xi16>
// CHECK:         %[[XF:.*]] = hamkaas.cast %[[L]] : tensor<4x6xi16> -> tensor<4x6xf32>
// CHECK:         hamkaas.neg %[[XF]]
// CHECK:         hamkaas.permute %{{.*}}[1, 0] : tensor<8x6xi16>
// CHECK:         hamkaas.matmul %{{.*}}, %{{.*}} : tensor<4x6xi32>, tensor<6x8xi32>
// CHECK:         hamkaas.cast %{{.*}} : tensor<4x8xi32> -> tensor<4x8xf32>
// CHECK:         %[[F:.*]] = hamkaas.mul %{{.*}} : tensor<1x8xf32>, tensor<1x1xf32>
// CHECK:         %[[Y:.*]] = hamkaas.mul %{{.*}}, %[[F]] : tensor<4x8xf32>, tensor<1x8xf32>
// CHECK:         %[[R:.*]] = hamkaas.constant dense<4.000000e+00> : tensor<1x1xf32>
// CHECK:         %[[Q:.*]] = hamkaas.mul %[[Y]], %[[R]]
// CHECK:         hamkaas.round %[[Q]]
func.func @main(%x: tensor<4x6xui8>, %w: tensor<8x6xi8>, %s: tensor<8x1xf32>) -> (tensor<4x8xf32>, tensor<4x6xf32>) {
  %z = hamkaas.constant dense<3.0> : tensor<1x1xf32>
  %h = hamkaas.constant dense<0.5> : tensor<1x1xf32>
  %q = hamkaas.constant dense<0.25> : tensor<1x1xf32>
  %0 = hamkaas.cast %x : tensor<4x6xui8> -> tensor<4x6xf32>
  %1 = hamkaas.sub %0, %z : tensor<4x6xf32>, tensor<1x1xf32>
  %n = hamkaas.neg %1 : tensor<4x6xf32>
  %2 = hamkaas.mul %1, %h : tensor<4x6xf32>, tensor<1x1xf32>
  %3 = hamkaas.cast %w : tensor<8x6xi8> -> tensor<8x6xf32>
  %4 = hamkaas.mul %3, %s : tensor<8x6xf32>, tensor<8x1xf32>
  %5 = hamkaas.permute %4 [1, 0] : tensor<8x6xf32>
  %6 = hamkaas.matmul %2, %5 : tensor<4x6xf32>, tensor<6x8xf32>
  %7 = hamkaas.div %6, %q : tensor<4x8xf32>, tensor<1x1xf32>
  %8 = hamkaas.round %7 : tensor<4x8xf32>
  return %8, %n : tensor<4x8xf32>, tensor<4x6xf32>
}

// -----

// Not a scale for each element of the depth, and no integers of 16 bits; a
// quotient stays where nothing is quantized.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     i32
// CHECK:         hamkaas.div
func.func @main(%x: tensor<4x6xui8>, %w: tensor<6x8xi8>, %s: tensor<6x1xf32>, %v: tensor<6x8xi16>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %q = hamkaas.constant dense<0.25> : tensor<1x1xf32>
  %0 = hamkaas.cast %x : tensor<4x6xui8> -> tensor<4x6xf32>
  %1 = hamkaas.cast %w : tensor<6x8xi8> -> tensor<6x8xf32>
  %2 = hamkaas.mul %1, %s : tensor<6x8xf32>, tensor<6x1xf32>
  %3 = hamkaas.matmul %0, %2 : tensor<4x6xf32>, tensor<6x8xf32>
  %4 = hamkaas.cast %v : tensor<6x8xi16> -> tensor<6x8xf32>
  %5 = hamkaas.matmul %0, %4 : tensor<4x6xf32>, tensor<6x8xf32>
  %6 = hamkaas.div %5, %q : tensor<4x8xf32>, tensor<1x1xf32>
  %7 = hamkaas.round %6 : tensor<4x8xf32>
  return %3, %7 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Sums of 40000 such products may need more than 32 bits.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     i32
func.func @main(%x: tensor<1x40000xui8>, %w: tensor<40000x1xui8>) -> tensor<1x1xf32> {
  %0 = hamkaas.cast %x : tensor<1x40000xui8> -> tensor<1x40000xf32>
  %1 = hamkaas.cast %w : tensor<40000x1xui8> -> tensor<40000x1xf32>
  %2 = hamkaas.matmul %0, %1 : tensor<1x40000xf32>, tensor<40000x1xf32>
  return %2 : tensor<1x1xf32>
}

// -----

// A convolution of each channel alone sums up the integers in float32.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[Y:.*]] = hamkaas.conv %{{.*}} groups 4 : tensor<1x5x6x4xf32>, tensor<3x3x1x4xf32>
// CHECK:         hamkaas.mul %[[Y]], %{{.*}} : tensor<1x3x4x4xf32>, tensor<1x1x1x1xf32>
func.func @main(%x: tensor<1x5x6x4xui8>, %w: tensor<3x3x1x4xi8>) -> tensor<1x3x4x4xf32> {
  %s = hamkaas.constant dense<0.5> : tensor<1x1x1x1xf32>
  %0 = hamkaas.cast %x : tensor<1x5x6x4xui8> -> tensor<1x5x6x4xf32>
  %1 = hamkaas.mul %0, %s : tensor<1x5x6x4xf32>, tensor<1x1x1x1xf32>
  %2 = hamkaas.cast %w : tensor<3x3x1x4xi8> -> tensor<3x3x1x4xf32>
  %3 = hamkaas.conv %1, %2 strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 4 : tensor<1x5x6x4xf32>, tensor<3x3x1x4xf32>
  return %3 : tensor<1x3x4x4xf32>
}

// -----

// Float32 does not have all sums of 23 x 23 products: they stay as they are.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[X:.*]] = hamkaas.mul
// CHECK:         hamkaas.conv %[[X]], %{{.*}} groups 4
func.func @main(%x: tensor<1x23x23x4xui8>, %w: tensor<23x23x1x4xi8>) -> tensor<1x1x1x4xf32> {
  %s = hamkaas.constant dense<0.5> : tensor<1x1x1x1xf32>
  %0 = hamkaas.cast %x : tensor<1x23x23x4xui8> -> tensor<1x23x23x4xf32>
  %1 = hamkaas.mul %0, %s : tensor<1x23x23x4xf32>, tensor<1x1x1x1xf32>
  %2 = hamkaas.cast %w : tensor<23x23x1x4xi8> -> tensor<23x23x1x4xf32>
  %3 = hamkaas.conv %1, %2 strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 4 : tensor<1x23x23x4xf32>, tensor<23x23x1x4xf32>
  return %3 : tensor<1x1x1x4xf32>
}
