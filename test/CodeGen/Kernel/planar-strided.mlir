// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels | FileCheck %s

#id4 = affine_map<(n, h, w, c) -> (n, h, w, c)>
#toLast = affine_map<(n, h, w, c) -> (n, c, h, w)>
#toFirst = affine_map<(n, c, h, w) -> (n, h, w, c)>
#halved = affine_map<(n, h, w, c, kh, kw) -> (n, h * 2 + kh, w * 2 + kw, c)>
#w = affine_map<(n, h, w, c, kh, kw) -> (kh, kw, 0, c)>
#r = affine_map<(n, h, w, c, kh, kw) -> (n, h, w, c)>

// With strides of two, neighbouring elements of the windows are every first and
// every second one of the same two vectors. The last one has vectors of its
// own, the second of which ends with it. Parts of 128 bits stay where they are
// until a sum is complete.

// CHECK-LABEL: func.func private @halved(
// CHECK-SAME:    #hamkaas.kernel<reduction, tile = [4, 16]>
// CHECK:         %[[A:.*]] = vector.transfer_read {{.*}} vector<8xf32>
// CHECK:         %[[B:.*]] = vector.transfer_read {{.*}} vector<8xf32>
// CHECK:         vector.shuffle %[[A]], %[[B]] [0, 2, 8, 10, 4, 6, 12, 14]
// CHECK:         vector.shuffle %[[A]], %[[B]] [1, 3, 9, 11, 5, 7, 13, 15]
// CHECK:         vector.shuffle {{.*}} [0, 2, 9, 11, 4, 6, 13, 15]
// CHECK-NOT:     vector.constant_mask
// CHECK:         vector.shuffle {{.*}} [0, 1, 4, 5, 2, 3, 6, 7]
// CHECK:         vector.transfer_write
// CHECK:         return
func.func private @halved(%x: tensor<1x2x17x33xf32>, %w: tensor<3x3x1x2xf32>, %out: tensor<1x2x8x16xf32>) -> tensor<1x2x8x16xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %xe = tensor.empty() : tensor<1x17x33x2xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x2x17x33xf32>) outs(%xe : tensor<1x17x33x2xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x17x33x2xf32>
  %e = tensor.empty() : tensor<1x8x16x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x16x2xf32>) -> tensor<1x8x16x2xf32>
  %a = linalg.generic {indexing_maps = [#halved, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%last, %w : tensor<1x17x33x2xf32>, tensor<3x3x1x2xf32>) outs(%f : tensor<1x8x16x2xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x8x16x2xf32>
  %re = tensor.empty() : tensor<1x2x8x16xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a : tensor<1x8x16x2xf32>) outs(%re : tensor<1x2x8x16xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x2x8x16xf32>
  return %d : tensor<1x2x8x16xf32>
}

// The sums of large windows are long chains: two rows of up to five vectors.

// CHECK-LABEL: func.func private @large(
// CHECK-SAME:    #hamkaas.kernel<reduction, tile = [2, 32]>
func.func private @large(%x: tensor<1x2x21x117xf32>, %w: tensor<7x7x1x2xf32>, %out: tensor<1x2x8x56xf32>) -> tensor<1x2x8x56xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %xe = tensor.empty() : tensor<1x21x117x2xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x2x21x117xf32>) outs(%xe : tensor<1x21x117x2xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x21x117x2xf32>
  %e = tensor.empty() : tensor<1x8x56x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x56x2xf32>) -> tensor<1x8x56x2xf32>
  %a = linalg.generic {indexing_maps = [#halved, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%last, %w : tensor<1x21x117x2xf32>, tensor<7x7x1x2xf32>) outs(%f : tensor<1x8x56x2xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x8x56x2xf32>
  %re = tensor.empty() : tensor<1x2x8x56xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a : tensor<1x8x56x2xf32>) outs(%re : tensor<1x2x8x56xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x2x8x56xf32>
  return %d : tensor<1x2x8x56xf32>
}

// Five vectors are one block, not two.

// CHECK-LABEL: func.func private @five(
// CHECK-SAME:    #hamkaas.kernel<reduction, tile = [2, 40]>
func.func private @five(%x: tensor<1x2x19x83xf32>, %w: tensor<5x5x1x2xf32>, %out: tensor<1x2x8x40xf32>) -> tensor<1x2x8x40xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %xe = tensor.empty() : tensor<1x19x83x2xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x2x19x83xf32>) outs(%xe : tensor<1x19x83x2xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x19x83x2xf32>
  %e = tensor.empty() : tensor<1x8x40x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x40x2xf32>) -> tensor<1x8x40x2xf32>
  %a = linalg.generic {indexing_maps = [#halved, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%last, %w : tensor<1x19x83x2xf32>, tensor<5x5x1x2xf32>) outs(%f : tensor<1x8x40x2xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x8x40x2xf32>
  %re = tensor.empty() : tensor<1x2x8x40xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a : tensor<1x8x40x2xf32>) outs(%re : tensor<1x2x8x40xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x2x8x40xf32>
  return %d : tensor<1x2x8x40xf32>
}
