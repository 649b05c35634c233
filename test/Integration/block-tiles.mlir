// Blocks of threads of a GPU multiply matrices in tiles of several sizes, with
// warps that split the depth or do not; rows, columns and depths are not whole
// tiles, and accesses not aligned. Batches make tiles large.

// RUN: split-file %s %t
// DEFINE: %{run} = hamkaas-run --device=cuda-emulation --check-against=reference --input=x=random --input=w=random
// RUN: %{run} %t/small.mlir --emulation-order=forward | FileCheck %s
// RUN: %{run} %t/small.mlir --emulation-order=7 | FileCheck %s
// RUN: %{run} %t/unaligned.mlir --emulation-order=backward | FileCheck %s
// RUN: %{run} %t/middle.mlir --emulation-order=3 | FileCheck %s
// RUN: %{run} %t/large.mlir --emulation-order=5 | FileCheck %s
// RUN: hamkaas-compile %t/small.mlir --target=cuda --emit=ptx | FileCheck %s --check-prefix=SMALL
// RUN: hamkaas-compile %t/middle.mlir --target=cuda --emit=ptx | FileCheck %s --check-prefix=LARGE
// RUN: hamkaas-compile %t/large.mlir --target=cuda --emit=ptx | FileCheck %s --check-prefix=LARGE
// CHECK-NOT: error
// CHECK: agrees with reference
// SMALL: .reqntid 256
// LARGE: .reqntid 128

//--- small.mlir
func.func @main(%x: tensor<70x100xf32> {hamkaas.name = "x"}, %w: tensor<100x68xf32> {hamkaas.name = "w"}) -> (tensor<70x68xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.matmul %x, %w : tensor<70x100xf32>, tensor<100x68xf32>
  %y = hamkaas.relu %0 : tensor<70x68xf32>
  return %y : tensor<70x68xf32>
}

//--- unaligned.mlir
func.func @main(%x: tensor<2x133x101xf32> {hamkaas.name = "x"}, %w: tensor<2x101x143xf32> {hamkaas.name = "w"}) -> (tensor<2x133x143xf32> {hamkaas.name = "y"}) {
  %y = hamkaas.matmul %x, %w : tensor<2x133x101xf32>, tensor<2x101x143xf32>
  return %y : tensor<2x133x143xf32>
}

//--- middle.mlir
func.func @main(%x: tensor<270x70x33xf32> {hamkaas.name = "x"}, %w: tensor<270x33x66xf32> {hamkaas.name = "w"}) -> (tensor<270x70x66xf32> {hamkaas.name = "y"}) {
  %y = hamkaas.matmul %x, %w : tensor<270x70x33xf32>, tensor<270x33x66xf32>
  return %y : tensor<270x70x66xf32>
}

//--- large.mlir
func.func @main(%x: tensor<600x61x36xf32> {hamkaas.name = "x"}, %w: tensor<600x36x124xf32> {hamkaas.name = "w"}) -> (tensor<600x61x124xf32> {hamkaas.name = "y"}) {
  %y = hamkaas.matmul %x, %w : tensor<600x61x36xf32>, tensor<600x36x124xf32>
  return %y : tensor<600x61x124xf32>
}
