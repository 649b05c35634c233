// A concatenation is the same wherever its operands are written: at addresses
// unaligned to vectors, for operands that are inputs, parameters, states,
// results, slices or used twice, in concats of concats and in loops.

// RUN: split-file %s %t
// RUN: hamkaas-run %t/parts.mlir --input=x=random --input=in=random --threads=1 --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/parts.mlir --input=x=random --input=in=random --threads=3 --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/state.mlir --input=x=random --repeat=3 --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/loop.mlir --input=x=random --threads=1 --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/loop.mlir --input=x=random --threads=3 --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/long.mlir --input=x=random --threads=1 --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/long.mlir --input=x=random --threads=3 --check-against=reference | FileCheck %s
// RUN: hamkaas-run %t/types.mlir --input=x=random --check-against=reference | FileCheck %s
// CHECK-NOT: error
// CHECK: agrees with reference

// Copies are left of 'in', of a part used twice, of a result, of the parameter
// whole and in part, and of a slice, and a concat of two results.
// RUN: hamkaas-compile %t/parts.mlir --emit=planned -o - | FileCheck %s --check-prefix=PLANNED
// PLANNED-LABEL: func @main(
// PLANNED-COUNT-7: hamkaas.ops = "concat"
// PLANNED-NOT:   {{hamkaas.ops = "concat"|memref.copy}}

//--- parts.mlir
ml_program.global private @w(dense<[[0.5, 0.1, 0.2, -0.5, 0.3, 0.4, 0.1], [0.1, -0.2, 0.3, 0.1, 0.5, -0.1, 0.6], [0.25, 0.5, 0.1, 0.1, -0.3, 0.2, 0.2], [0.1, 0.1, 0.2, 0.4, 0.9, -0.7, 0.8], [0.3, 0.2, 0.4, 0.1, 0.1, 0.2, 0.2]]> : tensor<5x7xf32>) : tensor<5x7xf32>
func.func @main(%x: tensor<3x5xf32> {hamkaas.name = "x"}, %in: tensor<1x2x7xf32> {hamkaas.name = "in"}) -> (tensor<1x11x7xf32> {hamkaas.name = "a"}, tensor<1x18x7xf32> {hamkaas.name = "b"}, tensor<9x7xf32> {hamkaas.name = "c"}, tensor<3x7xf32> {hamkaas.name = "d"}, tensor<20x7xf32> {hamkaas.name = "e"}) {
  %w = ml_program.global_load_const @w : tensor<5x7xf32>
  %0 = hamkaas.matmul %x, %w : tensor<3x5xf32>, tensor<5x7xf32>
  %1 = hamkaas.relu %0 : tensor<3x7xf32>
  %2 = hamkaas.sliced_softmax %0 static_prefix 7 : tensor<3x7xf32>
  %3 = hamkaas.reshape %1 : tensor<3x7xf32> -> tensor<1x3x7xf32>
  %4 = hamkaas.reshape %2 : tensor<3x7xf32> -> tensor<1x3x7xf32>
  %a = hamkaas.concat %3, %in, %4, %3 dim 1 : tensor<1x3x7xf32>, tensor<1x2x7xf32>, tensor<1x3x7xf32>, tensor<1x3x7xf32>
  %w1 = hamkaas.reshape %w : tensor<5x7xf32> -> tensor<1x5x7xf32>
  %f = hamkaas.tanh %in : tensor<1x2x7xf32>
  %b = hamkaas.concat %a, %f, %w1 dim 1 : tensor<1x11x7xf32>, tensor<1x2x7xf32>, tensor<1x5x7xf32>
  %s = hamkaas.slice %2[1, 3] : tensor<3x7xf32>
  %d = hamkaas.exp %1 : tensor<3x7xf32>
  %g = hamkaas.add %d, %2 : tensor<3x7xf32>, tensor<3x7xf32>
  %m = hamkaas.constant dense<0.125> : tensor<7x7xf32>
  %h = hamkaas.matmul %g, %m : tensor<3x7xf32>, tensor<7x7xf32>
  %w2 = hamkaas.slice %w[1, 5] : tensor<5x7xf32>
  %c = hamkaas.concat %s, %h, %w2 dim 0 : tensor<2x7xf32>, tensor<3x7xf32>, tensor<4x7xf32>
  %a1 = hamkaas.reshape %a : tensor<1x11x7xf32> -> tensor<11x7xf32>
  %e = hamkaas.concat %c, %a1 dim 0 : tensor<9x7xf32>, tensor<11x7xf32>
  return %a, %b, %c, %d, %e : tensor<1x11x7xf32>, tensor<1x18x7xf32>, tensor<9x7xf32>, tensor<3x7xf32>, tensor<20x7xf32>
}

// A state that moves on by a row a run.
//--- state.mlir
ml_program.global private mutable @s(dense<0.0> : tensor<4x3xf32>) : tensor<4x3xf32>
func.func @main(%x: tensor<1x3xf32> {hamkaas.name = "x"}) -> (tensor<9x3xf32> {hamkaas.name = "y"}) {
  %s = ml_program.global_load @s : tensor<4x3xf32>
  %0 = hamkaas.tanh %x : tensor<1x3xf32>
  %1 = hamkaas.slice %s[1, 4] : tensor<4x3xf32>
  %2 = hamkaas.concat %1, %0 dim 0 : tensor<3x3xf32>, tensor<1x3xf32>
  ml_program.global_store @s = %2 : tensor<4x3xf32>
  %3 = hamkaas.exp %s : tensor<4x3xf32>
  %y = hamkaas.concat %s, %3, %0 dim 0 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<1x3xf32>
  return %y : tensor<9x3xf32>
}

//--- loop.mlir
func.func @main(%x: tensor<5x3xf32> {hamkaas.name = "x"}) -> (tensor<7x6xf32> {hamkaas.name = "y"}, tensor<6xf32> {hamkaas.name = "h"}) {
  %h = hamkaas.constant dense<0.5> : tensor<6xf32>
  %0:2 = hamkaas.scan 5 from(%h) over(%x) with() : (tensor<6xf32>, tensor<5x3xf32>) -> (tensor<6xf32>, tensor<5x6xf32>) {
  ^bb0(%c: tensor<6xf32>, %row: tensor<3xf32>):
    %1 = hamkaas.slice %c[3, 6] : tensor<6xf32>
    %2 = hamkaas.add %1, %row : tensor<3xf32>, tensor<3xf32>
    %3 = hamkaas.tanh %2 : tensor<3xf32>
    %4 = hamkaas.sliced_softmax %3 static_prefix 3 : tensor<3xf32>
    %5 = hamkaas.concat %3, %4 dim 0 : tensor<3xf32>, tensor<3xf32>
    %6 = hamkaas.exp %row : tensor<3xf32>
    %7 = hamkaas.concat %6, %row dim 0 : tensor<3xf32>, tensor<3xf32>
    hamkaas.yield %5, %7 : tensor<6xf32>, tensor<6xf32>
  }
  %8 = hamkaas.exp %0#0 : tensor<6xf32>
  %9 = hamkaas.reshape %8 : tensor<6xf32> -> tensor<1x6xf32>
  %10 = hamkaas.reshape %h : tensor<6xf32> -> tensor<1x6xf32>
  %y = hamkaas.concat %9, %0#1, %10 dim 0 : tensor<1x6xf32>, tensor<5x6xf32>, tensor<1x6xf32>
  return %y, %0#0 : tensor<7x6xf32>, tensor<6xf32>
}

// Large enough for stores past the caches, and for threads.
//--- long.mlir
func.func @main(%x: tensor<1x3072xf32> {hamkaas.name = "x"}) -> (tensor<2051x3072xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.broadcast %x : tensor<1x3072xf32> -> tensor<1025x3072xf32>
  %1 = hamkaas.relu %0 : tensor<1025x3072xf32>
  %2 = hamkaas.exp %x : tensor<1x3072xf32>
  %3 = hamkaas.add %1, %2 : tensor<1025x3072xf32>, tensor<1x3072xf32>
  %y = hamkaas.concat %2, %1, %3 dim 0 : tensor<1x3072xf32>, tensor<1025x3072xf32>, tensor<1025x3072xf32>
  return %y : tensor<2051x3072xf32>
}

//--- types.mlir
func.func @main(%x: tensor<7xi8> {hamkaas.name = "x"}) -> (tensor<28xi1> {hamkaas.name = "y"}, tensor<21xf64> {hamkaas.name = "z"}) {
  %zero = hamkaas.constant dense<0> : tensor<1xi8>
  %0 = hamkaas.compare gt %x, %zero : tensor<7xi8>, tensor<1xi8>
  %1 = hamkaas.compare le %x, %zero : tensor<7xi8>, tensor<1xi8>
  %y = hamkaas.concat %0, %1, %0, %1 dim 0 : tensor<7xi1>, tensor<7xi1>, tensor<7xi1>, tensor<7xi1>
  %2 = hamkaas.cast %x : tensor<7xi8> -> tensor<7xf64>
  %3 = hamkaas.mul %2, %2 : tensor<7xf64>, tensor<7xf64>
  %z = hamkaas.concat %3, %2, %3 dim 0 : tensor<7xf64>, tensor<7xf64>, tensor<7xf64>
  return %y, %z : tensor<28xi1>, tensor<21xf64>
}
