// RUN: hamkaas-opt %s -hamkaas-form-groups -split-input-file | FileCheck %s

// The floating point operations of each op are those of its formula.

// CHECK-LABEL: func @elementwise(
// CHECK:         {hamkaas.flops = 6 : i64, hamkaas.ops = "add"}
// CHECK:         {hamkaas.flops = 6 : i64, hamkaas.ops = "mul"}
// CHECK:         {hamkaas.flops = 6 : i64, hamkaas.ops = "relu"}
// CHECK:         {hamkaas.flops = 24 : i64, hamkaas.ops = "silu"}
// CHECK:         {hamkaas.flops = 0 : i64, hamkaas.ops = "permute"}
func.func @elementwise(%x: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>) {
  %0 = hamkaas.add %x, %b : tensor<2x3xf32>, tensor<1x3xf32>
  %1 = hamkaas.mul %x, %b : tensor<2x3xf32>, tensor<1x3xf32>
  %2 = hamkaas.relu %x : tensor<2x3xf32>
  %3 = hamkaas.silu %x : tensor<2x3xf32>
  %4 = hamkaas.permute %x[1, 0] : tensor<2x3xf32>
  return %0, %1, %2, %3, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>
}

// -----

// Two complex numbers, each of four products and two sums.

// CHECK-LABEL: func @complex(
// CHECK:         {hamkaas.flops = 12 : i64, hamkaas.ops = "complex_mul"}
func.func @complex(%x: tensor<2x2xf32>, %r: tensor<1x2xf32>) -> tensor<2x2xf32> {
  %0 = hamkaas.complex_mul %x, %r : tensor<2x2xf32>, tensor<1x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// CHECK-LABEL: func @rows(
// CHECK:         {hamkaas.flops = 38 : i64, hamkaas.ops = "rms_norm"}
// CHECK:         {hamkaas.flops = 30 : i64, hamkaas.ops = "sliced_softmax"}
// CHECK:         {hamkaas.flops = 40 : i64, hamkaas.ops = "sliced_softmax"}
func.func @rows(%x: tensor<2x4xf32>, %w: tensor<4xf32>, %p: tensor<1xi64>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = hamkaas.rms_norm %x, %w : tensor<2x4xf32>, tensor<4xf32>
  %1 = hamkaas.sliced_softmax %x static_prefix 3 : tensor<2x4xf32>
  %2 = hamkaas.sliced_softmax %x prefix(%p) : tensor<2x4xf32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// 2^70 operations, and more with the sum: the count does not wrap.

// CHECK-LABEL: func @many(
// CHECK:         {hamkaas.flops = 9223372036854775807 : i64, hamkaas.ops = "matmul+relu"}
func.func @many(%x: tensor<8388608x8388608xf32>) -> tensor<8388608x8388608xf32> {
  %0 = hamkaas.matmul %x, %x : tensor<8388608x8388608xf32>, tensor<8388608x8388608xf32>
  %1 = hamkaas.relu %0 : tensor<8388608x8388608xf32>
  return %1 : tensor<8388608x8388608xf32>
}
