// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels | FileCheck %s

// A vector of eight channels is read once. Each of the four of a group is
// spread over its lanes, and serves the windows that share it.
// CHECK-LABEL: func.func private @pairs(
// CHECK-SAME:    #hamkaas.kernel<contraction, tile = [4, 8]>
// CHECK:         vector.transfer_read %arg0
// CHECK-NEXT:    vector.shuffle {{.*}} [0, 0, 0, 0, 4, 4, 4, 4]
// CHECK:         vector.fma
// CHECK:         vector.shuffle {{.*}} [1, 1, 1, 1, 5, 5, 5, 5]
// CHECK:         vector.shuffle {{.*}} [2, 2, 2, 2, 6, 6, 6, 6]
// CHECK:         vector.shuffle {{.*}} [3, 3, 3, 3, 7, 7, 7, 7]
// CHECK-NOT:     vector.shuffle
// CHECK:         vector.transfer_read %arg0
func.func private @pairs(%x: tensor<1x8x16xf32>, %w: tensor<1x4x16xf32>, %b: tensor<16xf32>, %out: tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %shape = tensor.empty() : tensor<4x4xf32>
  %e = tensor.empty() : tensor<1x4x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, w, g, o, kw, i) -> (n, w * 2 + kw, g * 4 + i)>, affine_map<(n, w, g, o, kw, i) -> (kw, i, g * 4 + o)>, affine_map<(n, w, g, o, kw, i) -> (g, o)>, affine_map<(n, w, g, o, kw, i) -> (n, w, g * 4 + o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w, %shape : tensor<1x8x16xf32>, tensor<1x4x16xf32>, tensor<4x4xf32>) outs(%f : tensor<1x4x16xf32>) {
  ^bb0(%p: f32, %q: f32, %u: f32, %s: f32):
    %t = arith.mulf %p, %q : f32
    %v = arith.addf %s, %t : f32
    linalg.yield %v : f32
  } -> tensor<1x4x16xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, w, o) -> (n, w, o)>, affine_map<(n, w, o) -> (o)>, affine_map<(n, w, o) -> (n, w, o)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<1x4x16xf32>, tensor<16xf32>) outs(%e : tensor<1x4x16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<1x4x16xf32>
  return %c : tensor<1x4x16xf32>
}

// Groups of whole vectors are columns of a contraction.
// CHECK-LABEL: func.func private @whole_vectors(
// CHECK-NOT:     vector.shuffle
// CHECK:         return
func.func private @whole_vectors(%x: tensor<1x8x32xf32>, %w: tensor<1x8x32xf32>, %b: tensor<32xf32>, %out: tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %shape = tensor.empty() : tensor<4x8xf32>
  %e = tensor.empty() : tensor<1x8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, w, g, o, kw, i) -> (n, w + kw, g * 8 + i)>, affine_map<(n, w, g, o, kw, i) -> (kw, i, g * 8 + o)>, affine_map<(n, w, g, o, kw, i) -> (g, o)>, affine_map<(n, w, g, o, kw, i) -> (n, w, g * 8 + o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w, %shape : tensor<1x8x32xf32>, tensor<1x8x32xf32>, tensor<4x8xf32>) outs(%f : tensor<1x8x32xf32>) {
  ^bb0(%p: f32, %q: f32, %u: f32, %s: f32):
    %t = arith.mulf %p, %q : f32
    %v = arith.addf %s, %t : f32
    linalg.yield %v : f32
  } -> tensor<1x8x32xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, w, o) -> (n, w, o)>, affine_map<(n, w, o) -> (o)>, affine_map<(n, w, o) -> (n, w, o)>], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<1x8x32xf32>, tensor<32xf32>) outs(%e : tensor<1x8x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<1x8x32xf32>
  return %c : tensor<1x8x32xf32>
}
