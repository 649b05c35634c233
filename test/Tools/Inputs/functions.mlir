ml_program.global private @scale(#ml_program.extern : tensor<1x3xf32>) : tensor<1x3xf32>
ml_program.global private mutable @cache(dense<0.0> : tensor<2x3xf32>) : tensor<2x3xf32>

func.func @prefill(%x: tensor<2x3xf32> {hamkaas.name = "x"}) -> (tensor<2x3xf32> {hamkaas.name = "y"}) {
  %scale = ml_program.global_load_const @scale : tensor<1x3xf32>
  %y = hamkaas.mul %x, %scale : tensor<2x3xf32>, tensor<1x3xf32>
  ml_program.global_store @cache = %y : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

func.func @decode(%x: tensor<1x3xf32> {hamkaas.name = "x"}) -> (tensor<2x3xf32> {hamkaas.name = "z"}) {
  %scale = ml_program.global_load_const @scale : tensor<1x3xf32>
  %step = hamkaas.mul %x, %scale : tensor<1x3xf32>, tensor<1x3xf32>
  %cache = ml_program.global_load @cache : tensor<2x3xf32>
  %z = hamkaas.add %cache, %step : tensor<2x3xf32>, tensor<1x3xf32>
  ml_program.global_store @cache = %z : tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}
