// RUN: hamkaas-run %s --target-cpu=%level --input x=random --input u=random --check-against=reference
// RUN: hamkaas-compile %s --target-cpu=%level -o %t.so
// RUN: hamkaas-run %t.so --input x=random --input u=random
// RUN: hamkaas-run %s --input x=random --input u=random --device=cuda-emulation --check-against=reference

// LEVELS: x86-64 x86-64-v3 x86-64-v4

// Integers become floats of 16 bits, which not each processor does in one step.

func.func @main(%x: tensor<3x5xi64> {hamkaas.name = "x"}, %u: tensor<19xui32> {hamkaas.name = "u"})
    -> (tensor<3x5xbf16> {hamkaas.name = "signed"}, tensor<19xbf16> {hamkaas.name = "unsigned"},
        tensor<4x3xbf16> {hamkaas.name = "counted"}, tensor<3x5xf16> {hamkaas.name = "half"},
        tensor<4x3xf16> {hamkaas.name = "halves"}) {
  // Random integers are 0 and 1.
  %c = hamkaas.constant dense<-1234567> : tensor<1x1xi64>
  %d = hamkaas.constant dense<4000000007> : tensor<1xui32>
  %e = hamkaas.constant dense<-6001> : tensor<1x1xi64>
  %cx = hamkaas.mul %x, %c : tensor<3x5xi64>, tensor<1x1xi64>
  %du = hamkaas.mul %u, %d : tensor<19xui32>, tensor<1xui32>
  %ex = hamkaas.mul %x, %e : tensor<3x5xi64>, tensor<1x1xi64>
  %signed = hamkaas.cast %cx : tensor<3x5xi64> -> tensor<3x5xbf16>
  %unsigned = hamkaas.cast %du : tensor<19xui32> -> tensor<19xbf16>
  %counted = hamkaas.iota 0 : tensor<4x3xbf16>
  %half = hamkaas.cast %ex : tensor<3x5xi64> -> tensor<3x5xf16>
  %halves = hamkaas.iota 0 : tensor<4x3xf16>
  return %signed, %unsigned, %counted, %half, %halves
      : tensor<3x5xbf16>, tensor<19xbf16>, tensor<4x3xbf16>, tensor<3x5xf16>, tensor<4x3xf16>
}
