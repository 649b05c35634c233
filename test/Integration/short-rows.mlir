// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// Rows shorter than a vector are computed several at a time: repeated
// elements, the same few numbers for each row, and rows of several images
// interleaved; also of more elements than a tile.

// RUN: split-file %s %t
// RUN: hamkaas-run %t/repeated.mlir --target-cpu=%level --check-against=reference --input=x=random --input=d=random | FileCheck %s
// RUN: hamkaas-run %t/rows.mlir --target-cpu=%level --check-against=reference --input=c=random --input=p=random --input=q=random --input=l=random --input=m=random | FileCheck %s
// RUN: hamkaas-run %t/interleaved.mlir --target-cpu=%level --check-against=reference --input=y=random --input=b=random | FileCheck %s
// CHECK-NOT: disagrees
// CHECK: agrees with reference

//--- repeated.mlir
func.func @main(%x: tensor<7x5x11xf32> {hamkaas.name = "x"}, %d: tensor<9x13xf64> {hamkaas.name = "d"})
    -> (tensor<7x15x22xf32> {hamkaas.name = "a"}, tensor<9x65xf64> {hamkaas.name = "b"}, tensor<9x39xf64> {hamkaas.name = "c"}, tensor<7x5x77xf32> {hamkaas.name = "e"}) {
  %0 = hamkaas.reshape %x : tensor<7x5x11xf32> -> tensor<7x5x1x11x1xf32>
  %1 = hamkaas.broadcast %0 : tensor<7x5x1x11x1xf32> -> tensor<7x5x3x11x2xf32>
  %2 = hamkaas.reshape %1 : tensor<7x5x3x11x2xf32> -> tensor<7x15x22xf32>
  %3 = hamkaas.reshape %d : tensor<9x13xf64> -> tensor<9x13x1xf64>
  %4 = hamkaas.broadcast %3 : tensor<9x13x1xf64> -> tensor<9x13x5xf64>
  %5 = hamkaas.reshape %4 : tensor<9x13x5xf64> -> tensor<9x65xf64>
  %6 = hamkaas.broadcast %3 : tensor<9x13x1xf64> -> tensor<9x13x3xf64>
  %7 = hamkaas.reshape %6 : tensor<9x13x3xf64> -> tensor<9x39xf64>
  %8 = hamkaas.reshape %x : tensor<7x5x11xf32> -> tensor<7x5x11x1xf32>
  %9 = hamkaas.broadcast %8 : tensor<7x5x11x1xf32> -> tensor<7x5x11x7xf32>
  %10 = hamkaas.reshape %9 : tensor<7x5x11x7xf32> -> tensor<7x5x77xf32>
  return %2, %5, %7, %10 : tensor<7x15x22xf32>, tensor<9x65xf64>, tensor<9x39xf64>, tensor<7x5x77xf32>
}

//--- rows.mlir
func.func @main(%c: tensor<50x3xi8> {hamkaas.name = "c"}, %p: tensor<1x3xi8> {hamkaas.name = "p"}, %q: tensor<50x1xi8> {hamkaas.name = "q"},
    %l: tensor<2x30001x3xf32> {hamkaas.name = "l"}, %m: tensor<1x1x3xf32> {hamkaas.name = "m"})
    -> (tensor<50x3xi8> {hamkaas.name = "a"}, tensor<50x3xi8> {hamkaas.name = "b"}, tensor<2x30001x3xf32> {hamkaas.name = "e"}) {
  %0 = hamkaas.add %c, %p : tensor<50x3xi8>, tensor<1x3xi8>
  %1 = hamkaas.mul %c, %q : tensor<50x3xi8>, tensor<50x1xi8>
  %2 = hamkaas.sub %l, %m : tensor<2x30001x3xf32>, tensor<1x1x3xf32>
  return %0, %1, %2 : tensor<50x3xi8>, tensor<50x3xi8>, tensor<2x30001x3xf32>
}

//--- interleaved.mlir
func.func @main(%y: tensor<7x2x2x6x11xf32> {hamkaas.name = "y"}, %b: tensor<1x1x6x1x1xf32> {hamkaas.name = "b"})
    -> (tensor<7x6x2x11x2xf32> {hamkaas.name = "a"}, tensor<7x12x22xf32> {hamkaas.name = "c"}) {
  %0 = hamkaas.permute %y [0, 3, 1, 4, 2] : tensor<7x2x2x6x11xf32>
  %1 = hamkaas.permute %y [0, 3, 2, 4, 1] : tensor<7x2x2x6x11xf32>
  %2 = hamkaas.reshape %1 : tensor<7x6x2x11x2xf32> -> tensor<7x12x22xf32>
  %3 = hamkaas.silu %2 : tensor<7x12x22xf32>
  return %0, %3 : tensor<7x6x2x11x2xf32>, tensor<7x12x22xf32>
}
