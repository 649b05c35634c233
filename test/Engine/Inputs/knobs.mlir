func.func @main(%a: tensor<37x190xf32> {hamkaas.name = "a"}, %b: tensor<190x53xf32> {hamkaas.name = "b"}, %c: tensor<1x53xf32> {hamkaas.name = "c"}, %p: tensor<3x20x31xf32> {hamkaas.name = "p"}, %q: tensor<3x31x25xf32> {hamkaas.name = "q"}, %i: tensor<1x12x12x8xf32> {hamkaas.name = "i"}, %w: tensor<3x3x8x20xf32> {hamkaas.name = "w"}, %u: tensor<1x1x8x20xf32> {hamkaas.name = "u"}, %s: tensor<50x700xf32> {hamkaas.name = "s"}, %e: tensor<13x1100xf32> {hamkaas.name = "e"}) -> (tensor<37x53xf32> {hamkaas.name = "product"}, tensor<3x20x25xf32> {hamkaas.name = "batch"}, tensor<1x12x12x20xf32> {hamkaas.name = "window"}, tensor<1x12x12x20xf32> {hamkaas.name = "point"}, tensor<50x700xf32> {hamkaas.name = "rows"}, tensor<13x1100xf32> {hamkaas.name = "elements"}) {
  %0 = hamkaas.matmul %a, %b : tensor<37x190xf32>, tensor<190x53xf32>
  %1 = hamkaas.add %0, %c : tensor<37x53xf32>, tensor<1x53xf32>
  %2 = hamkaas.relu %1 : tensor<37x53xf32>
  %3 = hamkaas.matmul %p, %q : tensor<3x20x31xf32>, tensor<3x31x25xf32>
  %4 = hamkaas.conv %i, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x12x12x8xf32>, tensor<3x3x8x20xf32>
  %5 = hamkaas.conv %i, %u strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 : tensor<1x12x12x8xf32>, tensor<1x1x8x20xf32>
  %6 = hamkaas.sliced_softmax %s static_prefix 700 : tensor<50x700xf32>
  %7 = hamkaas.exp %e : tensor<13x1100xf32>
  return %2, %3, %4, %5, %6, %7 : tensor<37x53xf32>, tensor<3x20x25xf32>, tensor<1x12x12x20xf32>, tensor<1x12x12x20xf32>, tensor<50x700xf32>, tensor<13x1100xf32>
}
