func.func @main(%x: tensor<20x30xf32> {hamkaas.name = "x"}, %w: tensor<30x25xf32> {hamkaas.name = "w"}, %b: tensor<1x25xf32> {hamkaas.name = "b"}, %r: tensor<20x25xf32> {hamkaas.name = "r"}, %p: tensor<3x20x30xf32> {hamkaas.name = "p"}, %q: tensor<3x30x25xf32> {hamkaas.name = "q"}) -> (tensor<20x25xf32> {hamkaas.name = "y"}, tensor<3x20x25xf32> {hamkaas.name = "z"}) {
  %0 = hamkaas.matmul %x, %w : tensor<20x30xf32>, tensor<30x25xf32>
  %1 = hamkaas.add %0, %b : tensor<20x25xf32>, tensor<1x25xf32>
  %2 = hamkaas.relu %1 : tensor<20x25xf32>
  %3 = hamkaas.add %2, %r : tensor<20x25xf32>, tensor<20x25xf32>
  %4 = hamkaas.matmul %p, %q : tensor<3x20x30xf32>, tensor<3x30x25xf32>
  return %3, %4 : tensor<20x25xf32>, tensor<3x20x25xf32>
}
