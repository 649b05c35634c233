ml_program.global private mutable @s(dense<2.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "r"}) {
  %s = ml_program.global_load @s : tensor<4xf32>
  %0 = hamkaas.add %x, %s : tensor<4xf32>, tensor<4xf32>
  return %0 : tensor<4xf32>
}
