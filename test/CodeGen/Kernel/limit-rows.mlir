// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels | FileCheck %s

// Rows of 4 KB begin in the same set of the L1 cache, which has 8 lines: blocks
// have 8 rows. Others have as many as registers are for.

// CHECK-LABEL: func.func private @same_set(
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c8
// CHECK:           :8 = scf.for
func.func private @same_set(%a: tensor<128x1024xf32>, %b: tensor<1024x10xf32>, %out: tensor<128x10xf32>) -> tensor<128x10xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<128x10xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<128x10xf32>) -> tensor<128x10xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<128x1024xf32>, tensor<1024x10xf32>) outs(%f : tensor<128x10xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<128x10xf32>
  return %y : tensor<128x10xf32>
}

// CHECK-LABEL: func.func private @other_sets(
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c16
// CHECK:           :16 = scf.for
func.func private @other_sets(%a: tensor<128x1040xf32>, %b: tensor<1040x10xf32>, %out: tensor<128x10xf32>) -> tensor<128x10xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<128x10xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<128x10xf32>) -> tensor<128x10xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<128x1040xf32>, tensor<1040x10xf32>) outs(%f : tensor<128x10xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<128x10xf32>
  return %y : tensor<128x10xf32>
}

// Nine rows are not many more than 8.

// CHECK-LABEL: func.func private @nine(
// CHECK:           :27 = scf.for
func.func private @nine(%a: tensor<135x1024xf32>, %b: tensor<1024x48xf32>, %out: tensor<135x48xf32>) -> tensor<135x48xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<135x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<135x48xf32>) -> tensor<135x48xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<135x1024xf32>, tensor<1024x48xf32>) outs(%f : tensor<135x48xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<135x48xf32>
  return %y : tensor<135x48xf32>
}
