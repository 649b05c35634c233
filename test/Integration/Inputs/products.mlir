// Products with what a library adds to them; nothing else is a kernel. The rows
// that are multiplied and added begin anywhere.
func.func @main(%x: tensor<3x4x5xf32> {hamkaas.name = "x"}, %v: tensor<5xf32> {hamkaas.name = "v"}, %m: tensor<3x5x6xf32> {hamkaas.name = "m"}, %r: tensor<3x4x6xf32> {hamkaas.name = "r"}) -> (tensor<3x4x6xf32> {hamkaas.name = "y"}, tensor<6xf32> {hamkaas.name = "z"}, tensor<12x6xf32> {hamkaas.name = "w"}) {
  %0 = hamkaas.matmul %x, %m : tensor<3x4x5xf32>, tensor<3x5x6xf32>
  %1 = hamkaas.add %0, %r : tensor<3x4x6xf32>, tensor<3x4x6xf32>
  %2 = hamkaas.gelu %1 approximate tanh : tensor<3x4x6xf32>

  %3 = hamkaas.reshape %m : tensor<3x5x6xf32> -> tensor<90xf32>
  %4 = hamkaas.slice %3[7, 37] : tensor<90xf32>
  %5 = hamkaas.reshape %4 : tensor<30xf32> -> tensor<5x6xf32>
  %6 = hamkaas.matmul %v, %5 : tensor<5xf32>, tensor<5x6xf32>

  %7 = hamkaas.reshape %r : tensor<3x4x6xf32> -> tensor<72xf32>
  %8 = hamkaas.slice %7[1, 7] : tensor<72xf32>
  %9 = hamkaas.reshape %8 : tensor<6xf32> -> tensor<1x6xf32>
  %10 = hamkaas.reshape %x : tensor<3x4x5xf32> -> tensor<12x5xf32>
  %11 = hamkaas.matmul %10, %5 : tensor<12x5xf32>, tensor<5x6xf32>
  %12 = hamkaas.add %11, %9 : tensor<12x6xf32>, tensor<1x6xf32>
  %13 = hamkaas.relu %12 : tensor<12x6xf32>
  return %2, %6, %13 : tensor<3x4x6xf32>, tensor<6xf32>, tensor<12x6xf32>
}
