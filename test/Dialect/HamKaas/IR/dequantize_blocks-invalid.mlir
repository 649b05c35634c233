// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

func.func @c1_whole_blocks(%b: tensor<4x35xui8>) {
  // expected-error @below {{expected rows of blocks of 18 bytes, as q4_0 has them, got 'tensor<4x35xui8>'}}
  %0 = hamkaas.dequantize_blocks q4_0 %b : tensor<4x35xui8>
  return
}

// -----

func.func @c1_rows(%b: tensor<ui8>) {
  // expected-error @below {{expected rows of blocks of 210 bytes, as q6_k has them, got 'tensor<ui8>'}}
  %0 = hamkaas.dequantize_blocks q6_k %b : tensor<ui8>
  return
}

// -----

func.func @c2_elements(%b: tensor<1099511627776x84xui8>) {
  // expected-error @below {{expected a result of fewer than 2^47 elements, got blocks 'tensor<1099511627776x84xui8>'}}
  %0 = hamkaas.dequantize_blocks q2_k %b : tensor<1099511627776x84xui8>
  return
}

// -----

func.func @bytes(%b: tensor<4x36xi8>) {
  // expected-error @below {{operand #0 must be tensor of static shape and 1 to 2^47 - 1 elements that are ui8, but got 'tensor<4x36xi8>'}}
  %0 = hamkaas.dequantize_blocks q4_0 %b : tensor<4x36xi8>
  return
}

// -----

func.func @format(%b: tensor<4x36xui8>) {
  // expected-error @below {{expected ::hamkaas::BlockFormat to be one of: q4_0, q4_1, q5_0, q5_1, q8_0, q2_k, q3_k, q4_k, q5_k, q6_k}}
  // expected-error @below {{failed to parse HamKaas_BlockFormatAttr}}
  %0 = hamkaas.dequantize_blocks q4_2 %b : tensor<4x36xui8>
  return
}
