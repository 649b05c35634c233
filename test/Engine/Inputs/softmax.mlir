func.func @main(%x: tensor<2x50x33xf32> {hamkaas.name = "x"}) -> (tensor<2x50x33xf32> {hamkaas.name = "y"}) {
  %y = hamkaas.sliced_softmax %x static_prefix 33 : tensor<2x50x33xf32>
  return %y : tensor<2x50x33xf32>
}
