// RUN: hamkaas-opt %s -hamkaas-expand-dequantize | FileCheck %s

// Two bytes are the scale of a block, which multiplies its codes.

// CHECK-LABEL: func @q4_0(
// CHECK-SAME:    %[[ROWS:.*]]: tensor<2x36xui8>
// CHECK:         %[[B:.*]] = hamkaas.reshape %[[ROWS]] : tensor<2x36xui8> -> tensor<4x18xui8>
// CHECK:         hamkaas.constant dense<0> : tensor<1x1xi64>
// CHECK-NEXT:    %[[G0:.*]] = hamkaas.gather %[[B]], %{{.*}} dim 1 {unchecked}
// CHECK-NEXT:    %[[LOW:.*]] = hamkaas.cast %[[G0]] : tensor<4x1x1xui8> -> tensor<4x1x1xui16>
// CHECK:         hamkaas.constant dense<1> : tensor<1x1xi64>
// CHECK:         %[[HIGH:.*]] = hamkaas.shift_left
// CHECK-NEXT:    %[[BITS:.*]] = hamkaas.or %[[LOW]], %[[HIGH]]
// CHECK-NEXT:    %[[HALF:.*]] = hamkaas.bitcast %[[BITS]] : tensor<4x1x1xui16> -> tensor<4x1x1xf16>
// CHECK-NEXT:    %[[D:.*]] = hamkaas.cast %[[HALF]] : tensor<4x1x1xf16> -> tensor<4x1x1xf32>
// CHECK:         hamkaas.constant dense<{{\[\[}}2, 3, {{.*}}, 16, 17, 2, 3, {{.*}}, 16, 17]]> : tensor<1x32xi64>
// CHECK-NEXT:    %[[BYTES:.*]] = hamkaas.gather %[[B]], %{{.*}} dim 1 {unchecked}
// CHECK-NEXT:    hamkaas.constant dense<{{\[\[\[}}0, {{.*}} 0, 4, {{.*}} 4]]]> : tensor<1x1x32xui8>
// CHECK-NEXT:    %[[SHIFTED:.*]] = hamkaas.shift_right %[[BYTES]]
// CHECK-NEXT:    hamkaas.constant dense<15> : tensor<1x1x1xui8>
// CHECK-NEXT:    %[[CODES:.*]] = hamkaas.and %[[SHIFTED]]
// CHECK-NEXT:    %[[X:.*]] = hamkaas.cast %[[CODES]] : tensor<4x1x32xui8> -> tensor<4x1x32xf32>
// CHECK-NEXT:    hamkaas.constant dense<8.000000e+00> : tensor<1x1x1xf32>
// CHECK-NEXT:    %[[SIGNED:.*]] = hamkaas.sub %[[X]]
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.mul %[[SIGNED]], %[[D]] : tensor<4x1x32xf32>, tensor<4x1x1xf32>
// CHECK-NEXT:    %[[R:.*]] = hamkaas.reshape %[[Y]] : tensor<4x1x32xf32> -> tensor<2x64xf32>
// CHECK-NEXT:    return %[[R]]
func.func @q4_0(%b: tensor<2x36xui8>) -> tensor<2x64xf32> {
  %0 = hamkaas.dequantize_blocks q4_0 %b : tensor<2x36xui8>
  return %0 : tensor<2x64xf32>
}

// With a minimum.

// CHECK-LABEL: func @q4_1(
// CHECK:         %[[Y:.*]] = hamkaas.mul {{.*}} : tensor<1x1x32xf32>, tensor<1x1x1xf32>
// CHECK:         hamkaas.constant dense<2> : tensor<1x1xi64>
// CHECK:         %[[M:.*]] = hamkaas.cast {{.*}} -> tensor<1x1x1xf32>
// CHECK-NEXT:    hamkaas.add %[[Y]], %[[M]]
func.func @q4_1(%b: tensor<20xui8>) -> tensor<32xf32> {
  %0 = hamkaas.dequantize_blocks q4_1 %b : tensor<20xui8>
  return %0 : tensor<32xf32>
}

// A fifth bit of each code is in bytes of its own.

// CHECK-LABEL: func @q5_0(
// CHECK:         hamkaas.constant dense<{{\[\[}}6, {{.*}}, 21, 6, {{.*}}, 21]]> : tensor<1x32xi64>
// CHECK:         %[[LOW:.*]] = hamkaas.and
// CHECK:         hamkaas.constant dense<{{\[\[}}2, {{.*}}, 5]]> : tensor<1x32xi64>
// CHECK:         hamkaas.constant dense<{{\[\[\[}}0, 1, 2, 3, 4, 5, 6, 7, 0, {{.*}}, 7]]]> : tensor<1x1x32xui8>
// CHECK:         %[[HIGH:.*]] = hamkaas.shift_left
// CHECK-NEXT:    %[[CODES:.*]] = hamkaas.or %[[LOW]], %[[HIGH]]
// CHECK-NEXT:    %[[X:.*]] = hamkaas.cast %[[CODES]]
// CHECK-NEXT:    hamkaas.constant dense<1.600000e+01>
// CHECK-NEXT:    hamkaas.sub %[[X]]
func.func @q5_0(%b: tensor<1x22xui8>) -> tensor<1x32xf32> {
  %0 = hamkaas.dequantize_blocks q5_0 %b : tensor<1x22xui8>
  return %0 : tensor<1x32xf32>
}

// CHECK-LABEL: func @q5_1(
// CHECK:         %[[CODES:.*]] = hamkaas.or {{.*}} : tensor<1x1x32xui8>
// CHECK-NEXT:    %[[X:.*]] = hamkaas.cast %[[CODES]]
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.mul %[[X]]
// CHECK:         hamkaas.add %[[Y]]
func.func @q5_1(%b: tensor<1x24xui8>) -> tensor<1x32xf32> {
  %0 = hamkaas.dequantize_blocks q5_1 %b : tensor<1x24xui8>
  return %0 : tensor<1x32xf32>
}

// CHECK-LABEL: func @q8_0(
// CHECK:         %[[CODES:.*]] = hamkaas.bitcast {{.*}} : tensor<1x1x32xui8> -> tensor<1x1x32xi8>
// CHECK-NEXT:    %[[X:.*]] = hamkaas.cast %[[CODES]]
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.mul %[[X]]
// CHECK-NEXT:    hamkaas.reshape %[[Y]]
func.func @q8_0(%b: tensor<1x34xui8>) -> tensor<1x32xf32> {
  %0 = hamkaas.dequantize_blocks q8_0 %b : tensor<1x34xui8>
  return %0 : tensor<1x32xf32>
}

// Each part of a block of 256 numbers has a scale and a minimum.

// CHECK-LABEL: func @q2_k(
// CHECK:         %[[D:.*]] = hamkaas.mul {{.*}} : tensor<1x16x1xf32>, tensor<1x1x1xf32>
// CHECK:         %[[M:.*]] = hamkaas.mul {{.*}} : tensor<1x16x1xf32>, tensor<1x1x1xf32>
// CHECK:         %[[Y:.*]] = hamkaas.mul %{{.*}}, %[[D]] : tensor<1x16x16xf32>, tensor<1x16x1xf32>
// CHECK-NEXT:    hamkaas.sub %[[Y]], %[[M]] : tensor<1x16x16xf32>, tensor<1x16x1xf32>
func.func @q2_k(%b: tensor<1x84xui8>) -> tensor<1x256xf32> {
  %0 = hamkaas.dequantize_blocks q2_k %b : tensor<1x84xui8>
  return %0 : tensor<1x256xf32>
}

// CHECK-LABEL: func @q3_k(
// CHECK:         hamkaas.constant dense<3.200000e+01>
// CHECK:         %[[D:.*]] = hamkaas.mul {{.*}} : tensor<1x16x1xf32>, tensor<1x1x1xf32>
// CHECK:         hamkaas.constant dense<4.000000e+00>
// CHECK-NEXT:    %[[X:.*]] = hamkaas.sub
// CHECK-NEXT:    hamkaas.mul %[[X]], %[[D]] : tensor<1x16x16xf32>, tensor<1x16x1xf32>
func.func @q3_k(%b: tensor<1x110xui8>) -> tensor<1x256xf32> {
  %0 = hamkaas.dequantize_blocks q3_k %b : tensor<1x110xui8>
  return %0 : tensor<1x256xf32>
}

// The first four scales have 6 bits of a byte, the others 4 and 2 of two bytes.

// CHECK-LABEL: func @q4_k(
// CHECK:         hamkaas.constant dense<{{\[}}[4], [5], [6], [7], [12], [13], [14], [15]]> : tensor<8x1xi64>
// CHECK:         hamkaas.constant dense<{{\[\[}}[63], [63], [63], [63], [15], [15], [15], [15]]]> : tensor<1x8x1xui8>
// CHECK:         hamkaas.constant dense<{{\[}}[4], [5], [6], [7], [4], [5], [6], [7]]> : tensor<8x1xi64>
// CHECK:         hamkaas.constant dense<{{\[\[}}[0], [0], [0], [0], [3], [3], [3], [3]]]> : tensor<1x8x1xui8>
// CHECK:         %[[D:.*]] = hamkaas.mul {{.*}} : tensor<1x8x1xf32>, tensor<1x1x1xf32>
// CHECK:         hamkaas.constant dense<{{\[}}[8], [9], [10], [11], [12], [13], [14], [15]]> : tensor<8x1xi64>
// CHECK:         %[[M:.*]] = hamkaas.mul {{.*}} : tensor<1x8x1xf32>, tensor<1x1x1xf32>
// CHECK:         %[[Y:.*]] = hamkaas.mul %{{.*}}, %[[D]] : tensor<1x8x32xf32>, tensor<1x8x1xf32>
// CHECK-NEXT:    hamkaas.sub %[[Y]], %[[M]] : tensor<1x8x32xf32>, tensor<1x8x1xf32>
func.func @q4_k(%b: tensor<1x144xui8>) -> tensor<1x256xf32> {
  %0 = hamkaas.dequantize_blocks q4_k %b : tensor<1x144xui8>
  return %0 : tensor<1x256xf32>
}

// CHECK-LABEL: func @q5_k(
// CHECK:         hamkaas.or {{.*}} : tensor<1x8x32xui8>, tensor<1x8x32xui8>
// CHECK:         %[[Y:.*]] = hamkaas.mul {{.*}} : tensor<1x8x32xf32>, tensor<1x8x1xf32>
// CHECK-NEXT:    hamkaas.sub %[[Y]], %{{.*}} : tensor<1x8x32xf32>, tensor<1x8x1xf32>
func.func @q5_k(%b: tensor<1x176xui8>) -> tensor<1x256xf32> {
  %0 = hamkaas.dequantize_blocks q5_k %b : tensor<1x176xui8>
  return %0 : tensor<1x256xf32>
}

// CHECK-LABEL: func @q6_k(
// CHECK:         hamkaas.or {{.*}} : tensor<1x16x16xui8>, tensor<1x16x16xui8>
// CHECK:         hamkaas.constant dense<3.200000e+01>
// CHECK-NEXT:    %[[X:.*]] = hamkaas.sub
// CHECK:         hamkaas.bitcast {{.*}} : tensor<1x16x1xui8> -> tensor<1x16x1xi8>
// CHECK:         %[[D:.*]] = hamkaas.mul {{.*}} : tensor<1x16x1xf32>, tensor<1x1x1xf32>
// CHECK-NEXT:    hamkaas.mul %[[X]], %[[D]] : tensor<1x16x16xf32>, tensor<1x16x1xf32>
func.func @q6_k(%b: tensor<1x210xui8>) -> tensor<1x256xf32> {
  %0 = hamkaas.dequantize_blocks q6_k %b : tensor<1x210xui8>
  return %0 : tensor<1x256xf32>
}

// Also in loops.

// CHECK-LABEL: func @loop(
// CHECK:         hamkaas.scan
// CHECK-NOT:     hamkaas.dequantize_blocks
// CHECK:         hamkaas.mul
func.func @loop(%b: tensor<3x18xui8>, %x: tensor<32xf32>) -> tensor<32xf32> {
  %0 = hamkaas.scan 3 from(%x) over(%b) with() : (tensor<32xf32>, tensor<3x18xui8>) -> tensor<32xf32> {
  ^bb0(%sum: tensor<32xf32>, %row: tensor<18xui8>):
    %1 = hamkaas.dequantize_blocks q4_0 %row : tensor<18xui8>
    %2 = hamkaas.add %sum, %1 : tensor<32xf32>, tensor<32xf32>
    hamkaas.yield %2 : tensor<32xf32>
  }
  return %0 : tensor<32xf32>
}
