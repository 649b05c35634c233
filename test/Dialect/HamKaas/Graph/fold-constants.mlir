// RUN: hamkaas-opt %s -hamkaas-fold-constants -canonicalize | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-fold-constants=max-bytes=4 -canonicalize \
// RUN:   | FileCheck %s --check-prefix=SMALL

// A chain is computed at once.

// CHECK-LABEL: func @chain(
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.constant dense<[2.000000e+00, 6.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @chain() -> tensor<2xf32> {
  %0 = hamkaas.constant dense<[4.0, 9.0]> : tensor<2xf32>
  %1 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %2 = hamkaas.sqrt %0 : tensor<2xf32>
  %3 = hamkaas.mul %2, %1 : tensor<2xf32>, tensor<2xf32>
  return %3 : tensor<2xf32>
}

// CHECK-LABEL: func @types(
// CHECK-DAG:     %[[A:.*]] = hamkaas.constant dense<[true, false]> : tensor<2xi1>
// CHECK-DAG:     %[[B:.*]] = hamkaas.constant dense<[44, 7]> : tensor<2xui8>
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @types() -> (tensor<2xi1>, tensor<2xui8>) {
  %0 = hamkaas.constant dense<[300, 7]> : tensor<2xi64>
  %1 = hamkaas.constant dense<[8, 8]> : tensor<2xi64>
  %2 = hamkaas.compare gt %0, %1 : tensor<2xi64>, tensor<2xi64>
  %3 = hamkaas.cast %0 : tensor<2xi64> -> tensor<2xui8>
  return %2, %3 : tensor<2xi1>, tensor<2xui8>
}

// The bits of a known generator are those that a device would draw.

// CHECK-LABEL: func @random(
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.constant dense<[1713891541, 3781805453, 3159862348, 2600524760]> : tensor<4xui32>
// CHECK-NEXT:    return %[[Y]]
func.func @random() -> tensor<4xui32> {
  %0 = hamkaas.constant dense<0> : tensor<3xui64>
  %1 = hamkaas.random_bits %0 [4] : tensor<3xui64>
  return %1 : tensor<4xui32>
}

// Equal elements are stored once. 0.0 and -0.0 are not equal.

// CHECK-LABEL: func @splat(
// CHECK-DAG:     hamkaas.constant dense<3.000000e+00> : tensor<4x4xf32>
// CHECK-DAG:     hamkaas.constant dense<[0.000000e+00, -0.000000e+00]> : tensor<2xf32>
func.func @splat() -> (tensor<4x4xf32>, tensor<2xf32>) {
  %0 = hamkaas.constant dense<9.0> : tensor<4x4xf32>
  %1 = hamkaas.sqrt %0 : tensor<4x4xf32>
  %2 = hamkaas.constant dense<[-0.0, 0.0]> : tensor<2xf32>
  %3 = hamkaas.neg %2 : tensor<2xf32>
  return %1, %3 : tensor<4x4xf32>, tensor<2xf32>
}

// Values that depend on a parameter are computed when the program is loaded.

ml_program.global private @w(#ml_program.extern : tensor<2xf32>) : tensor<2xf32>

// CHECK-LABEL: func @parameter(
// CHECK:         hamkaas.sqrt
func.func @parameter() -> tensor<2xf32> {
  %0 = ml_program.global_load_const @w : tensor<2xf32>
  %1 = hamkaas.sqrt %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// The program must not grow: here a product of 16 KB by two factors of 1 KB is
// within the limit of the first run only.

// CHECK-LABEL: func @grows(
// CHECK-NOT:     hamkaas.matmul
// SMALL-LABEL: func @grows(
// SMALL:         hamkaas.matmul
func.func @grows() -> tensor<64x64xf32> {
  %0 = hamkaas.constant dense<1.0> : tensor<64x4xf32>
  %1 = hamkaas.constant dense<2.0> : tensor<4x64xf32>
  %2 = hamkaas.matmul %0, %1 : tensor<64x4xf32>, tensor<4x64xf32>
  return %2 : tensor<64x64xf32>
}

// It does not where the result is no larger than the operands.

// SMALL-LABEL: func @shrinks(
// SMALL-NEXT:    hamkaas.constant dense<[4.000000e+00, 6.000000e+00]> : tensor<2xf32>
// SMALL-NEXT:    return
func.func @shrinks() -> tensor<2xf32> {
  %0 = hamkaas.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %1 = hamkaas.reduce sum %0 over [0] : tensor<2x2xf32>
  return %1 : tensor<2xf32>
}

// Counting and repeating take less time than reading would.

// CHECK-LABEL: func @cheap(
// CHECK:         hamkaas.iota
// CHECK:         hamkaas.broadcast
func.func @cheap() -> (tensor<4xi64>, tensor<4xf32>) {
  %0 = hamkaas.iota 0 : tensor<4xi64>
  %1 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %2 = hamkaas.broadcast %1 : tensor<1xf32> -> tensor<4xf32>
  return %0, %2 : tensor<4xi64>, tensor<4xf32>
}

// A position that does not exist is an error of the run, not of the compiler.

// CHECK-LABEL: func @error(
// CHECK:         hamkaas.replace_slice
func.func @error() -> tensor<2xf32> {
  %x = hamkaas.constant dense<[4.0, 9.0]> : tensor<2xf32>
  %r = hamkaas.constant dense<1.0> : tensor<1xf32>
  %b = hamkaas.constant dense<7> : tensor<1xi64>
  %e = hamkaas.constant dense<8> : tensor<1xi64>
  %0 = hamkaas.replace_slice %x, %r, %b, %e : tensor<2xf32>, tensor<1xf32>
  return %0 : tensor<2xf32>
}

// Blocks of few bits stay: their numbers take more memory.

// CHECK-LABEL: func @blocks(
// CHECK:         %[[B:.*]] = hamkaas.constant {{.*}} : tensor<1x18xui8>
// CHECK:         hamkaas.dequantize_blocks q4_0 %[[B]]
func.func @blocks() -> tensor<1x32xf32> {
  %0 = hamkaas.constant dense<1> : tensor<1x18xui8>
  %1 = hamkaas.dequantize_blocks q4_0 %0 : tensor<1x18xui8>
  return %1 : tensor<1x32xf32>
}
