// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels | FileCheck %s

#id4 = affine_map<(n, h, w, c) -> (n, h, w, c)>
#toLast = affine_map<(n, h, w, c) -> (n, c, h, w)>
#toFirst = affine_map<(n, c, h, w) -> (n, h, w, c)>
#x = affine_map<(n, h, w, c, kh, kw) -> (n, h + kh, w + kw, c)>
#w = affine_map<(n, h, w, c, kh, kw) -> (kh, kw, 0, c)>
#r = affine_map<(n, h, w, c, kh, kw) -> (n, h, w, c)>

// The rows of an image of one vector are computed at once: each is read for all
// of them.
// CHECK-LABEL: func.func private @narrow(
// CHECK-SAME:    #hamkaas.kernel<reduction, tile = [14, 16]>
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func private @narrow(%x: tensor<1x32x14x14xf32>, %w: tensor<7x7x1x32xf32>, %out: tensor<1x32x14x14xf32>) -> tensor<1x32x14x14xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x14x14x32xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x32x14x14xf32>) outs(%e : tensor<1x14x14x32xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x14x14x32xf32>
  %p = tensor.pad %last low[0, 3, 3, 0] high[0, 3, 3, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x14x14x32xf32> to tensor<1x20x20x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32>
  %a = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x20x20x32xf32>, tensor<7x7x1x32xf32>) outs(%f : tensor<1x14x14x32xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x14x14x32xf32>
  %re = tensor.empty() : tensor<1x32x14x14xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a : tensor<1x14x14x32xf32>) outs(%re : tensor<1x32x14x14xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x32x14x14xf32>
  return %d : tensor<1x32x14x14xf32>
}

// Wider ones take four, with two vectors each.
// CHECK-LABEL: func.func private @wide(
// CHECK-SAME:    #hamkaas.kernel<reduction, tile = [4, 32]>
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func private @wide(%x: tensor<1x8x112x112xf32>, %w: tensor<3x3x1x8xf32>, %out: tensor<1x8x112x112xf32>) -> tensor<1x8x112x112xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x112x112x8xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x8x112x112xf32>) outs(%e : tensor<1x112x112x8xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x112x112x8xf32>
  %p = tensor.pad %last low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x112x112x8xf32> to tensor<1x114x114x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x112x112x8xf32>) -> tensor<1x112x112x8xf32>
  %a = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x114x114x8xf32>, tensor<3x3x1x8xf32>) outs(%f : tensor<1x112x112x8xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x112x112x8xf32>
  %re = tensor.empty() : tensor<1x8x112x112xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a : tensor<1x112x112x8xf32>) outs(%re : tensor<1x8x112x112xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x8x112x112xf32>
  return %d : tensor<1x8x112x112xf32>
}

// Images beyond the caches are prefetched: of each block, the four rows that
// are a page behind those that it reads first, a line each 16 elements.
// CHECK-LABEL: func.func private @far(
// CHECK-SAME:    %[[X:.*]]: tensor<2x96x112x112xf32>, %{{.*}}: tensor<3x3x1x96xf32>
// CHECK:         scf.for
// CHECK:           %[[FLAT:.*]] = bufferization.to_buffer %[[X]]
// CHECK:           memref.prefetch
// CHECK:         return
func.func private @far(%x: tensor<2x96x112x112xf32>, %w: tensor<3x3x1x96xf32>, %out: tensor<2x96x112x112xf32>) -> tensor<2x96x112x112xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x112x112x96xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x96x112x112xf32>) outs(%e : tensor<2x112x112x96xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<2x112x112x96xf32>
  %p = tensor.pad %last low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x112x112x96xf32> to tensor<2x114x114x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x112x112x96xf32>) -> tensor<2x112x112x96xf32>
  %a = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<2x114x114x96xf32>, tensor<3x3x1x96xf32>) outs(%f : tensor<2x112x112x96xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<2x112x112x96xf32>
  %re = tensor.empty() : tensor<2x96x112x112xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a : tensor<2x112x112x96xf32>) outs(%re : tensor<2x96x112x112xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<2x96x112x112xf32>
  return %d : tensor<2x96x112x112xf32>
}
