ml_program.global private mutable @count(dense<7> : tensor<i64>) : tensor<i64>
ml_program.global private mutable @sum(#ml_program.extern : tensor<1x3xf32>) : tensor<1x3xf32> {hamkaas.name = "scale"}
ml_program.global private mutable @mask(dense<0xFF800000> : tensor<5xf32>) : tensor<5xf32>
ml_program.global private mutable @seen(dense<[true, false, true]> : tensor<3xi1>) : tensor<3xi1>
ml_program.global private mutable @zero(dense<0.0> : tensor<2xf32>) : tensor<2xf32>
func.func @main(%x: tensor<1x3xf32> {hamkaas.name = "x"})
    -> (tensor<1x3xf32> {hamkaas.name = "sum"}, tensor<i64> {hamkaas.name = "count"},
        tensor<5xf32> {hamkaas.name = "mask"}, tensor<3xi1> {hamkaas.name = "seen"}) {
  %count = ml_program.global_load @count : tensor<i64>
  %one = hamkaas.constant dense<1> : tensor<i64>
  %next = hamkaas.add %count, %one : tensor<i64>, tensor<i64>
  ml_program.global_store @count = %next : tensor<i64>
  %old = ml_program.global_load @sum : tensor<1x3xf32>
  %sum = hamkaas.add %old, %x : tensor<1x3xf32>, tensor<1x3xf32>
  ml_program.global_store @sum = %sum : tensor<1x3xf32>
  %mask = ml_program.global_load @mask : tensor<5xf32>
  %seen = ml_program.global_load @seen : tensor<3xi1>
  return %sum, %count, %mask, %seen : tensor<1x3xf32>, tensor<i64>, tensor<5xf32>, tensor<3xi1>
}
