// Loops compute what the reference does: nested, from the last row to the first,
// with values and numbers, of any element type, on state, also one that is only
// read, with a result twice, with a matrix of one number within the body, and
// with a check in a step.

// RUN: split-file %s %t
// RUN: hamkaas-run %t/nested.mlir --input=x=random --input=h=random --check-against=reference | FileCheck %s --check-prefix=AGREES
// RUN: hamkaas-run %t/types.mlir --input=x=random --check-against=reference | FileCheck %s --check-prefix=AGREES
// RUN: hamkaas-run %t/swap.mlir --input=a=random --input=b=random --input=w=random --check-against=reference | FileCheck %s --check-prefix=AGREES
// RUN: hamkaas-run %t/state.mlir --input=x=random --repeat=3 --check-against=reference | FileCheck %s --check-prefix=AGREES
// RUN: hamkaas-run %t/read.mlir --input=x=random --repeat=3 --check-against=reference | FileCheck %s --check-prefix=AGREES
// RUN: hamkaas-run %t/twice.mlir --input=x=random --input=h=random --check-against=reference | FileCheck %s --check-prefix=AGREES
// RUN: hamkaas-run %t/matrix.mlir --input=x=random --check-against=reference | FileCheck %s --check-prefix=AGREES
// RUN: hamkaas-run %t/nested.mlir --input=x=random --input=h=random --threads=2 --check-against=reference | FileCheck %s --check-prefix=AGREES
// AGREES: agrees with reference

// A body may read more values than the interpreter's table holds at first.
// RUN: %python -c "n = 60; t = 'tensor<2xf32>'; print('func.func @main(%%x: tensor<3x2xf32> {hamkaas.name = \"x\"}) -> (' + t + ' {hamkaas.name = \"y\"}) {'); [print(f'%%c{i} = hamkaas.constant dense<[{i}.0, 1.0]> : {t}') for i in range(n)]; print('%%y = hamkaas.scan 3 from(%%c0) over(%%x) with(' + ', '.join(f'%%c{i}' for i in range(n)) + f') : ({t}, tensor<3x2xf32>, ' + ', '.join([t] * n) + f') -> {t} {{'); print(f'^bb0(%%s0: {t}, %%row: {t}, ' + ', '.join(f'%%v{i}: {t}' for i in range(n)) + '):'); [print(f'%%s{i + 1} = hamkaas.add %%s{i}, %%v{i} : {t}, {t}') for i in range(n)]; print(f'hamkaas.yield %%s{n} : {t} }} return %%y : {t} }}')" > %t/many.mlir
// RUN: hamkaas-run %t/many.mlir --input=x=random --check-against=reference | FileCheck %s --check-prefix=AGREES

// The work of all steps is counted: 5 * (4 * (2 * 4 * 4 + 4) + 4) = 740.
// RUN: hamkaas-compile %t/nested.mlir --report -o %t/nested.o | FileCheck %s --check-prefix=REPORT
// REPORT: {{^}}  740 floating point operations (FLOPs), {{.*}} 25 calls of 2 kernels
// REPORT: k{{[0-9]+}} contraction {{ *}}20 {{ *}}720

// A check that fails in a step ends the run with the position of its line.
// RUN: %python -c "import numpy as np; np.save('%t/good.npy', np.array([0, 3, -4])); np.save('%t/bad.npy', np.array([0, 1, 4]))"
// RUN: hamkaas-run %t/checked.mlir --input=x=random --input=i=%t/good.npy --check-against=reference | FileCheck %s --check-prefix=AGREES
// RUN: not hamkaas-run %t/checked.mlir --input=x=random --input=i=%t/bad.npy 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED: checked.mlir:4:{{[0-9]+}}: error: expected indices from -4 to 3, got 4

//--- matrix.mlir
func.func @main(%x: tensor<3x2xf32> {hamkaas.name = "x"}) -> (tensor<1x2xf32> {hamkaas.name = "y"}) {
  %zero = hamkaas.constant dense<0.0> : tensor<1x2xf32>
  %0 = hamkaas.scan 3 from(%zero) over(%x) with() : (tensor<1x2xf32>, tensor<3x2xf32>) -> (tensor<1x2xf32>) {
  ^bb0(%h: tensor<1x2xf32>, %r: tensor<2xf32>):
    %w = hamkaas.constant dense<0.25> : tensor<2x2xf32>
    %row = hamkaas.reshape %r : tensor<2xf32> -> tensor<1x2xf32>
    %1 = hamkaas.matmul %row, %w : tensor<1x2xf32>, tensor<2x2xf32>
    %2 = hamkaas.add %1, %h : tensor<1x2xf32>, tensor<1x2xf32>
    hamkaas.yield %2 : tensor<1x2xf32>
  }
  return %0 : tensor<1x2xf32>
}

//--- read.mlir
ml_program.global private mutable @s(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<3x4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %s = ml_program.global_load @s : tensor<4xf32>
  %y = hamkaas.scan 3 from(%s) over(%x) with() : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>, %r: tensor<4xf32>):
    %0 = hamkaas.add %c, %r : tensor<4xf32>, tensor<4xf32>
    hamkaas.yield %0 : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

//--- twice.mlir
func.func @main(%x: tensor<3x4xf32> {hamkaas.name = "x"}, %h: tensor<4xf32> {hamkaas.name = "h"}) -> (tensor<3x4xf32> {hamkaas.name = "a"}, tensor<3x4xf32> {hamkaas.name = "b"}, tensor<4xf32> {hamkaas.name = "c"}, tensor<2x2xf32> {hamkaas.name = "d"}) {
  %last, %y = hamkaas.scan 3 from(%h) over(%x) with() : (tensor<4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
  ^bb0(%c: tensor<4xf32>, %r: tensor<4xf32>):
    %0 = hamkaas.add %c, %r : tensor<4xf32>, tensor<4xf32>
    hamkaas.yield %0, %c : tensor<4xf32>, tensor<4xf32>
  }
  %d = hamkaas.reshape %last : tensor<4xf32> -> tensor<2x2xf32>
  return %y, %y, %last, %d : tensor<3x4xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<2x2xf32>
}

//--- nested.mlir
ml_program.global private @w(dense<[[0.5, 0.1, 0.2, -0.5], [0.1, -0.2, 0.3, 0.1], [0.25, 0.5, 0.1, 0.1], [0.1, 0.1, 0.2, 0.4]]> : tensor<4x4xf32>) : tensor<4x4xf32>
func.func @main(%x: tensor<5x4x1x4xf32> {hamkaas.name = "x"}, %h: tensor<1x4xf32> {hamkaas.name = "h"}) -> (tensor<1x4xf32> {hamkaas.name = "last"}, tensor<5x4x1x4xf32> {hamkaas.name = "all"}) {
  %w = ml_program.global_load_const @w : tensor<4x4xf32>
  %0:2 = hamkaas.scan 5 reversed from(%h) over(%x) with(%w) : (tensor<1x4xf32>, tensor<5x4x1x4xf32>, tensor<4x4xf32>) -> (tensor<1x4xf32>, tensor<5x4x1x4xf32>) {
  ^bb0(%c: tensor<1x4xf32>, %rows: tensor<4x1x4xf32>, %m: tensor<4x4xf32>):
    %1:2 = hamkaas.scan 4 from(%c) over(%rows) with(%m) : (tensor<1x4xf32>, tensor<4x1x4xf32>, tensor<4x4xf32>) -> (tensor<1x4xf32>, tensor<4x1x4xf32>) {
    ^bb0(%d: tensor<1x4xf32>, %row: tensor<1x4xf32>, %n: tensor<4x4xf32>):
      %t = hamkaas.permute %n [1, 0] : tensor<4x4xf32>
      %2 = hamkaas.matmul %d, %t : tensor<1x4xf32>, tensor<4x4xf32>
      %3 = hamkaas.add %2, %row : tensor<1x4xf32>, tensor<1x4xf32>
      hamkaas.yield %3, %d : tensor<1x4xf32>, tensor<1x4xf32>
    }
    %half = hamkaas.constant dense<0.5> : tensor<1x4xf32>
    %4 = hamkaas.mul %1#0, %half : tensor<1x4xf32>, tensor<1x4xf32>
    hamkaas.yield %4, %1#1 : tensor<1x4xf32>, tensor<4x1x4xf32>
  }
  return %0#0, %0#1 : tensor<1x4xf32>, tensor<5x4x1x4xf32>
}

//--- types.mlir
func.func @main(%x: tensor<6xf16> {hamkaas.name = "x"}) -> (tensor<i1> {hamkaas.name = "any"}, tensor<6xui8> {hamkaas.name = "count"}, tensor<6xi1> {hamkaas.name = "sofar"}) {
  %false = hamkaas.constant dense<false> : tensor<i1>
  %zero = hamkaas.constant dense<0> : tensor<ui8>
  %0:4 = hamkaas.scan 6 from(%false, %zero) over(%x) with() : (tensor<i1>, tensor<ui8>, tensor<6xf16>) -> (tensor<i1>, tensor<ui8>, tensor<6xui8>, tensor<6xi1>) {
  ^bb0(%any: tensor<i1>, %n: tensor<ui8>, %row: tensor<f16>):
    %half = hamkaas.constant dense<0.5> : tensor<f16>
    %1 = hamkaas.compare gt %row, %half : tensor<f16>, tensor<f16>
    %2 = hamkaas.or %any, %1 : tensor<i1>, tensor<i1>
    %3 = hamkaas.cast %1 : tensor<i1> -> tensor<ui8>
    %4 = hamkaas.add %n, %3 : tensor<ui8>, tensor<ui8>
    hamkaas.yield %2, %4, %4, %any : tensor<i1>, tensor<ui8>, tensor<ui8>, tensor<i1>
  }
  return %0#0, %0#2, %0#3 : tensor<i1>, tensor<6xui8>, tensor<6xi1>
}

//--- swap.mlir
// The iter args swap; an input is read as rows, whole, and as an iter arg.
func.func @main(%a: tensor<4xf32> {hamkaas.name = "a"}, %b: tensor<4xf32> {hamkaas.name = "b"}, %w: tensor<4x4xf32> {hamkaas.name = "w"}) -> (tensor<4xf32> {hamkaas.name = "c"}, tensor<4xf32> {hamkaas.name = "d"}, tensor<4x4xf32> {hamkaas.name = "v"}, tensor<4x4xf32> {hamkaas.name = "y"}) {
  %0:4 = hamkaas.scan 4 from(%a, %b, %w) over(%w) with(%w) : (tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  ^bb0(%c: tensor<4xf32>, %d: tensor<4xf32>, %v: tensor<4x4xf32>, %row: tensor<4xf32>, %all: tensor<4x4xf32>):
    %1 = hamkaas.add %v, %all : tensor<4x4xf32>, tensor<4x4xf32>
    %2 = hamkaas.add %c, %row : tensor<4xf32>, tensor<4xf32>
    hamkaas.yield %d, %c, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

//--- state.mlir
ml_program.global private mutable @s(dense<0.0> : tensor<2xf32>) : tensor<2xf32>
func.func @main(%x: tensor<3x2xf32> {hamkaas.name = "x"}) -> (tensor<3x2xf32> {hamkaas.name = "y"}) {
  %s = ml_program.global_load @s : tensor<2xf32>
  %0:2 = hamkaas.scan 3 from(%s) over(%x) with(%s) : (tensor<2xf32>, tensor<3x2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>) {
  ^bb0(%c: tensor<2xf32>, %row: tensor<2xf32>, %first: tensor<2xf32>):
    %1 = hamkaas.add %c, %row : tensor<2xf32>, tensor<2xf32>
    %2 = hamkaas.sub %1, %first : tensor<2xf32>, tensor<2xf32>
    hamkaas.yield %1, %2 : tensor<2xf32>, tensor<2xf32>
  }
  ml_program.global_store @s = %0#0 : tensor<2xf32>
  return %0#1 : tensor<3x2xf32>
}

//--- checked.mlir
func.func @main(%x: tensor<4x2xf32> {hamkaas.name = "x"}, %i: tensor<3xi64> {hamkaas.name = "i"}) -> (tensor<3x2xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.scan 3 from() over(%i) with(%x) : (tensor<3xi64>, tensor<4x2xf32>) -> tensor<3x2xf32> {
  ^bb0(%index: tensor<i64>, %v: tensor<4x2xf32>):
    %1 = hamkaas.gather %v, %index dim 0 : tensor<4x2xf32>, tensor<i64>
    hamkaas.yield %1 : tensor<2xf32>
  }
  return %0 : tensor<3x2xf32>
}
