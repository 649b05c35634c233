// RUN: hamkaas-opt %s -hamkaas-verify-graph > %t
// RUN: hamkaas-opt %s | diff - %t

// A module in this form: parameters, a state that is read and written, one that
// is written only, one with contents from outside, one with the name of a
// parameter, constants, and an argument that nobody reads. The pass
// changes nothing.

ml_program.global private @w(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
ml_program.global private @unused(#ml_program.extern<tensor<3xi64>>) : tensor<3xi64>
ml_program.global private mutable @s(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @t(dense<7> : tensor<1xi64>) : tensor<1xi64>
ml_program.global private mutable @given(#ml_program.extern : tensor<2xf32>) : tensor<2xf32>
ml_program.global private mutable @zero(dense<0.0> : tensor<2xf32>) : tensor<2xf32> {hamkaas.name = "w"}

func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}, %p: tensor<1xi64> {hamkaas.name = "p"})
    -> (tensor<4xf32> {hamkaas.name = "x"}, tensor<1xi64> {hamkaas.name = "same"}) {
  %w = ml_program.global_load_const @w : tensor<4xf32>
  %v = ml_program.global_load_const @w : tensor<4xf32>
  %s = ml_program.global_load @s : tensor<4xf32>
  %c = arith.constant dense<1> : tensor<1xi64>
  %0 = hamkaas.add %x, %s : tensor<4xf32>, tensor<4xf32>
  %1 = hamkaas.mul %0, %w : tensor<4xf32>, tensor<4xf32>
  ml_program.global_store @s = %0 : tensor<4xf32>
  ml_program.global_store @t = %c : tensor<1xi64>
  return %1, %c : tensor<4xf32>, tensor<1xi64>
}
