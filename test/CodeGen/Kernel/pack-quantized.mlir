// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-pack-quantized -split-input-file | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-pack-quantized=integers=true -split-input-file | FileCheck %s --check-prefix=INTEGERS
// RUN: not hamkaas-opt %s -hamkaas-cpu-pack-quantized -split-input-file 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: expected a module with 'hamkaas.target', which hamkaas-attach-target sets

// A row of blocks becomes a column of a panel, whose codes keep the order that
// they have in the block.

// CHECK-LABEL: func @nibbles(
// CHECK:         %[[B:.*]] = hamkaas.reshape %{{.*}} : tensor<40x36xui8> -> tensor<40x2x18xui8>
// CHECK:         %[[Q:.*]] = hamkaas.strided_slice %[[B]] offsets [0, 0, 2] sizes [40, 2, 16]
// CHECK:         hamkaas.bitcast %{{.*}} : tensor<40x2x1xui16> -> tensor<40x2x1xf16>
// CHECK:         hamkaas.pad %{{.*}} high [8, 0]
// CHECK:         %[[C:.*]] = hamkaas.permute %{{.*}}[0, 2, 1, 3] : tensor<2x24x8x4xui8>
// CHECK:         %[[S:.*]] = hamkaas.permute %{{.*}}[0, 2, 1] : tensor<2x24x2xf16>
// CHECK:         %[[W:.*]] = hamkaas.dequantize_panels %[[C]], %[[S]] bits 4 span 32 block 32 zero 8 columns 40
// CHECK:         hamkaas.matmul %{{.*}}, %[[W]] : tensor<64x64xf32>, tensor<64x40xf32>

// The other side has a scale for each 32 numbers.

// INTEGERS-LABEL: func @nibbles(
// INTEGERS-SAME:    %[[X:.*]]: tensor<64x64xf32>
// INTEGERS:         %[[BLOCKS:.*]] = hamkaas.reshape %[[X]] : tensor<64x64xf32> -> tensor<64x2x32xf32>
// INTEGERS:         hamkaas.reduce max
// INTEGERS:         %[[CODES:.*]] = hamkaas.cast {{.*}} -> tensor<64x2x32xi8>
// INTEGERS:         hamkaas.reduce sum
// INTEGERS:         %[[LEFT:.*]] = hamkaas.dequantize_rows {{.*}} block 32 step 32 : tensor<64x64xi8>, tensor<64x2xf32>, tensor<64x2xi32>
// INTEGERS:         hamkaas.matmul %[[LEFT]], %{{.*}} : tensor<64x64xf32>, tensor<64x40xf32>

// A vector stays as it is.

// INTEGERS-LABEL: func @decode(
// INTEGERS-NOT:     hamkaas.dequantize_rows
// INTEGERS:         hamkaas.matmul %{{.*}}, %{{.*}} : tensor<64xf32>, tensor<64x48xf32>
ml_program.global private @w(#ml_program.extern : tensor<40x36xui8>) : tensor<40x36xui8>
func.func @nibbles(%x: tensor<64x64xf32>) -> tensor<64x40xf32> {
  %b = ml_program.global_load_const @w : tensor<40x36xui8>
  %w = hamkaas.dequantize_blocks q4_0 %b : tensor<40x36xui8>
  %t = hamkaas.permute %w [1, 0] : tensor<40x64xf32>
  %y = hamkaas.matmul %x, %t : tensor<64x64xf32>, tensor<64x40xf32>
  return %y : tensor<64x40xf32>
}

// -----

// Two sub-blocks of 32 share bytes; scales and offsets have factors.

// CHECK-LABEL: func @products_of_scales(
// CHECK:         hamkaas.neg
// CHECK:         hamkaas.dequantize_panels %{{.*}}, %{{.*}} offsets %{{.*}} factors %{{.*}} bits 4 span 64 block 32 zero 0 columns 24
// CHECK-SAME:      tensor<1x32x24x4xui8>, tensor<1x8x24xi8>, tensor<1x8x24xi8> factors tensor<1x1x2x24xf16>
ml_program.global private @w(#ml_program.extern : tensor<24x144xui8>) : tensor<24x144xui8>
func.func @products_of_scales(%x: tensor<64x256xf32>) -> tensor<64x24xf32> {
  %b = ml_program.global_load_const @w : tensor<24x144xui8>
  %w = hamkaas.dequantize_blocks q4_k %b : tensor<24x144xui8>
  %t = hamkaas.permute %w [1, 0] : tensor<24x256xf32>
  %y = hamkaas.matmul %x, %t : tensor<64x256xf32>, tensor<256x24xf32>
  return %y : tensor<64x24xf32>
}

// -----

// Codes of 5 bits take 6, and those of 6 bits a byte.

// CHECK-LABEL: func @five_bits(
// CHECK:         hamkaas.dequantize_panels %{{.*}}, %{{.*}} bits 6 span 32 block 32 zero 16 columns 24
// CHECK-SAME:      tensor<1x12x24x4xui8>, tensor<1x2x24xf16>
ml_program.global private @w(#ml_program.extern : tensor<24x44xui8>) : tensor<24x44xui8>
func.func @five_bits(%x: tensor<64x64xf32>) -> tensor<64x24xf32> {
  %b = ml_program.global_load_const @w : tensor<24x44xui8>
  %w = hamkaas.dequantize_blocks q5_0 %b : tensor<24x44xui8>
  %t = hamkaas.permute %w [1, 0] : tensor<24x64xf32>
  %y = hamkaas.matmul %x, %t : tensor<64x64xf32>, tensor<64x24xf32>
  return %y : tensor<64x24xf32>
}

// CHECK-LABEL: func @six_bits(
// CHECK:         hamkaas.dequantize_panels %{{.*}}, %{{.*}} factors %{{.*}} bits 8 span 4 block 16 zero 0 columns 24
// CHECK-SAME:      tensor<1x64x24x4xui8>, tensor<1x16x24xi8> factors tensor<1x1x1x24xf16>
ml_program.global private @v(#ml_program.extern : tensor<24x210xui8>) : tensor<24x210xui8>
func.func @six_bits(%x: tensor<64x256xf32>) -> tensor<64x24xf32> {
  %b = ml_program.global_load_const @v : tensor<24x210xui8>
  %w = hamkaas.dequantize_blocks q6_k %b : tensor<24x210xui8>
  %t = hamkaas.permute %w [1, 0] : tensor<24x256xf32>
  %y = hamkaas.matmul %x, %t : tensor<64x256xf32>, tensor<256x24xf32>
  return %y : tensor<64x24xf32>
}

// -----

// All functions have panels of the width that is best for the most rows.

// CHECK-LABEL: func @decode(
// CHECK:         hamkaas.dequantize_panels {{.*}} tensor<2x16x24x4xui8>
// CHECK-LABEL: func @prefill(
// CHECK:         hamkaas.dequantize_panels {{.*}} tensor<2x16x24x4xui8>
ml_program.global private @w(#ml_program.extern : tensor<48x68xui8>) : tensor<48x68xui8>
func.func @decode(%x: tensor<64xf32>) -> tensor<48xf32> {
  %b = ml_program.global_load_const @w : tensor<48x68xui8>
  %w = hamkaas.dequantize_blocks q8_0 %b : tensor<48x68xui8>
  %t = hamkaas.permute %w [1, 0] : tensor<48x64xf32>
  %y = hamkaas.matmul %x, %t : tensor<64xf32>, tensor<64x48xf32>
  return %y : tensor<48xf32>
}
func.func @prefill(%x: tensor<64x64xf32>) -> tensor<64x48xf32> {
  %b = ml_program.global_load_const @w : tensor<48x68xui8>
  %w = hamkaas.dequantize_blocks q8_0 %b : tensor<48x68xui8>
  %t = hamkaas.permute %w [1, 0] : tensor<48x64xf32>
  %y = hamkaas.matmul %x, %t : tensor<64x64xf32>, tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}

// -----

// Blocks that an input has are expanded in each run.

// CHECK-LABEL: func @input(
// CHECK-NOT:     hamkaas.dequantize_panels
func.func @input(%x: tensor<64x64xf32>, %b: tensor<48x68xui8>) -> tensor<64x48xf32> {
  %w = hamkaas.dequantize_blocks q8_0 %b : tensor<48x68xui8>
  %t = hamkaas.permute %w [1, 0] : tensor<48x64xf32>
  %y = hamkaas.matmul %x, %t : tensor<64x64xf32>, tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}

// -----

// Codes that operations decode, as importers write them, are packed as well: of
// 4 bits if all zero points are equal.

// CHECK-LABEL: func @rows_of_nibbles(
// CHECK:         %[[A:.*]] = hamkaas.and
// CHECK:         %[[C:.*]] = hamkaas.reshape %[[A]] : tensor<24x32x2xui8> -> tensor<24x2x32xui8>
// CHECK:         %[[F:.*]] = hamkaas.reshape %[[C]] : tensor<24x2x32xui8> -> tensor<24x64xui8>
// CHECK:         %[[R:.*]] = hamkaas.reshape %[[F]] : tensor<24x64xui8> -> tensor<24x2x2x16xui8>
// CHECK-NEXT:    %[[L:.*]] = hamkaas.strided_slice %[[R]] offsets [0, 0, 0, 0] sizes [24, 2, 1, 16]
// CHECK-NEXT:    %[[H:.*]] = hamkaas.strided_slice %[[R]] offsets [0, 0, 1, 0] sizes [24, 2, 1, 16]
// CHECK:         %[[S:.*]] = hamkaas.shift_left %[[H]]
// CHECK-NEXT:    hamkaas.or %[[L]], %[[S]]
// CHECK:         %[[W:.*]] = hamkaas.dequantize_panels {{.*}} bits 4 span 32 block 32 zero 8 columns 24
// CHECK-SAME:      tensor<1x8x24x4xui8>, tensor<1x2x24xf32>
// CHECK:         hamkaas.matmul %{{.*}}, %[[W]] : tensor<64x64xf32>, tensor<64x24xf32>
ml_program.global private @w(#ml_program.extern : tensor<24x32x1xui8>) : tensor<24x32x1xui8>
ml_program.global private @s(#ml_program.extern : tensor<24x2x1xf32>) : tensor<24x2x1xf32>
func.func @rows_of_nibbles(%x: tensor<64x64xf32>) -> tensor<64x24xf32> {
  %shifts = hamkaas.constant dense<[[[0, 4]]]> : tensor<1x1x2xui8>
  %mask = hamkaas.constant dense<15> : tensor<1x1x1xui8>
  %eight = hamkaas.constant dense<8.0> : tensor<1x1x1xf32>
  %w = ml_program.global_load_const @w : tensor<24x32x1xui8>
  %s = ml_program.global_load_const @s : tensor<24x2x1xf32>
  %0 = hamkaas.broadcast %w : tensor<24x32x1xui8> -> tensor<24x32x2xui8>
  %1 = hamkaas.shift_right %0, %shifts : tensor<24x32x2xui8>, tensor<1x1x2xui8>
  %2 = hamkaas.and %1, %mask : tensor<24x32x2xui8>, tensor<1x1x1xui8>
  %3 = hamkaas.reshape %2 : tensor<24x32x2xui8> -> tensor<24x2x32xui8>
  %4 = hamkaas.cast %3 : tensor<24x2x32xui8> -> tensor<24x2x32xf32>
  %5 = hamkaas.sub %4, %eight : tensor<24x2x32xf32>, tensor<1x1x1xf32>
  %6 = hamkaas.mul %5, %s : tensor<24x2x32xf32>, tensor<24x2x1xf32>
  %7 = hamkaas.reshape %6 : tensor<24x2x32xf32> -> tensor<24x64xf32>
  %t = hamkaas.permute %7[1, 0] : tensor<24x64xf32>
  %y = hamkaas.matmul %x, %t : tensor<64x64xf32>, tensor<64x24xf32>
  return %y : tensor<64x24xf32>
}

// -----

// Zero points that differ are taken from codes of 4 bits.

// CHECK-LABEL: func @zero_points(
// CHECK:         %[[Z:.*]] = hamkaas.and %{{.*}} : tensor<24x2x1xui8>
// CHECK:         %[[F:.*]] = hamkaas.reshape %[[Z]] : tensor<24x2x1xui8> -> tensor<24x2xui8>
// CHECK:         %[[B:.*]] = hamkaas.reshape %[[F]] : tensor<24x2xui8> -> tensor<24x2x1xui8>
// CHECK:         hamkaas.sub %{{.*}}, %[[B]] : tensor<24x2x32xui8>, tensor<24x2x1xui8>
// CHECK:         hamkaas.dequantize_panels {{.*}} bits 8 span 4 block 32 zero 0 columns 24
ml_program.global private @w(#ml_program.extern : tensor<24x2x32xui8>) : tensor<24x2x32xui8>
ml_program.global private @z(#ml_program.extern : tensor<24x2x1xui8>) : tensor<24x2x1xui8>
ml_program.global private @s(#ml_program.extern : tensor<24x2x1xf32>) : tensor<24x2x1xf32>
func.func @zero_points(%x: tensor<64x64xf32>) -> tensor<64x24xf32> {
  %mask = hamkaas.constant dense<15> : tensor<1x1x1xui8>
  %w = ml_program.global_load_const @w : tensor<24x2x32xui8>
  %z = ml_program.global_load_const @z : tensor<24x2x1xui8>
  %s = ml_program.global_load_const @s : tensor<24x2x1xf32>
  %0 = hamkaas.and %w, %mask : tensor<24x2x32xui8>, tensor<1x1x1xui8>
  %1 = hamkaas.and %z, %mask : tensor<24x2x1xui8>, tensor<1x1x1xui8>
  %2 = hamkaas.cast %0 : tensor<24x2x32xui8> -> tensor<24x2x32xf32>
  %3 = hamkaas.cast %1 : tensor<24x2x1xui8> -> tensor<24x2x1xf32>
  %4 = hamkaas.sub %2, %3 : tensor<24x2x32xf32>, tensor<24x2x1xf32>
  %5 = hamkaas.mul %4, %s : tensor<24x2x32xf32>, tensor<24x2x1xf32>
  %6 = hamkaas.reshape %5 : tensor<24x2x32xf32> -> tensor<24x64xf32>
  %t = hamkaas.permute %6[1, 0] : tensor<24x64xf32>
  %y = hamkaas.matmul %x, %t : tensor<64x64xf32>, tensor<64x24xf32>
  return %y : tensor<64x24xf32>
}

// -----

// One zero point of 8 bits is subtracted in the kernel, as that of codes with a
// sign.

// CHECK-LABEL: func @one_zero_point(
// CHECK:         hamkaas.dequantize_panels {{.*}} bits 8 span 4 block 32 zero -1 columns 24
ml_program.global private @w(#ml_program.extern : tensor<24x2x32xui8>) : tensor<24x2x32xui8>
ml_program.global private @s(#ml_program.extern : tensor<24x2x1xf32>) : tensor<24x2x1xf32>
func.func @one_zero_point(%x: tensor<64x64xf32>) -> tensor<64x24xf32> {
  %zero = hamkaas.constant dense<127.0> : tensor<1x1x1xf32>
  %w = ml_program.global_load_const @w : tensor<24x2x32xui8>
  %s = ml_program.global_load_const @s : tensor<24x2x1xf32>
  %0 = hamkaas.cast %w : tensor<24x2x32xui8> -> tensor<24x2x32xf32>
  %1 = hamkaas.sub %0, %zero : tensor<24x2x32xf32>, tensor<1x1x1xf32>
  %2 = hamkaas.mul %1, %s : tensor<24x2x32xf32>, tensor<24x2x1xf32>
  %3 = hamkaas.reshape %2 : tensor<24x2x32xf32> -> tensor<24x64xf32>
  %t = hamkaas.permute %3[1, 0] : tensor<24x64xf32>
  %y = hamkaas.matmul %x, %t : tensor<64x64xf32>, tensor<64x24xf32>
  return %y : tensor<64x24xf32>
}

// -----

// CHECK-LABEL: func @bytes(
// CHECK:         hamkaas.constant dense<128> : tensor<1x1x1xui8>
// CHECK-NEXT:    hamkaas.sub
// CHECK:         hamkaas.dequantize_panels {{.*}} bits 8 span 4 block 32 zero 0 columns 24
ml_program.global private @w(#ml_program.extern : tensor<24x2x32xui8>) : tensor<24x2x32xui8>
ml_program.global private @s(#ml_program.extern : tensor<24x2x1xf32>) : tensor<24x2x1xf32>
func.func @bytes(%x: tensor<64x64xf32>) -> tensor<64x24xf32> {
  %zero = hamkaas.constant dense<128.0> : tensor<1x1x1xf32>
  %w = ml_program.global_load_const @w : tensor<24x2x32xui8>
  %s = ml_program.global_load_const @s : tensor<24x2x1xf32>
  %0 = hamkaas.cast %w : tensor<24x2x32xui8> -> tensor<24x2x32xf32>
  %1 = hamkaas.sub %0, %zero : tensor<24x2x32xf32>, tensor<1x1x1xf32>
  %2 = hamkaas.mul %1, %s : tensor<24x2x32xf32>, tensor<24x2x1xf32>
  %3 = hamkaas.reshape %2 : tensor<24x2x32xf32> -> tensor<24x64xf32>
  %t = hamkaas.permute %3[1, 0] : tensor<24x64xf32>
  %y = hamkaas.matmul %x, %t : tensor<64x64xf32>, tensor<64x24xf32>
  return %y : tensor<64x24xf32>
}

// -----

// A matrix that is not transposed, in blocks along its rows; signed bytes with
// one scale.

// CHECK-LABEL: func @columns(
// CHECK:         %[[C:.*]] = hamkaas.reshape %{{.*}} : tensor<2x32x24xui8> -> tensor<64x24xui8>
// CHECK:         hamkaas.permute %[[C]][1, 0] : tensor<64x24xui8>
// CHECK:         hamkaas.reshape %{{.*}} : tensor<2x1x24xf32> -> tensor<2x24xf32>
// CHECK:         hamkaas.dequantize_panels {{.*}} bits 4 span 32 block 32 zero 8 columns 24
// CHECK:         hamkaas.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<24x1xf32>
// CHECK:         hamkaas.dequantize_panels {{.*}} bits 8 span 4 block 64 zero 0 columns 24
// CHECK-SAME:      tensor<1x16x24x4xi8>, tensor<1x1x24xf32>
ml_program.global private @w(#ml_program.extern : tensor<2x32x24xui8>) : tensor<2x32x24xui8>
ml_program.global private @s(#ml_program.extern : tensor<2x1x24xf32>) : tensor<2x1x24xf32>
ml_program.global private @v(#ml_program.extern : tensor<64x24xi8>) : tensor<64x24xi8>
func.func @columns(%x: tensor<64x64xf32>) -> (tensor<64x24xf32>, tensor<64x24xf32>) {
  %mask = hamkaas.constant dense<15> : tensor<1x1x1xui8>
  %eight = hamkaas.constant dense<8.0> : tensor<1x1x1xf32>
  %scale = hamkaas.constant dense<0.5> : tensor<1x1xf32>
  %w = ml_program.global_load_const @w : tensor<2x32x24xui8>
  %s = ml_program.global_load_const @s : tensor<2x1x24xf32>
  %v = ml_program.global_load_const @v : tensor<64x24xi8>
  %0 = hamkaas.and %w, %mask : tensor<2x32x24xui8>, tensor<1x1x1xui8>
  %1 = hamkaas.cast %0 : tensor<2x32x24xui8> -> tensor<2x32x24xf32>
  %2 = hamkaas.sub %1, %eight : tensor<2x32x24xf32>, tensor<1x1x1xf32>
  %3 = hamkaas.mul %2, %s : tensor<2x32x24xf32>, tensor<2x1x24xf32>
  %4 = hamkaas.reshape %3 : tensor<2x32x24xf32> -> tensor<64x24xf32>
  %5 = hamkaas.matmul %x, %4 : tensor<64x64xf32>, tensor<64x24xf32>
  %6 = hamkaas.cast %v : tensor<64x24xi8> -> tensor<64x24xf32>
  %7 = hamkaas.mul %6, %scale : tensor<64x24xf32>, tensor<1x1xf32>
  %8 = hamkaas.matmul %x, %7 : tensor<64x64xf32>, tensor<64x24xf32>
  return %5, %8 : tensor<64x24xf32>, tensor<64x24xf32>
}

// -----

// Where both sides are bytes, integers are multiplied.

// CHECK-LABEL: func @both_bytes(
// CHECK-NOT:     hamkaas.dequantize_panels
// CHECK:         return
ml_program.global private @w(#ml_program.extern : tensor<64x24xi8>) : tensor<64x24xi8>
func.func @both_bytes(%x: tensor<64x64xui8>) -> tensor<64x24xf32> {
  %scale = hamkaas.constant dense<0.5> : tensor<1x1xf32>
  %w = ml_program.global_load_const @w : tensor<64x24xi8>
  %0 = hamkaas.cast %x : tensor<64x64xui8> -> tensor<64x64xf32>
  %1 = hamkaas.mul %0, %scale : tensor<64x64xf32>, tensor<1x1xf32>
  %2 = hamkaas.cast %w : tensor<64x24xi8> -> tensor<64x24xf32>
  %3 = hamkaas.mul %2, %scale : tensor<64x24xf32>, tensor<1x1xf32>
  %4 = hamkaas.matmul %1, %3 : tensor<64x64xf32>, tensor<64x24xf32>
  return %4 : tensor<64x24xf32>
}
