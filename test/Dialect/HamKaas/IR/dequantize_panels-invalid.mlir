// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_bits(%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected codes of 4 bits and a span that is a multiple of 8, of 6 bits and a span of 32, or of 8 bits and a span of 4, got 5 bits and a span of 32}}
  %0 = hamkaas.dequantize_panels %c, %s bits 5 span 32 block 32 zero 8 columns 14 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c1_span(%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected codes of 4 bits and a span that is a multiple of 8, of 6 bits and a span of 32, or of 8 bits and a span of 4, got 4 bits and a span of 12}}
  %0 = hamkaas.dequantize_panels %c, %s bits 4 span 12 block 32 zero 8 columns 14 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c1_no_span(%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected codes of 4 bits and a span that is a multiple of 8, of 6 bits and a span of 32, or of 8 bits and a span of 4, got 4 bits and a span of 0}}
  %0 = hamkaas.dequantize_panels %c, %s bits 4 span 0 block 32 zero 8 columns 14 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c1_bytes(%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected codes of 4 bits and a span that is a multiple of 8, of 6 bits and a span of 32, or of 8 bits and a span of 4, got 8 bits and a span of 8}}
  %0 = hamkaas.dequantize_panels %c, %s bits 8 span 8 block 16 zero 8 columns 14 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c2_rank(%c: tensor<8x8x4xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected codes and scales of the panels of 14 columns, got 'tensor<8x8x4xui8>' and 'tensor<2x1x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s bits 4 span 32 block 32 zero 8 columns 14 : tensor<8x8x4xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c2_bytes(%c: tensor<2x4x8x2xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected codes and scales of the panels of 14 columns, got 'tensor<2x4x8x2xui8>' and 'tensor<2x1x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s bits 4 span 32 block 32 zero 8 columns 14 : tensor<2x4x8x2xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c2_panels(%c: tensor<2x4x8x4xui8>, %s: tensor<1x1x8xf16>) {
  // expected-error @below {{expected codes and scales of the panels of 14 columns, got 'tensor<2x4x8x4xui8>' and 'tensor<1x1x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s bits 4 span 32 block 32 zero 8 columns 14 : tensor<2x4x8x4xui8>, tensor<1x1x8xf16>
  return
}

// -----

func.func @c2_width(%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x16xf16>) {
  // expected-error @below {{expected codes and scales of the panels of 14 columns, got 'tensor<2x4x8x4xui8>' and 'tensor<2x1x16xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s bits 4 span 32 block 32 zero 8 columns 14 : tensor<2x4x8x4xui8>, tensor<2x1x16xf16>
  return
}

// -----

func.func @c2_columns(%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected codes and scales of the panels of 8 columns, got 'tensor<2x4x8x4xui8>' and 'tensor<2x1x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s bits 4 span 32 block 32 zero 8 columns 8 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c2_no_columns(%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected codes and scales of the panels of 0 columns, got 'tensor<2x4x8x4xui8>' and 'tensor<2x1x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s bits 4 span 32 block 32 zero 8 columns 0 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c3_word(%c: tensor<2x4x8x4xui8>, %s: tensor<2x16x8xf16>) {
  // expected-error @below {{expected scales of each block of 2 of 32 rows in spans of 32, got 'tensor<2x16x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s bits 4 span 32 block 2 zero 8 columns 14 : tensor<2x4x8x4xui8>, tensor<2x16x8xf16>
  return
}

// -----

func.func @c3_half(%c: tensor<2x4x8x4xui8>, %s: tensor<2x4x8xf16>) {
  // expected-error @below {{expected scales of each block of 12 of 32 rows in spans of 32, got 'tensor<2x4x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s bits 4 span 32 block 12 zero 8 columns 14 : tensor<2x4x8x4xui8>, tensor<2x4x8xf16>
  return
}

// -----

func.func @c3_divides(%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected scales of each block of 64 of 32 rows in spans of 32, got 'tensor<2x1x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s bits 4 span 32 block 64 zero 8 columns 14 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c3_span(%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected scales of each block of 24 of 32 rows in spans of 24, got 'tensor<2x1x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s bits 4 span 24 block 24 zero 8 columns 14 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c3_scales(%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected scales of each block of 16 of 32 rows in spans of 32, got 'tensor<2x1x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s bits 4 span 32 block 16 zero 8 columns 14 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c4_offsets(%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x8xf16>, %o: tensor<2x1x8xf32>) {
  // expected-error @below {{expected offsets of the type of the scales ('tensor<2x1x8xf16>'), got 'tensor<2x1x8xf32>'}}
  %0 = hamkaas.dequantize_panels %c, %s offsets %o bits 4 span 32 block 32 zero 8 columns 14 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>, tensor<2x1x8xf32>
  return
}

// -----

func.func @c5_zero(%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected a code of 4 bits as zero, got 16}}
  %0 = hamkaas.dequantize_panels %c, %s bits 4 span 32 block 32 zero 16 columns 14 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c5_negative(%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected a code of 4 bits as zero, got -1}}
  %0 = hamkaas.dequantize_panels %c, %s bits 4 span 32 block 32 zero -1 columns 14 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c5_byte(%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected a code of 8 bits as zero, got 128}}
  %0 = hamkaas.dequantize_panels %c, %s bits 8 span 4 block 16 zero 128 columns 14 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c1_six(%c: tensor<2x6x8x4xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected codes of 4 bits and a span that is a multiple of 8, of 6 bits and a span of 32, or of 8 bits and a span of 4, got 6 bits and a span of 16}}
  %0 = hamkaas.dequantize_panels %c, %s bits 6 span 16 block 32 zero 0 columns 14 : tensor<2x6x8x4xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c3_six(%c: tensor<2x6x8x4xui8>, %s: tensor<2x8x8xf16>) {
  // expected-error @below {{expected scales of each block of 4 of 32 rows in spans of 32, got 'tensor<2x8x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s bits 6 span 32 block 4 zero 0 columns 14 : tensor<2x6x8x4xui8>, tensor<2x8x8xf16>
  return
}

// -----

func.func @c3_part_of_a_span(%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected scales of each block of 32 of 21 rows in spans of 32, got 'tensor<2x1x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s bits 6 span 32 block 32 zero 0 columns 14 : tensor<2x4x8x4xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c5_six(%c: tensor<2x6x8x4xui8>, %s: tensor<2x1x8xf16>) {
  // expected-error @below {{expected a code of 6 bits as zero, got 64}}
  %0 = hamkaas.dequantize_panels %c, %s bits 6 span 32 block 32 zero 64 columns 14 : tensor<2x6x8x4xui8>, tensor<2x1x8xf16>
  return
}

// -----

func.func @c6_no_factors(%c: tensor<2x6x8x4xui8>, %s: tensor<2x1x8xi8>) {
  // expected-error @below {{expected factors exactly if the scales are i8, got scales 'tensor<2x1x8xi8>'}}
  %0 = hamkaas.dequantize_panels %c, %s bits 6 span 32 block 32 zero 0 columns 14 : tensor<2x6x8x4xui8>, tensor<2x1x8xi8>
  return
}

// -----

func.func @c6_floats(%c: tensor<2x6x8x4xui8>, %s: tensor<2x1x8xf16>, %f: tensor<2x1x1x8xf16>) {
  // expected-error @below {{expected factors exactly if the scales are i8, got scales 'tensor<2x1x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s factors %f bits 6 span 32 block 32 zero 0 columns 14 : tensor<2x6x8x4xui8>, tensor<2x1x8xf16> factors tensor<2x1x1x8xf16>
  return
}

// -----

func.func @c6_group(%c: tensor<2x6x8x4xui8>, %s: tensor<2x1x8xi8>, %f: tensor<2x2x1x8xf16>) {
  // expected-error @below {{expected 1 factors of groups of whole blocks of 32 of 32 rows, got 'tensor<2x2x1x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s factors %f bits 6 span 32 block 32 zero 0 columns 14 : tensor<2x6x8x4xui8>, tensor<2x1x8xi8> factors tensor<2x2x1x8xf16>
  return
}

// -----

func.func @c6_levels(%c: tensor<2x6x8x4xui8>, %s: tensor<2x1x8xi8>, %f: tensor<2x1x2x8xf16>) {
  // expected-error @below {{expected 1 factors of groups of whole blocks of 32 of 32 rows, got 'tensor<2x1x2x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s factors %f bits 6 span 32 block 32 zero 0 columns 14 : tensor<2x6x8x4xui8>, tensor<2x1x8xi8> factors tensor<2x1x2x8xf16>
  return
}

// -----

func.func @c6_width(%c: tensor<2x6x8x4xui8>, %s: tensor<2x1x8xi8>, %f: tensor<2x1x1x16xf16>) {
  // expected-error @below {{expected 1 factors of groups of whole blocks of 32 of 32 rows, got 'tensor<2x1x1x16xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s factors %f bits 6 span 32 block 32 zero 0 columns 14 : tensor<2x6x8x4xui8>, tensor<2x1x8xi8> factors tensor<2x1x1x16xf16>
  return
}

// -----

func.func @c6_panels(%c: tensor<2x6x8x4xui8>, %s: tensor<2x1x8xi8>, %f: tensor<1x1x1x8xf16>) {
  // expected-error @below {{expected 1 factors of groups of whole blocks of 32 of 32 rows, got 'tensor<1x1x1x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s factors %f bits 6 span 32 block 32 zero 0 columns 14 : tensor<2x6x8x4xui8>, tensor<2x1x8xi8> factors tensor<1x1x1x8xf16>
  return
}

// -----

func.func @c6_rank(%c: tensor<2x6x8x4xui8>, %s: tensor<2x1x8xi8>, %f: tensor<2x1x8xf16>) {
  // expected-error @below {{expected 1 factors of groups of whole blocks of 32 of 32 rows, got 'tensor<2x1x8xf16>'}}
  %0 = hamkaas.dequantize_panels %c, %s factors %f bits 6 span 32 block 32 zero 0 columns 14 : tensor<2x6x8x4xui8>, tensor<2x1x8xi8> factors tensor<2x1x8xf16>
  return
}

// -----

func.func @c6_zero(%c: tensor<2x8x8x4xui8>, %s: tensor<2x1x8xi8>, %f: tensor<2x1x1x8xf16>) {
  // expected-error @below {{expected no offsets and a zero of 0 with codes of 8 bits and factors, got a zero of 1}}
  %0 = hamkaas.dequantize_panels %c, %s factors %f bits 8 span 4 block 32 zero 1 columns 14 : tensor<2x8x8x4xui8>, tensor<2x1x8xi8> factors tensor<2x1x1x8xf16>
  return
}

// -----

func.func @c6_offsets(%c: tensor<2x8x8x4xui8>, %s: tensor<2x1x8xi8>, %f: tensor<2x1x2x8xf16>) {
  // expected-error @below {{expected no offsets and a zero of 0 with codes of 8 bits and factors, got a zero of 0}}
  %0 = hamkaas.dequantize_panels %c, %s offsets %s factors %f bits 8 span 4 block 32 zero 0 columns 14 : tensor<2x8x8x4xui8>, tensor<2x1x8xi8>, tensor<2x1x8xi8> factors tensor<2x1x2x8xf16>
  return
}
