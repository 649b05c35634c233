// LEVELS: x86-64 x86-64-v3 x86-64-v4
// RUN: hamkaas-run %s --target-cpu=%level --threads=1 --check-against=reference --input=x=random --input=y=random | FileCheck %s
// RUN: hamkaas-run %s --target-cpu=%level --threads=3 --check-against=reference --input=x=random --input=y=random | FileCheck %s
// RUN: hamkaas-compile %s --target-cpu=%level --emit=planned | FileCheck %s --check-prefix=PLANNED

// Concats of concats are one kernel, as is what is sliced for them: a reflected
// margin, a cyclic shift, a margin of zeros and elements in reverse order, and
// activations behind. Short pieces of rows are written with the others.

// CHECK-COUNT-4: agrees with reference: '{{.*}}': largest difference 0
// PLANNED-COUNT-4: call @k
// PLANNED-NOT:   call @k

func.func @main(%x: tensor<3x5x13xf32> {hamkaas.name = "x"}, %y: tensor<2x3x4x5x6xf32> {hamkaas.name = "y"})
    -> (tensor<3x8x17xf32> {hamkaas.name = "margin"}, tensor<3x5x13xf32> {hamkaas.name = "shift"}, tensor<3x7x29xf32> {hamkaas.name = "mixed"}, tensor<2x3x6x7x8xf32> {hamkaas.name = "volume"}) {
  %0 = hamkaas.strided_slice %x offsets [0, 2, 0] sizes [3, 2, 13] strides [1, -1, 1] : tensor<3x5x13xf32>
  %1 = hamkaas.strided_slice %x offsets [0, 3, 0] sizes [3, 1, 13] strides [1, -1, 1] : tensor<3x5x13xf32>
  %2 = hamkaas.concat %0, %x, %1 dim 1 : tensor<3x2x13xf32>, tensor<3x5x13xf32>, tensor<3x1x13xf32>
  %3 = hamkaas.strided_slice %2 offsets [0, 0, 3] sizes [3, 8, 3] strides [1, 1, -1] : tensor<3x8x13xf32>
  %4 = hamkaas.strided_slice %2 offsets [0, 0, 11] sizes [3, 8, 1] strides [1, 1, -1] : tensor<3x8x13xf32>
  %5 = hamkaas.concat %3, %2, %4 dim 2 : tensor<3x8x3xf32>, tensor<3x8x13xf32>, tensor<3x8x1xf32>
  %margin = hamkaas.relu %5 : tensor<3x8x17xf32>

  %6 = hamkaas.strided_slice %x offsets [0, 2, 0] sizes [3, 3, 13] strides [1, 1, 1] : tensor<3x5x13xf32>
  %7 = hamkaas.strided_slice %x offsets [0, 0, 0] sizes [3, 2, 13] strides [1, 1, 1] : tensor<3x5x13xf32>
  %8 = hamkaas.concat %6, %7 dim 1 : tensor<3x3x13xf32>, tensor<3x2x13xf32>
  %9 = hamkaas.strided_slice %8 offsets [0, 0, 4] sizes [3, 5, 9] strides [1, 1, 1] : tensor<3x5x13xf32>
  %10 = hamkaas.strided_slice %8 offsets [0, 0, 0] sizes [3, 5, 4] strides [1, 1, 1] : tensor<3x5x13xf32>
  %shift = hamkaas.concat %9, %10 dim 2 : tensor<3x5x9xf32>, tensor<3x5x4xf32>

  %11 = arith.constant dense<0.0> : tensor<3x2x29xf32>
  %12 = hamkaas.strided_slice %x offsets [0, 4, 12] sizes [3, 5, 13] strides [1, -1, -1] : tensor<3x5x13xf32>
  %13 = hamkaas.neg %12 : tensor<3x5x13xf32>
  %14 = hamkaas.strided_slice %x offsets [0, 0, 1] sizes [3, 5, 3] strides [1, 1, 5] : tensor<3x5x13xf32>
  %15 = hamkaas.concat %x, %13, %14 dim 2 : tensor<3x5x13xf32>, tensor<3x5x13xf32>, tensor<3x5x3xf32>
  %mixed = hamkaas.concat %15, %11 dim 1 : tensor<3x5x29xf32>, tensor<3x2x29xf32>

  %v0 = hamkaas.strided_slice %y offsets [0, 0, 1, 0, 0] sizes [2, 3, 1, 5, 6] strides [1, 1, -1, 1, 1] : tensor<2x3x4x5x6xf32>
  %v1 = hamkaas.strided_slice %y offsets [0, 0, 2, 0, 0] sizes [2, 3, 1, 5, 6] strides [1, 1, -1, 1, 1] : tensor<2x3x4x5x6xf32>
  %v2 = hamkaas.concat %v0, %y, %v1 dim 2 : tensor<2x3x1x5x6xf32>, tensor<2x3x4x5x6xf32>, tensor<2x3x1x5x6xf32>
  %v3 = hamkaas.strided_slice %v2 offsets [0, 0, 0, 1, 0] sizes [2, 3, 6, 1, 6] strides [1, 1, 1, -1, 1] : tensor<2x3x6x5x6xf32>
  %v4 = hamkaas.strided_slice %v2 offsets [0, 0, 0, 3, 0] sizes [2, 3, 6, 1, 6] strides [1, 1, 1, -1, 1] : tensor<2x3x6x5x6xf32>
  %v5 = hamkaas.concat %v3, %v2, %v4 dim 3 : tensor<2x3x6x1x6xf32>, tensor<2x3x6x5x6xf32>, tensor<2x3x6x1x6xf32>
  %v6 = hamkaas.strided_slice %v5 offsets [0, 0, 0, 0, 1] sizes [2, 3, 6, 7, 1] strides [1, 1, 1, 1, -1] : tensor<2x3x6x7x6xf32>
  %v7 = hamkaas.strided_slice %v5 offsets [0, 0, 0, 0, 4] sizes [2, 3, 6, 7, 1] strides [1, 1, 1, 1, -1] : tensor<2x3x6x7x6xf32>
  %volume = hamkaas.concat %v6, %v5, %v7 dim 4 : tensor<2x3x6x7x1xf32>, tensor<2x3x6x7x6xf32>, tensor<2x3x6x7x1xf32>
  return %margin, %shift, %mixed, %volume : tensor<3x8x17xf32>, tensor<3x5x13xf32>, tensor<3x7x29xf32>, tensor<2x3x6x7x8xf32>
}
