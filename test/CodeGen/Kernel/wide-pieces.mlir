// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels | FileCheck %s --check-prefixes=CHECK,NARROW

// Few rows read a large right side by 512 bytes of its rows, if there are
// registers for the sums, and prefetch each line once.

// CHECK-LABEL:     func.func private @one(
// CHECK-SAME:        %{{.*}}, %[[B:[^:]*]]: tensor<512x896xf32>
// WIDE:              :8 = scf.for
// WIDE-COUNT-8:        vector.transfer_read %[[B]]
// WIDE-COUNT-8:        memref.prefetch
// WIDE-NOT:            memref.prefetch
// NARROW:            :14 = scf.for
// NARROW-COUNT-14:     vector.transfer_read %[[B]]
// NARROW-COUNT-8:      memref.prefetch
// NARROW-NOT:          memref.prefetch
// CHECK:               vector.transfer_read %[[B]]
func.func private @one(%a: tensor<1x512xf32>, %b: tensor<512x896xf32>, %out: tensor<1x896xf32>) -> tensor<1x896xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<1x896xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<1x896xf32>) -> tensor<1x896xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<1x512xf32>, tensor<512x896xf32>) outs(%f : tensor<1x896xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<1x896xf32>
  return %y : tensor<1x896xf32>
}

// CHECK-LABEL:     func.func private @three(
// WIDE:              :21 = scf.for
// NARROW:            :9 = scf.for
func.func private @three(%a: tensor<3x512xf32>, %b: tensor<512x896xf32>, %out: tensor<3x896xf32>) -> tensor<3x896xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<3x896xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<3x896xf32>) -> tensor<3x896xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<3x512xf32>, tensor<512x896xf32>) outs(%f : tensor<3x896xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<3x896xf32>
  return %y : tensor<3x896xf32>
}

// A right side that the second-level cache holds is read as before.

// CHECK-LABEL:     func.func private @near(
// WIDE:              :4 = scf.for
func.func private @near(%a: tensor<1x128xf32>, %b: tensor<128x896xf32>, %out: tensor<1x896xf32>) -> tensor<1x896xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<1x896xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<1x896xf32>) -> tensor<1x896xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<1x128xf32>, tensor<128x896xf32>) outs(%f : tensor<1x896xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<1x896xf32>
  return %y : tensor<1x896xf32>
}
