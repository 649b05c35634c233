// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// RUN: hamkaas-run %s --target-cpu=%level --input x=random --input v=random --input u=random --input w=random --check-against=reference
// RUN: hamkaas-run %s --input x=random --input v=random --input u=random --input w=random --device=cuda-emulation --check-against=reference
// RUN: hamkaas-compile %s --emit=kernels -o - | FileCheck %s

// Windows along sequences and in volumes whose channels come first: each is one
// kernel, whose blocks are rows.

// CHECK:     call @{{.*}} hamkaas.ops = "permute+pool+permute"
// CHECK:     call @{{.*}} hamkaas.ops = "permute+permute+conv+relu+permute"
// CHECK:     call @{{.*}} hamkaas.ops = "permute+pool+mul+permute"
// CHECK-NOT: hamkaas.ops = "permute"
func.func @main(%x: tensor<2x5x77xf32> {hamkaas.name = "x"}, %v: tensor<1x3x5x9x21xf32> {hamkaas.name = "v"},
                %u: tensor<2x5x77xf32> {hamkaas.name = "u"}, %w: tensor<5x1x5xf32> {hamkaas.name = "w"})
    -> (tensor<2x5x39xf32> {hamkaas.name = "a"}, tensor<2x5x77xf32> {hamkaas.name = "b"}, tensor<1x3x4x8x11xf32> {hamkaas.name = "c"}) {
  %0 = hamkaas.permute %x [0, 2, 1] : tensor<2x5x77xf32>
  %1 = hamkaas.pool max %0 window [3] strides [2] dilations [1] pad [1] to [1] : tensor<2x77x5xf32>
  %2 = hamkaas.permute %1 [0, 2, 1] : tensor<2x39x5xf32>
  %3 = hamkaas.permute %w [2, 1, 0] : tensor<5x1x5xf32>
  %4 = hamkaas.permute %u [0, 2, 1] : tensor<2x5x77xf32>
  %5 = hamkaas.conv %4, %3 strides [1] dilations [1] pad [2] to [2] groups 5 : tensor<2x77x5xf32>, tensor<5x1x5xf32>
  %6 = hamkaas.relu %5 : tensor<2x77x5xf32>
  %7 = hamkaas.permute %6 [0, 2, 1] : tensor<2x77x5xf32>
  %8 = hamkaas.permute %v [0, 2, 3, 4, 1] : tensor<1x3x5x9x21xf32>
  %9 = hamkaas.pool sum %8 window [2, 2, 3] strides [1, 1, 2] dilations [1, 1, 1] pad [0, 0, 1] to [0, 0, 1] : tensor<1x5x9x21x3xf32>
  %n = hamkaas.constant dense<0.125> : tensor<1x1x1x1x1xf32>
  %10 = hamkaas.mul %9, %n : tensor<1x4x8x11x3xf32>, tensor<1x1x1x1x1xf32>
  %11 = hamkaas.permute %10 [0, 4, 1, 2, 3] : tensor<1x4x8x11x3xf32>
  return %2, %7, %11 : tensor<2x5x39xf32>, tensor<2x5x77xf32>, tensor<1x3x4x8x11xf32>
}
