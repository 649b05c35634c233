// Reductions of rows and what computes with them are one kernel, on a CPU and
// on a GPU.

// RUN: split-file %s %t
// RUN: hamkaas-run %t/chains.mlir --check-against=reference --input=x=random | FileCheck %s
// RUN: hamkaas-run %t/chains.mlir --check-against=reference --input=x=random --target-cpu=x86-64 | FileCheck %s
// RUN: hamkaas-run %t/chains.mlir --check-against=reference --input=x=random --device=cuda-emulation | FileCheck %s
// RUN: hamkaas-run %t/one-row.mlir --check-against=reference --input=x=random | FileCheck %s
// RUN: hamkaas-run %t/one-row.mlir --check-against=reference --input=x=random --device=cuda-emulation | FileCheck %s
// CHECK-NOT: error
// CHECK: agrees with reference

// RUN: hamkaas-compile %t/chains.mlir --emit=planned | FileCheck %s --check-prefix=PLANNED
// PLANNED-DAG: "reduce+sub+exp+reduce+log+sub"
// PLANNED-DAG: "exp+reduce+div"
// PLANNED-DAG: "reduce+mul+sub+mul+reduce+mul+sqrt+div"

//--- chains.mlir
func.func @main(%x: tensor<3x5x263xf32> {hamkaas.name = "x"})
    -> (tensor<3x5x263xf32> {hamkaas.name = "r0"}, tensor<3x5x263xf32> {hamkaas.name = "r1"}, tensor<3x5x263xf32> {hamkaas.name = "r2"}) {
  %n = hamkaas.constant dense<0.0038> : tensor<1x1xf32>
  %0 = hamkaas.reduce max %x over [2] : tensor<3x5x263xf32>
  %1 = hamkaas.reshape %0 : tensor<3x5xf32> -> tensor<3x5x1xf32>
  %2 = hamkaas.sub %x, %1 : tensor<3x5x263xf32>, tensor<3x5x1xf32>
  %3 = hamkaas.exp %2 : tensor<3x5x263xf32>
  %4 = hamkaas.reduce sum %3 over [2] : tensor<3x5x263xf32>
  %5 = hamkaas.log %4 : tensor<3x5xf32>
  %6 = hamkaas.reshape %5 : tensor<3x5xf32> -> tensor<3x5x1xf32>
  %7 = hamkaas.sub %2, %6 : tensor<3x5x263xf32>, tensor<3x5x1xf32>
  %8 = hamkaas.exp %x : tensor<3x5x263xf32>
  %9 = hamkaas.reduce sum %8 over [2] : tensor<3x5x263xf32>
  %10 = hamkaas.reshape %9 : tensor<3x5xf32> -> tensor<3x5x1xf32>
  %11 = hamkaas.div %8, %10 : tensor<3x5x263xf32>, tensor<3x5x1xf32>
  %12 = hamkaas.reduce sum %x over [2] : tensor<3x5x263xf32>
  %13 = hamkaas.mul %12, %n : tensor<3x5xf32>, tensor<1x1xf32>
  %14 = hamkaas.reshape %13 : tensor<3x5xf32> -> tensor<3x5x1xf32>
  %15 = hamkaas.sub %x, %14 : tensor<3x5x263xf32>, tensor<3x5x1xf32>
  %16 = hamkaas.mul %15, %15 : tensor<3x5x263xf32>, tensor<3x5x263xf32>
  %17 = hamkaas.reduce sum %16 over [2] : tensor<3x5x263xf32>
  %18 = hamkaas.mul %17, %n : tensor<3x5xf32>, tensor<1x1xf32>
  %19 = hamkaas.sqrt %18 : tensor<3x5xf32>
  %20 = hamkaas.reshape %19 : tensor<3x5xf32> -> tensor<3x5x1xf32>
  %21 = hamkaas.div %15, %20 : tensor<3x5x263xf32>, tensor<3x5x1xf32>
  return %7, %11, %21 : tensor<3x5x263xf32>, tensor<3x5x263xf32>, tensor<3x5x263xf32>
}

//--- one-row.mlir
func.func @main(%x: tensor<300xf64> {hamkaas.name = "x"}) -> (tensor<300xf64> {hamkaas.name = "r0"}) {
  %0 = hamkaas.reduce max %x over [0] : tensor<300xf64>
  %1 = hamkaas.reshape %0 : tensor<f64> -> tensor<1xf64>
  %2 = hamkaas.sub %x, %1 : tensor<300xf64>, tensor<1xf64>
  %3 = hamkaas.exp %2 : tensor<300xf64>
  %4 = hamkaas.reduce sum %3 over [0] : tensor<300xf64>
  %5 = hamkaas.log %4 : tensor<f64>
  %6 = hamkaas.reshape %5 : tensor<f64> -> tensor<1xf64>
  %7 = hamkaas.sub %2, %6 : tensor<300xf64>, tensor<1xf64>
  return %7 : tensor<300xf64>
}
