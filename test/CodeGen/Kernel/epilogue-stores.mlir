// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels -split-input-file | FileCheck %s --check-prefixes=CHECK,FEW
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels -split-input-file | FileCheck %s --check-prefixes=CHECK,MANY

// With 16 registers, four vectors of a long function are computed before the
// first is stored. With 32, each is stored at once.

// CHECK-LABEL: func.func private @function(
// CHECK:         vector.fma
// FEW-COUNT-4:   math.erf
// FEW-COUNT-4:   vector.transfer_write
// FEW:           math.erf
// MANY:          math.erf
// MANY-NEXT:     arith.mulf
// MANY-NEXT:     vector.transfer_write
// MANY-NOT:      vector.transfer_write
// MANY:          math.erf
func.func private @function(%a: tensor<48x48xf32>, %b: tensor<48x96xf32>, %out: tensor<48x96xf32>) -> tensor<48x96xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<48x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<48x96xf32>) -> tensor<48x96xf32>
  %y = linalg.matmul ins(%a, %b : tensor<48x48xf32>, tensor<48x96xf32>) outs(%f : tensor<48x96xf32>) -> tensor<48x96xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%y : tensor<48x96xf32>) outs(%i : tensor<48x96xf32>) {
  ^bb0(%x: f32, %s: f32):
    %e = math.erf %x : f32
    %q = arith.mulf %e, %x : f32
    linalg.yield %q : f32
  } -> tensor<48x96xf32>
  return %z : tensor<48x96xf32>
}

// -----

// Short epilogues overlap in hardware.

// CHECK-LABEL: func.func private @short(
// CHECK:         vector.fma
// CHECK:         arith.mulf
// CHECK-NEXT:    vector.transfer_write
// CHECK-NOT:     vector.transfer_write
// CHECK:         arith.mulf
func.func private @short(%a: tensor<48x48xf32>, %b: tensor<48x96xf32>, %out: tensor<48x96xf32>) -> tensor<48x96xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<48x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<48x96xf32>) -> tensor<48x96xf32>
  %y = linalg.matmul ins(%a, %b : tensor<48x48xf32>, tensor<48x96xf32>) outs(%f : tensor<48x96xf32>) -> tensor<48x96xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%y : tensor<48x96xf32>) outs(%i : tensor<48x96xf32>) {
  ^bb0(%x: f32, %s: f32):
    %q = arith.mulf %x, %x : f32
    linalg.yield %q : f32
  } -> tensor<48x96xf32>
  return %z : tensor<48x96xf32>
}

// -----

// The same holds for what follows a depthwise convolution.

// CHECK-LABEL: func.func private @depthwise(
// CHECK:         vector.fma
// FEW-COUNT-4:   math.exp
// FEW:           vector.transfer_write
// MANY:          math.exp
// MANY-NOT:      math.exp
// MANY:          vector.transfer_write
func.func private @depthwise(%a: tensor<1x34x34x64xf32>, %b: tensor<3x3x64xf32>, %out: tensor<1x32x32x64xf32>) -> tensor<1x32x32x64xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<1x32x32x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<1x32x32x64xf32>) -> tensor<1x32x32x64xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%a, %b : tensor<1x34x34x64xf32>, tensor<3x3x64xf32>) outs(%f : tensor<1x32x32x64xf32>) -> tensor<1x32x32x64xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%y : tensor<1x32x32x64xf32>) outs(%i : tensor<1x32x32x64xf32>) {
  ^bb0(%x: f32, %s: f32):
    %e = math.exp %x : f32
    linalg.yield %e : f32
  } -> tensor<1x32x32x64xf32>
  return %z : tensor<1x32x32x64xf32>
}
