// RUN: hamkaas-opt %s -hamkaas-form-groups=narrow-products=true -split-input-file | FileCheck %s

// Windows read bytes, which their kernel dequantizes. A reshape between stands
// before it.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<20x4xui8>
// CHECK:         %[[R:.*]] = hamkaas.reshape %[[X]] : tensor<20x4xui8> -> tensor<1x5x4x4xui8>
// CHECK:         %[[Y:.*]] = hamkaas.group reduction(%[[R]]) {{.*}}hamkaas.ops = "cast+sub+mul+pool"{{.*}} : (tensor<1x5x4x4xui8>) -> tensor<1x2x2x4xf32>
// CHECK:         return %[[Y]]
func.func @main(%x: tensor<20x4xui8>) -> tensor<1x2x2x4xf32> {
  %z = hamkaas.constant dense<3.0> : tensor<1x1xf32>
  %s = hamkaas.constant dense<0.5> : tensor<1x1xf32>
  %0 = hamkaas.cast %x : tensor<20x4xui8> -> tensor<20x4xf32>
  %1 = hamkaas.sub %0, %z : tensor<20x4xf32>, tensor<1x1xf32>
  %2 = hamkaas.mul %1, %s : tensor<20x4xf32>, tensor<1x1xf32>
  %3 = hamkaas.reshape %2 : tensor<20x4xf32> -> tensor<1x5x4x4xf32>
  %4 = hamkaas.pool max %3 window [3, 2] strides [2, 2] dilations [1, 1] pad [0, 0] to [0, 0] : tensor<1x5x4x4xf32>
  return %4 : tensor<1x2x2x4xf32>
}

// -----

// Other readers need the floats in memory, and floats that are as narrow as
// what they are computed from are not computed again.

// CHECK-LABEL: func.func @main(
// CHECK:         hamkaas.group elementwise({{.*}}hamkaas.ops = "cast"
// CHECK:         hamkaas.group reduction({{.*}}hamkaas.ops = "pool"
// CHECK:         hamkaas.group elementwise({{.*}}hamkaas.ops = "mul"
// CHECK:         hamkaas.group reduction({{.*}}hamkaas.ops = "pool"
func.func @main(%x: tensor<1x5x4x4xui8>, %f: tensor<1x5x4x4xf32>) -> (tensor<1x5x4x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) {
  %s = hamkaas.constant dense<0.5> : tensor<1x1x1x1xf32>
  %0 = hamkaas.cast %x : tensor<1x5x4x4xui8> -> tensor<1x5x4x4xf32>
  %1 = hamkaas.pool max %0 window [3, 2] strides [2, 2] dilations [1, 1] pad [0, 0] to [0, 0] : tensor<1x5x4x4xf32>
  %2 = hamkaas.mul %f, %s : tensor<1x5x4x4xf32>, tensor<1x1x1x1xf32>
  %3 = hamkaas.pool max %2 window [3, 2] strides [2, 2] dilations [1, 1] pad [0, 0] to [0, 0] : tensor<1x5x4x4xf32>
  return %0, %1, %3 : tensor<1x5x4x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>
}

// -----

// A depthwise convolution, of which the weights stay parameters.

// CHECK-LABEL: func.func @main(
// CHECK:         hamkaas.group reduction({{.*}}hamkaas.ops = "cast+mul+conv"{{.*}} : (tensor<1x5x6x4xi8>, tensor<3x3x1x4xf32>) -> tensor<1x3x4x4xf32>
ml_program.global private @w(#ml_program.extern<tensor<3x3x1x4xf32>>) : tensor<3x3x1x4xf32>
func.func @main(%x: tensor<1x5x6x4xi8>) -> tensor<1x3x4x4xf32> {
  %w = ml_program.global_load_const @w : tensor<3x3x1x4xf32>
  %s = hamkaas.constant dense<0.5> : tensor<1x1x1x1xf32>
  %0 = hamkaas.cast %x : tensor<1x5x6x4xi8> -> tensor<1x5x6x4xf32>
  %1 = hamkaas.mul %0, %s : tensor<1x5x6x4xf32>, tensor<1x1x1x1xf32>
  %2 = hamkaas.conv %1, %w strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 4 : tensor<1x5x6x4xf32>, tensor<3x3x1x4xf32>
  return %2 : tensor<1x3x4x4xf32>
}

// -----

// The sum of two quantized products: the kernel of one of them adds the bytes
// that the other one writes.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[B:.*]] = hamkaas.group contraction({{.*}}hamkaas.ops = "cast+cast+matmul+cast+round+cast"{{.*}} -> tensor<4x8xui8>
// CHECK:         hamkaas.group contraction({{.*}}%[[B]]{{.*}}hamkaas.ops = "cast+cast+cast+matmul+cast+add"{{.*}} -> tensor<4x8xf32>
func.func @main(%x: tensor<4x6xi16>, %y: tensor<4x6xi16>, %v: tensor<6x8xi16>, %w: tensor<6x8xi16>) -> tensor<4x8xf32> {
  %0 = hamkaas.cast %x : tensor<4x6xi16> -> tensor<4x6xi32>
  %1 = hamkaas.cast %v : tensor<6x8xi16> -> tensor<6x8xi32>
  %2 = hamkaas.matmul %0, %1 : tensor<4x6xi32>, tensor<6x8xi32>
  %3 = hamkaas.cast %2 : tensor<4x8xi32> -> tensor<4x8xf32>
  %4 = hamkaas.round %3 : tensor<4x8xf32>
  %5 = hamkaas.cast %4 : tensor<4x8xf32> -> tensor<4x8xui8>
  %6 = hamkaas.cast %5 : tensor<4x8xui8> -> tensor<4x8xf32>
  %7 = hamkaas.cast %y : tensor<4x6xi16> -> tensor<4x6xi32>
  %8 = hamkaas.cast %w : tensor<6x8xi16> -> tensor<6x8xi32>
  %9 = hamkaas.matmul %7, %8 : tensor<4x6xi32>, tensor<6x8xi32>
  %10 = hamkaas.cast %9 : tensor<4x8xi32> -> tensor<4x8xf32>
  %11 = hamkaas.add %10, %6 : tensor<4x8xf32>, tensor<4x8xf32>
  return %11 : tensor<4x8xf32>
}

// -----

// A reshape of moved bytes stays before the cast that a product takes.

// CHECK-LABEL: func.func @main(
// CHECK:         hamkaas.group elementwise({{.*}}hamkaas.ops = "strided_slice"
// CHECK:         hamkaas.group contraction({{.*}}hamkaas.ops = "cast+cast+matmul"{{.*}} : (tensor<4x6xui8>, tensor<6x8xi8>) -> tensor<4x8xi32>
func.func @main(%x: tensor<4x4x6xui8>, %w: tensor<6x8xi8>) -> tensor<4x8xi32> {
  %0 = hamkaas.strided_slice %x offsets [0, 0, 0] sizes [2, 2, 6] strides [2, 2, 1] : tensor<4x4x6xui8>
  %1 = hamkaas.reshape %0 : tensor<2x2x6xui8> -> tensor<4x6xui8>
  %2 = hamkaas.cast %1 : tensor<4x6xui8> -> tensor<4x6xi32>
  %3 = hamkaas.cast %w : tensor<6x8xi8> -> tensor<6x8xi32>
  %4 = hamkaas.matmul %2, %3 : tensor<4x6xi32>, tensor<6x8xi32>
  return %4 : tensor<4x8xi32>
}
