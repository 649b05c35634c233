// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels | FileCheck %s --check-prefixes=CHECK,V3
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels | FileCheck %s --check-prefixes=CHECK,V4

#id4 = affine_map<(n, h, w, c) -> (n, h, w, c)>
#toLast = affine_map<(n, h, w, c) -> (n, c, h, w)>
#toFirst = affine_map<(n, c, h, w) -> (n, h, w, c)>
#x = affine_map<(n, h, w, o, kh, kw, c) -> (n, h + kh, w + kw, c)>
#w = affine_map<(n, h, w, o, kh, kw, c) -> (kh, kw, c, o)>
#r = affine_map<(n, h, w, o, kh, kw, c) -> (n, h, w, o)>

// A convolution of 32 to 3 channels of images whose channels come first. Lanes
// are positions, and a block has all three channels: with 16 registers 9 sums,
// 3 elements and a factor. A band of four rows, whose sums are kept on the
// stack, is added up from groups of so many channels that their rows fit into
// the cache.
// CHECK-LABEL: func.func private @few(
// V3-SAME:       #hamkaas.kernel<reduction, tile = [3, 24, 8]>
// V4-SAME:       #hamkaas.kernel<reduction, tile = [3, 64, 8]>
// CHECK:         %[[SUMS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<12x64xf32>
// CHECK:         scf.for
// CHECK:         vector.store %{{.*}}, %[[SUMS]]
// CHECK:         vector.load %[[SUMS]]
// CHECK:         vector.store %{{.*}}, %[[SUMS]]
// CHECK:         vector.load %[[SUMS]]
// CHECK:         return
func.func private @few(%x: tensor<1x32x32x64xf32>, %w: tensor<3x3x32x3xf32>, %out: tensor<1x3x32x64xf32>) -> tensor<1x3x32x64xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x64x32xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x32x32x64xf32>) outs(%e : tensor<1x32x64x32xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x32x64x32xf32>
  %p = tensor.pad %last low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x32x64x32xf32> to tensor<1x34x66x32xf32>
  %re = tensor.empty() : tensor<1x32x64x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%re : tensor<1x32x64x3xf32>) -> tensor<1x32x64x3xf32>
  %a = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x34x66x32xf32>, tensor<3x3x32x3xf32>) outs(%f : tensor<1x32x64x3xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x32x64x3xf32>
  %ee = tensor.empty() : tensor<1x3x32x64xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a : tensor<1x32x64x3xf32>) outs(%ee : tensor<1x3x32x64xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x3x32x64xf32>
  return %d : tensor<1x3x32x64xf32>
}
