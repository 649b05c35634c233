// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// RUN: split-file %s %t
// RUN: hamkaas-compile %t/rows.mlir --target-cpu=x86-64-v4 --emit=planned | FileCheck %s
// RUN: hamkaas-run %t/all.mlir --target-cpu=%level --check-against=reference --input=x=random --input=d=random --input=i=random --input=h=random | FileCheck %s --check-prefix=AGREES

// Sums along another dimension than the last are vectors of 128 elements, and
// of 16 at the end of a row.

// CHECK-LABEL: func.func private @k0(
// CHECK:         scf.if
// CHECK:           scf.for {{.*}} iter_args({{.*}}) -> {{.*}}vector<128xf32>
// CHECK:             arith.addf {{.*}} : vector<128xf32>
// CHECK:         else
// CHECK:             arith.addf {{.*}} : vector<16xf32>
// CHECK-LABEL: func.func private @k1(
// CHECK:         arith.addf {{.*}} : f32

// AGREES-NOT: disagrees
// AGREES-COUNT-6: agrees with reference

//--- rows.mlir
func.func @main(%x: tensor<5x70x137xf32> {hamkaas.name = "x"}) -> (tensor<5x70x137xf32> {hamkaas.name = "a"}, tensor<5x70x137xf32> {hamkaas.name = "b"}) {
  %0 = hamkaas.cumsum %x dim 1 : tensor<5x70x137xf32>
  %1 = hamkaas.cumsum %x dim 2 : tensor<5x70x137xf32>
  return %0, %1 : tensor<5x70x137xf32>, tensor<5x70x137xf32>
}

//--- all.mlir
func.func @main(%x: tensor<5x70x137xf32> {hamkaas.name = "x"}, %d: tensor<9x13xf64> {hamkaas.name = "d"}, %i: tensor<4x3x2xi32> {hamkaas.name = "i"}, %h: tensor<6x21xf16> {hamkaas.name = "h"})
   -> (tensor<5x70x137xf32> {hamkaas.name = "a"}, tensor<5x70x137xf32> {hamkaas.name = "b"}, tensor<9x13xf64> {hamkaas.name = "c"}, tensor<4x3x2xi32> {hamkaas.name = "e"}, tensor<6x21xf16> {hamkaas.name = "f"}, tensor<5x70x137xf32> {hamkaas.name = "g"}) {
  %0 = hamkaas.cumsum %x dim 1 : tensor<5x70x137xf32>
  %1 = hamkaas.cumsum %x dim 0 {exclusive, reverse} : tensor<5x70x137xf32>
  %2 = hamkaas.cumsum %d dim 0 {reverse} : tensor<9x13xf64>
  %3 = hamkaas.cumsum %i dim 1 : tensor<4x3x2xi32>
  %4 = hamkaas.cumsum %h dim 0 : tensor<6x21xf16>
  %5 = hamkaas.cumsum %x dim 2 : tensor<5x70x137xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<5x70x137xf32>, tensor<5x70x137xf32>, tensor<9x13xf64>, tensor<4x3x2xi32>, tensor<6x21xf16>, tensor<5x70x137xf32>
}
