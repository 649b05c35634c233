// RUN: hamkaas-opt %s -hamkaas-verify-kernels > %t
// RUN: hamkaas-opt %s | diff - %t

// A module in this form: calls, views, storage for results, constants, and
// kernels with checks. The pass changes nothing.

func.func @main(%x: tensor<4x6xf32>, %out: tensor<12xf32>) -> tensor<12xf32> {
  %0 = tensor.extract_slice %x[1, 0] [2, 6] [1, 1] : tensor<4x6xf32> to tensor<2x6xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<2x6xf32> into tensor<12xf32>
  %2 = tensor.empty() : tensor<12xf32>
  %3 = call @k0(%1, %2) : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
  %4 = bufferization.materialize_in_destination %3 in %out : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
  return %4 : tensor<12xf32>
}
func.func private @k0(%x: tensor<12xf32>, %out: tensor<12xf32>) -> tensor<12xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %true = arith.constant true
  hamkaas.check %true, "expected nothing"()
  %0 = linalg.exp ins(%x : tensor<12xf32>) outs(%out : tensor<12xf32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}
