func.func @main(%x: tensor<2500000xf32> {hamkaas.name="x"}) -> (tensor<2500000xf32> {hamkaas.name="y"}) {
  %y = hamkaas.sigmoid %x : tensor<2500000xf32>
  return %y : tensor<2500000xf32>
}
