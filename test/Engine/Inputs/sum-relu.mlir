// A sum with a parameter, then relu.
ml_program.global private @w(#ml_program.extern : tensor<6x5xf32>) : tensor<6x5xf32>
func.func @main(%x: tensor<6x5xf32> {hamkaas.name = "x"}) -> (tensor<6x5xf32> {hamkaas.name = "y"}) {
  %w = ml_program.global_load_const @w : tensor<6x5xf32>
  %0 = hamkaas.add %x, %w : tensor<6x5xf32>, tensor<6x5xf32>
  %1 = hamkaas.relu %0 : tensor<6x5xf32>
  return %1 : tensor<6x5xf32>
}
