ml_program.global private @w(#ml_program.extern : tensor<257x257xf32>) : tensor<257x257xf32>
func.func @main(%x: tensor<257x257xf32> {hamkaas.name = "x"}) -> (tensor<257x257xf32> {hamkaas.name = "y"}) {
  %w = ml_program.global_load_const @w : tensor<257x257xf32>
  %0 = hamkaas.matmul %x, %w : tensor<257x257xf32>, tensor<257x257xf32>
  %1 = hamkaas.add %0, %w : tensor<257x257xf32>, tensor<257x257xf32>
  return %1 : tensor<257x257xf32>
}
