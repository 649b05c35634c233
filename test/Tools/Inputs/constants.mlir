ml_program.global private @scale(dense<[[1.0, 10.0, 100.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32>) : tensor<2x3xf32>
ml_program.global private @bias(dense<[[-1.0, 1.0, 2.0]]> : tensor<1x3xf32>) : tensor<1x3xf32>
ml_program.global private @unused(dense<1> : tensor<2xi64>) : tensor<2xi64>
func.func @main(%x: tensor<1x2xf32> {hamkaas.name = "x"}) -> (tensor<1x3xf32> {hamkaas.name = "y"}) {
  %scale = ml_program.global_load_const @scale : tensor<2x3xf32>
  %bias = ml_program.global_load_const @bias : tensor<1x3xf32>
  %0 = hamkaas.relu %bias : tensor<1x3xf32>
  %1 = hamkaas.matmul %x, %scale : tensor<1x2xf32>, tensor<2x3xf32>
  %2 = hamkaas.add %1, %0 : tensor<1x3xf32>, tensor<1x3xf32>
  return %2 : tensor<1x3xf32>
}
