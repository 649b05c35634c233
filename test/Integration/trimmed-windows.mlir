// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// Convolutions give the same without the elements of their windows that meet
// padding alone: at one end, at both, with strides, and in groups.

// RUN: hamkaas-run %s --target-cpu=%level --check-against=reference --input=x=random --input=w=random --input=v=random --input=u=random | FileCheck %s
// CHECK-NOT: disagrees
// CHECK: agrees with reference

func.func @main(%x: tensor<2x5x7x16xf32> {hamkaas.name = "x"}, %w: tensor<3x3x16x24xf32> {hamkaas.name = "w"}, %v: tensor<3x4x1x16xf32> {hamkaas.name = "v"}, %u: tensor<5x2x4x12xf32> {hamkaas.name = "u"})
    -> (tensor<2x5x7x24xf32> {hamkaas.name = "a"}, tensor<2x5x7x24xf32> {hamkaas.name = "b"}, tensor<2x3x4x16xf32> {hamkaas.name = "c"}, tensor<2x4x4x12xf32> {hamkaas.name = "d"}) {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [9, 9] pad [9, 9] to [9, 9] groups 1 : tensor<2x5x7x16xf32>, tensor<3x3x16x24xf32>
  %1 = hamkaas.conv %x, %w strides [1, 1] dilations [5, 6] pad [5, 6] to [5, 6] groups 1 : tensor<2x5x7x16xf32>, tensor<3x3x16x24xf32>
  %2 = hamkaas.conv %x, %v strides [3, 2] dilations [6, 3] pad [12, 9] to [4, 0] groups 16 : tensor<2x5x7x16xf32>, tensor<3x4x1x16xf32>
  %3 = hamkaas.conv %x, %u strides [2, 2] dilations [2, 8] pad [1, 0] to [9, 8] groups 4 : tensor<2x5x7x16xf32>, tensor<5x2x4x12xf32>
  return %0, %1, %2, %3 : tensor<2x5x7x24xf32>, tensor<2x5x7x24xf32>, tensor<2x3x4x16xf32>, tensor<2x4x4x12xf32>
}
