// Pieces whose rows are longer than a tile: the tiles of the second one count
// from the end of the first, and no index that is subtracted from is taken for
// one that cannot be below zero.

// RUN: hamkaas-run %s --input=x=random --input=a=random --check-against=reference | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-to-planned=target-cpu=x86-64-v3 | FileCheck %s --check-prefix=FLAGS
// CHECK: agrees with reference: 'y': largest difference 0
// FLAGS-NOT: nuw

func.func @main(%x: tensor<1x2x2049xf32> {hamkaas.name = "x"}, %a: tensor<1x3x2049xf32> {hamkaas.name = "a"}) -> (tensor<1x5x2049xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.concat %x, %a dim 1 : tensor<1x2x2049xf32>, tensor<1x3x2049xf32>
  return %0 : tensor<1x5x2049xf32>
}
