func.func @main(%x: tensor<3x4xf32> {hamkaas.name = "x"}) -> (tensor<3x4xf32> {hamkaas.name = "y"}) {
  %zero = hamkaas.constant dense<0.000000e+00> : tensor<4xf32>
  %0:2 = hamkaas.scan 3 from(%zero) over(%x) with() : (tensor<4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
  ^bb0(%h: tensor<4xf32>, %row: tensor<4xf32>):
    %1 = hamkaas.sub %row, %h : tensor<4xf32>, tensor<4xf32>
    %2 = hamkaas.relu %1 : tensor<4xf32>
    hamkaas.yield %2, %2 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#1 : tensor<3x4xf32>
}
