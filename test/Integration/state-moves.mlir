// One value may become several results, and states may take each other's place:
// all results of a run are written at once. State lasts from run to run, so that
// a wrong order shows in a later run.

// RUN: split-file %s %t
// RUN: hamkaas-run %t/twice.mlir --input=x=random --check-against=reference | FileCheck %s --check-prefix=TWICE
// RUN: hamkaas-run %t/views.mlir --input=x=random --check-against=reference | FileCheck %s --check-prefix=VIEWS
// RUN: hamkaas-run %t/recurrent.mlir --input=x=random --repeat=5 --check-against=reference | FileCheck %s --check-prefix=RECURRENT
// RUN: hamkaas-run %t/shift.mlir --input=x=random --repeat=5 --check-against=reference | FileCheck %s --check-prefix=SHIFT
// RUN: hamkaas-run %t/ring.mlir --input=x=random --repeat=5 --check-against=reference | FileCheck %s --check-prefix=RING
// RUN: hamkaas-run %t/updated.mlir --input=x=random --repeat=5 --check-against=reference | FileCheck %s --check-prefix=UPDATED

// TWICE: agrees with reference: 'a': largest difference 0, largest value {{.*[1-9]}}
// TWICE: agrees with reference: 'b': largest difference 0, largest value {{.*[1-9]}}

//--- twice.mlir
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "a"}, tensor<4xf32> {hamkaas.name = "b"}) {
  %0 = hamkaas.add %x, %x : tensor<4xf32>, tensor<4xf32>
  return %0, %0 : tensor<4xf32>, tensor<4xf32>
}

// VIEWS: agrees with reference: 'a': largest difference 0, largest value {{.*[1-9]}}
// VIEWS: agrees with reference: 'b': largest difference 0, largest value {{.*[1-9]}}
// VIEWS: agrees with reference: 'c': largest difference 0, largest value {{.*[1-9]}}

//--- views.mlir
func.func @main(%x: tensor<4x2xf32> {hamkaas.name = "x"}) -> (tensor<4x2xf32> {hamkaas.name = "a"}, tensor<8xf32> {hamkaas.name = "b"}, tensor<2x2xf32> {hamkaas.name = "c"}) {
  %0 = hamkaas.add %x, %x : tensor<4x2xf32>, tensor<4x2xf32>
  %1 = hamkaas.reshape %0 : tensor<4x2xf32> -> tensor<8xf32>
  %2 = hamkaas.slice %0[1, 3] : tensor<4x2xf32>
  return %0, %1, %2 : tensor<4x2xf32>, tensor<8xf32>, tensor<2x2xf32>
}

// RECURRENT: agrees with reference: 'h': largest difference 0, largest value {{.*[1-9]}}

//--- recurrent.mlir
ml_program.global private mutable @s(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "h"}) {
  %s = ml_program.global_load @s : tensor<4xf32>
  %n = hamkaas.add %s, %x : tensor<4xf32>, tensor<4xf32>
  ml_program.global_store @s = %n : tensor<4xf32>
  return %n : tensor<4xf32>
}

// SHIFT: agrees with reference: 'y': largest difference 0, largest value {{.*[1-9]}}
// SHIFT: agrees with reference: 'old': largest difference 0, largest value {{.*[1-9]}}

//--- shift.mlir
ml_program.global private mutable @s(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @t(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}, tensor<4xf32> {hamkaas.name = "old"}) {
  %s = ml_program.global_load @s : tensor<4xf32>
  %t = ml_program.global_load @t : tensor<4xf32>
  %n = hamkaas.add %t, %x : tensor<4xf32>, tensor<4xf32>
  ml_program.global_store @s = %n : tensor<4xf32>
  ml_program.global_store @t = %s : tensor<4xf32>
  return %n, %s : tensor<4xf32>, tensor<4xf32>
}

// RING: agrees with reference: 'y': largest difference 0, largest value {{.*[1-9]}}

//--- ring.mlir
ml_program.global private mutable @s(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @t(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @u(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<1xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %begin = arith.constant dense<1> : tensor<1xi64>
  %end = arith.constant dense<2> : tensor<1xi64>
  %s = ml_program.global_load @s : tensor<4xf32>
  %t = ml_program.global_load @t : tensor<4xf32>
  %u = ml_program.global_load @u : tensor<4xf32>
  %one = hamkaas.slice %u[1, 2] : tensor<4xf32>
  %sum = hamkaas.add %one, %x : tensor<1xf32>, tensor<1xf32>
  %n = hamkaas.replace_slice %s, %sum, %begin, %end : tensor<4xf32>, tensor<1xf32>
  ml_program.global_store @s = %t : tensor<4xf32>
  ml_program.global_store @t = %u : tensor<4xf32>
  ml_program.global_store @u = %n : tensor<4xf32>
  return %t : tensor<4xf32>
}

// UPDATED: agrees with reference: 'y': largest difference 0, largest value {{.*[1-9]}}
// UPDATED: agrees with reference: 'z': largest difference 0, largest value {{.*[1-9]}}

//--- updated.mlir
ml_program.global private mutable @s(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @t(dense<0.0> : tensor<2xf32>) : tensor<2xf32>
func.func @main(%x: tensor<2xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}, tensor<2xf32> {hamkaas.name = "z"}) {
  %begin = arith.constant dense<1> : tensor<1xi64>
  %end = arith.constant dense<3> : tensor<1xi64>
  %s = ml_program.global_load @s : tensor<4xf32>
  %t = ml_program.global_load @t : tensor<2xf32>
  %sum = hamkaas.add %t, %x : tensor<2xf32>, tensor<2xf32>
  %n = hamkaas.replace_slice %s, %sum, %begin, %end : tensor<4xf32>, tensor<2xf32>
  %part = hamkaas.slice %n[1, 3] : tensor<4xf32>
  ml_program.global_store @s = %n : tensor<4xf32>
  ml_program.global_store @t = %part : tensor<2xf32>
  return %n, %part : tensor<4xf32>, tensor<2xf32>
}
