// A model for the tests of engines: a sum with a parameter, then softmax and
// relu, which would be one kernel of ours.
ml_program.global private @w(#ml_program.extern : tensor<6x5xf32>) : tensor<6x5xf32>
func.func @main(%x: tensor<6x5xf32> {hamkaas.name = "x"}) -> (tensor<6x5xf32> {hamkaas.name = "y"}) {
  %w = ml_program.global_load_const @w : tensor<6x5xf32>
  %0 = hamkaas.add %x, %w : tensor<6x5xf32>, tensor<6x5xf32>
  %1 = hamkaas.sliced_softmax %0 static_prefix 5 : tensor<6x5xf32>
  %2 = hamkaas.relu %1 : tensor<6x5xf32>
  return %2 : tensor<6x5xf32>
}
