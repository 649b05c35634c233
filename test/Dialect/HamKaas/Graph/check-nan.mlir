// RUN: hamkaas-opt %s -hamkaas-check-nan | FileCheck %s

// Inputs and results are checked; parameters, what depends on them alone, views
// and integers are not.

ml_program.global private @w(#ml_program.extern : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @s(dense<0.0> : tensor<4xf32>) : tensor<4xf32>

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32> {hamkaas.name = "x{1}"}
// CHECK:         %[[CX:.*]] = hamkaas.check_nan %[[X]], "input 'x(1)'"
// CHECK:         %[[W:.*]] = ml_program.global_load_const @w
// CHECK-NEXT:    %[[E:.*]] = hamkaas.exp %[[W]]
// CHECK-NEXT:    %[[S:.*]] = ml_program.global_load @s
// CHECK-NEXT:    %[[A:.*]] = hamkaas.add %[[S]], %[[CX]]
// CHECK-NEXT:    %[[CA:.*]] = hamkaas.check_nan %[[A]], "the result of 'add'"
// CHECK-NEXT:    ml_program.global_store @s = %[[CA]]
// CHECK-NEXT:    %[[M:.*]] = hamkaas.mul %[[CA]], %[[E]]
// CHECK-NEXT:    %[[CM:.*]] = hamkaas.check_nan %[[M]], "the result of 'mul'"
// CHECK-NEXT:    %[[R:.*]] = hamkaas.reshape %[[CM]]
// CHECK-NEXT:    return %[[R]]
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x{1}"}, %i: tensor<2xi64> {hamkaas.name = "i"}) -> (tensor<2x2xf32> {hamkaas.name = "y"}) {
  %w = ml_program.global_load_const @w : tensor<4xf32>
  %e = hamkaas.exp %w : tensor<4xf32>
  %s = ml_program.global_load @s : tensor<4xf32>
  %a = hamkaas.add %s, %x : tensor<4xf32>, tensor<4xf32>
  ml_program.global_store @s = %a : tensor<4xf32>
  %m = hamkaas.mul %a, %e : tensor<4xf32>, tensor<4xf32>
  %r = hamkaas.reshape %m : tensor<4xf32> -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
