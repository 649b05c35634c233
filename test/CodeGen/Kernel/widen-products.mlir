// RUN: hamkaas-opt %s -hamkaas-cpu-widen-products | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-to-kernels | FileCheck %s --check-prefix=KERNELS

// Products of 16-bit floats are products of float32, whose results are rounded.
// Weights stay narrow until a product reads them.

// CHECK-LABEL: func @main(
// CHECK:         %[[X:.*]] = hamkaas.cast %arg0 : tensor<8x64xf16> -> tensor<8x64xf32>
// CHECK:         %[[W:.*]] = hamkaas.cast %{{.*}} : tensor<64x40xf16> -> tensor<64x40xf32>
// CHECK:         %[[Y:.*]] = hamkaas.matmul %[[X]], %[[W]] : tensor<8x64xf32>, tensor<64x40xf32>
// CHECK:         hamkaas.cast %[[Y]] : tensor<8x40xf32> -> tensor<8x40xf16>
// CHECK:         hamkaas.conv {{.*}} : tensor<1x8x8x16xf32>, tensor<3x3x16x16xf32>
// CHECK:         hamkaas.cast %{{.*}} : tensor<1x8x8x16xf32> -> tensor<1x8x8x16xbf16>
// CHECK:         hamkaas.matmul %arg2, %arg2 : tensor<4x4xf64>, tensor<4x4xf64>
// CHECK:         return

// Casts and what follows are parts of the product's kernel.

// KERNELS-DAG: hamkaas.ops = "cast+matmul+cast+relu"
// KERNELS-DAG: hamkaas.ops = "conv+cast"
ml_program.global private @w(#ml_program.extern<tensor<64x40xf16>>) : tensor<64x40xf16>
ml_program.global private @v(#ml_program.extern<tensor<3x3x16x16xbf16>>) : tensor<3x3x16x16xbf16>
func.func @main(%x: tensor<8x64xf16> {hamkaas.name = "x"}, %i: tensor<1x8x8x16xbf16> {hamkaas.name = "i"}, %d: tensor<4x4xf64> {hamkaas.name = "d"}) -> (tensor<8x40xf16> {hamkaas.name = "a"}, tensor<1x8x8x16xbf16> {hamkaas.name = "b"}, tensor<4x4xf64> {hamkaas.name = "c"}) {
  %w = ml_program.global_load_const @w : tensor<64x40xf16>
  %v = ml_program.global_load_const @v : tensor<3x3x16x16xbf16>
  %0 = hamkaas.matmul %x, %w : tensor<8x64xf16>, tensor<64x40xf16>
  %1 = hamkaas.relu %0 : tensor<8x40xf16>
  %2 = hamkaas.conv %i, %v strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x8x8x16xbf16>, tensor<3x3x16x16xbf16>
  %3 = hamkaas.matmul %d, %d : tensor<4x4xf64>, tensor<4x4xf64>
  return %1, %2, %3 : tensor<8x40xf16>, tensor<1x8x8x16xbf16>, tensor<4x4xf64>
}
