// Products with the rows of zeros that padding adds are left out; results are
// the same: of windows that are cut into their rows and of others, of several
// images, with strides, dilations, groups and paddings that differ, and where
// some results read zeros alone.

// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// RUN: split-file %s %t
// RUN: hamkaas-run %t/whole.mlir --target-cpu=%level --input=x=random --input=w=random --threads=1 --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/cut.mlir --target-cpu=%level --input=x=random --input=w=random --threads=1 --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/strided.mlir --target-cpu=%level --input=x=random --input=w=random --threads=1 --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/uneven.mlir --target-cpu=%level --input=x=random --input=w=random --threads=1 --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/dilated.mlir --target-cpu=%level --input=x=random --input=w=random --threads=1 --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/grouped.mlir --target-cpu=%level --input=x=random --input=w=random --threads=1 --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/zeros.mlir --target-cpu=%level --input=x=random --input=w=random --threads=1 --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/cut.mlir --target-cpu=%level --input=x=random --input=w=random --threads=3 --check-against=reference | FileCheck %s
// CHECK: agrees with reference

//--- whole.mlir
func.func @main(%x: tensor<3x4x7x8xf32> {hamkaas.name = "x"}, %w: tensor<5x5x8x40xf32> {hamkaas.name = "w"}) -> (tensor<3x4x7x40xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [2, 2] to [2, 2] groups 1 : tensor<3x4x7x8xf32>, tensor<5x5x8x40xf32>
  %1 = hamkaas.sigmoid %0 : tensor<3x4x7x40xf32>
  return %1 : tensor<3x4x7x40xf32>
}

//--- cut.mlir
func.func @main(%x: tensor<1x5x5x256xf32> {hamkaas.name = "x"}, %w: tensor<3x3x256x72xf32> {hamkaas.name = "w"}) -> (tensor<1x5x5x72xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x5x5x256xf32>, tensor<3x3x256x72xf32>
  %1 = hamkaas.sigmoid %0 : tensor<1x5x5x72xf32>
  return %1 : tensor<1x5x5x72xf32>
}

//--- strided.mlir
func.func @main(%x: tensor<4x7x6x130xf32> {hamkaas.name = "x"}, %w: tensor<3x3x130x64xf32> {hamkaas.name = "w"}) -> (tensor<4x4x3x64xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.conv %x, %w strides [2, 2] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<4x7x6x130xf32>, tensor<3x3x130x64xf32>
  %1 = hamkaas.sigmoid %0 : tensor<4x4x3x64xf32>
  return %1 : tensor<4x4x3x64xf32>
}

//--- uneven.mlir
func.func @main(%x: tensor<2x6x9x20xf32> {hamkaas.name = "x"}, %w: tensor<4x3x20x24xf32> {hamkaas.name = "w"}) -> (tensor<2x6x5x24xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.conv %x, %w strides [1, 2] dilations [1, 1] pad [3, 1] to [0, 1] groups 1 : tensor<2x6x9x20xf32>, tensor<4x3x20x24xf32>
  %1 = hamkaas.sigmoid %0 : tensor<2x6x5x24xf32>
  return %1 : tensor<2x6x5x24xf32>
}

//--- dilated.mlir
func.func @main(%x: tensor<2x9x5x24xf32> {hamkaas.name = "x"}, %w: tensor<3x3x24x17xf32> {hamkaas.name = "w"}) -> (tensor<2x5x5x17xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.conv %x, %w strides [2, 1] dilations [2, 1] pad [2, 1] to [2, 1] groups 1 : tensor<2x9x5x24xf32>, tensor<3x3x24x17xf32>
  %1 = hamkaas.sigmoid %0 : tensor<2x5x5x17xf32>
  return %1 : tensor<2x5x5x17xf32>
}

//--- grouped.mlir
func.func @main(%x: tensor<2x5x6x64xf32> {hamkaas.name = "x"}, %w: tensor<5x5x32x48xf32> {hamkaas.name = "w"}) -> (tensor<2x5x6x48xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [2, 2] to [2, 2] groups 2 : tensor<2x5x6x64xf32>, tensor<5x5x32x48xf32>
  %1 = hamkaas.sigmoid %0 : tensor<2x5x6x48xf32>
  return %1 : tensor<2x5x6x48xf32>
}

//--- zeros.mlir
func.func @main(%x: tensor<1x4x5x6xf32> {hamkaas.name = "x"}, %w: tensor<3x3x6x20xf32> {hamkaas.name = "w"}) -> (tensor<1x9x5x20xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [4, 1] to [3, 1] groups 1 : tensor<1x4x5x6xf32>, tensor<3x3x6x20xf32>
  %1 = hamkaas.sigmoid %0 : tensor<1x9x5x20xf32>
  return %1 : tensor<1x9x5x20xf32>
}
