// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-to-kernels | FileCheck %s

// Weights of few bits are packed before differences of codes are computed as
// integers of 16 bits, whose form no panels have.

// CHECK: hamkaas.dequantize_panels {{.*}} bits 8 span 4 block 32 zero 0 columns 24
ml_program.global private @w(#ml_program.extern : tensor<24x2x32xui8>) : tensor<24x2x32xui8>
ml_program.global private @s(#ml_program.extern : tensor<24x2x1xf32>) : tensor<24x2x1xf32>
func.func @main(%x: tensor<64x64xf32> {hamkaas.name = "x"}) -> (tensor<64x24xf32> {hamkaas.name = "y"}) {
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
