// 8 of 3000 rows.
func.func @main(%table: tensor<3000x16xf32> {hamkaas.name = "table"}, %index: tensor<8xi64> {hamkaas.name = "index"}) -> (tensor<8x16xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.gather %table, %index dim 0 : tensor<3000x16xf32>, tensor<8xi64>
  return %0 : tensor<8x16xf32>
}
