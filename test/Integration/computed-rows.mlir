// Each block of a product of one row computes that row: norms and elementwise
// operations, of rows that the warps of a block share equally or not. The
// emulator would find a number that is read before its warp has written it.

// RUN: split-file %s %t
// DEFINE: %{order} =
// DEFINE: %{run} = hamkaas-run --device=cuda-emulation --check-against=reference --emulation-order=%{order}
// REDEFINE: %{order} = forward
// RUN: %{run} %t/norms.mlir --input=x=random --input=y=random --input=g=random --input=b=random --input=v=random --input=w=random | FileCheck %s
// RUN: %{run} %t/long.mlir --input=x=random --input=y=random --input=g=random --input=v=random | FileCheck %s
// REDEFINE: %{order} = backward
// RUN: %{run} %t/norms.mlir --input=x=random --input=y=random --input=g=random --input=b=random --input=v=random --input=w=random | FileCheck %s
// REDEFINE: %{order} = 3
// RUN: %{run} %t/norms.mlir --input=x=random --input=y=random --input=g=random --input=b=random --input=v=random --input=w=random | FileCheck %s
// RUN: %{run} %t/long.mlir --input=x=random --input=y=random --input=g=random --input=v=random | FileCheck %s
// CHECK-NOT: error
// CHECK: agrees with reference

// RUN: hamkaas-compile %t/norms.mlir --target=cuda --emit=planned | FileCheck %s --check-prefix=PLANNED
// PLANNED-DAG: rms_norm+matmul+add
// PLANNED-DAG: layer_norm+mul+add+matmul
// PLANNED-DAG: silu+mul+matmul
// PLANNED-DAG: mul+rms_norm+relu+matmul

//--- norms.mlir
func.func @main(%x: tensor<1x288xf32> {hamkaas.name = "x"}, %y: tensor<1x288xf32> {hamkaas.name = "y"}, %g: tensor<288xf32> {hamkaas.name = "g"}, %b: tensor<1x288xf32> {hamkaas.name = "b"}, %v: tensor<288x288xf32> {hamkaas.name = "v"}, %w: tensor<288x70xf32> {hamkaas.name = "w"})
    -> (tensor<1x288xf32> {hamkaas.name = "r0"}, tensor<1x70xf32> {hamkaas.name = "r1"}, tensor<1x70xf32> {hamkaas.name = "r2"}, tensor<1x70xf32> {hamkaas.name = "r3"}) {
  %0 = hamkaas.rms_norm %x, %g epsilon 1.0e-5 : tensor<1x288xf32>, tensor<288xf32>
  %1 = hamkaas.matmul %0, %v : tensor<1x288xf32>, tensor<288x288xf32>
  %2 = hamkaas.add %1, %x : tensor<1x288xf32>, tensor<1x288xf32>
  %3 = hamkaas.layer_norm %2 epsilon 1.0e-5 : tensor<1x288xf32>
  %scaled = hamkaas.mul %3, %b : tensor<1x288xf32>, tensor<1x288xf32>
  %moved = hamkaas.add %scaled, %y : tensor<1x288xf32>, tensor<1x288xf32>
  %4 = hamkaas.matmul %moved, %w : tensor<1x288xf32>, tensor<288x70xf32>
  %5 = hamkaas.silu %2 : tensor<1x288xf32>
  %6 = hamkaas.mul %5, %y : tensor<1x288xf32>, tensor<1x288xf32>
  %7 = hamkaas.matmul %6, %w : tensor<1x288xf32>, tensor<288x70xf32>
  %8 = hamkaas.mul %2, %y : tensor<1x288xf32>, tensor<1x288xf32>
  %9 = hamkaas.rms_norm %8, %g epsilon 1.0e-5 : tensor<1x288xf32>, tensor<288xf32>
  %10 = hamkaas.relu %9 : tensor<1x288xf32>
  %11 = hamkaas.matmul %10, %w : tensor<1x288xf32>, tensor<288x70xf32>
  return %2, %4, %7, %11 : tensor<1x288xf32>, tensor<1x70xf32>, tensor<1x70xf32>, tensor<1x70xf32>
}

//--- long.mlir
func.func @main(%x: tensor<1x4096xf32> {hamkaas.name = "x"}, %y: tensor<1x4096xf32> {hamkaas.name = "y"}, %g: tensor<4096xf32> {hamkaas.name = "g"}, %v: tensor<4096x64xf32> {hamkaas.name = "v"})
    -> (tensor<1x64xf32> {hamkaas.name = "r0"}, tensor<1x64xf32> {hamkaas.name = "r1"}) {
  %0 = hamkaas.rms_norm %x, %g epsilon 1.0e-5 : tensor<1x4096xf32>, tensor<4096xf32>
  %1 = hamkaas.matmul %0, %v : tensor<1x4096xf32>, tensor<4096x64xf32>
  %2 = hamkaas.sub %x, %y : tensor<1x4096xf32>, tensor<1x4096xf32>
  %3 = hamkaas.matmul %2, %v : tensor<1x4096xf32>, tensor<4096x64xf32>
  return %1, %3 : tensor<1x64xf32>, tensor<1x64xf32>
}
