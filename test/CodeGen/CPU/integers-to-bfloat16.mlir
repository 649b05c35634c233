// RUN: hamkaas-run %s --input x=random --input u=random --check-against=reference
// RUN: hamkaas-run %s --input x=random --input u=random --device=cuda-emulation --check-against=reference

// Integers become bfloat16, which no instruction does in one step.

func.func @main(%x: tensor<3x5xi64> {hamkaas.name = "x"}, %u: tensor<19xui32> {hamkaas.name = "u"})
    -> (tensor<3x5xbf16> {hamkaas.name = "signed"}, tensor<19xbf16> {hamkaas.name = "unsigned"},
        tensor<4x3xbf16> {hamkaas.name = "counted"}) {
  // Random integers are 0 and 1.
  %c = hamkaas.constant dense<-1234567> : tensor<1x1xi64>
  %d = hamkaas.constant dense<4000000007> : tensor<1xui32>
  %cx = hamkaas.mul %x, %c : tensor<3x5xi64>, tensor<1x1xi64>
  %du = hamkaas.mul %u, %d : tensor<19xui32>, tensor<1xui32>
  %signed = hamkaas.cast %cx : tensor<3x5xi64> -> tensor<3x5xbf16>
  %unsigned = hamkaas.cast %du : tensor<19xui32> -> tensor<19xbf16>
  %counted = hamkaas.iota 0 : tensor<4x3xbf16>
  return %signed, %unsigned, %counted : tensor<3x5xbf16>, tensor<19xbf16>, tensor<4x3xbf16>
}
