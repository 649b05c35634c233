// LEVELS: x86-64 x86-64-v3 x86-64-v4 or emulated
// RUN: hamkaas-run %s --target-cpu=%level --check-against=reference --input=x=random --input=y=random --input=b=random | FileCheck %s
// RUN: hamkaas-compile %s --target-cpu=%level --emit=planned | FileCheck %s --check-prefix=PLANNED

// A kernel computes as it concatenates.

// CHECK-COUNT-2: agrees with reference
// PLANNED-DAG: "add+add+relu+relu+concat"
// PLANNED-DAG: "silu+mul+concat"
func.func @main(%x: tensor<7x3x37xf32> {hamkaas.name = "x"}, %y: tensor<7x5x37xf32> {hamkaas.name = "y"}, %b: tensor<1x1x37xf32> {hamkaas.name = "b"})
    -> (tensor<7x8x37xf32> {hamkaas.name = "r0"}, tensor<7x3x74xf32> {hamkaas.name = "r1"}) {
  %0 = hamkaas.concat %x, %y dim 1 : tensor<7x3x37xf32>, tensor<7x5x37xf32>
  %1 = hamkaas.add %0, %b : tensor<7x8x37xf32>, tensor<1x1x37xf32>
  %2 = hamkaas.relu %1 : tensor<7x8x37xf32>
  %3 = hamkaas.silu %x : tensor<7x3x37xf32>
  %4 = hamkaas.mul %x, %b : tensor<7x3x37xf32>, tensor<1x1x37xf32>
  %5 = hamkaas.concat %3, %4 dim 2 : tensor<7x3x37xf32>, tensor<7x3x37xf32>
  return %2, %5 : tensor<7x8x37xf32>, tensor<7x3x74xf32>
}
