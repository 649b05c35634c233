// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels | FileCheck %s

#x = affine_map<(h, w, o, kh, kw, c) -> (h * 2 + kh, w * 2 + kw, c)>
#w = affine_map<(h, w, o, kh, kw, c) -> (kh, kw, c, o)>
#r = affine_map<(h, w, o, kh, kw, c) -> (h, w, o)>

// A panel of 7 x 7 x 160 x 24 numbers would fill the second-level cache: all
// rows of the image, joined, use those of one row of the windows before those of
// the next. Sums are in the result meanwhile.

// CHECK-LABEL: func.func private @large(
// CHECK-SAME:    #hamkaas.kernel<contraction, tile = [4, 24, 7840]>
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[SIZE:.*]] = arith.constant 7 : index
// CHECK-DAG:     %[[BLOCK:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[CHANNELS:.*]] = arith.constant 160 : index
// CHECK:         scf.for %[[H:.*]] = %{{.*}} to %[[SIZE]]
// CHECK:           scf.for %{{.*}} step %[[BLOCK]]
// CHECK:             %[[NEXT:.*]] = arith.addi %[[H]], %[[ONE]]
// CHECK:             scf.if
// CHECK:             scf.for %{{.*}} to %[[SIZE]]
// CHECK:               scf.for %{{.*}} to %[[CHANNELS]]
// CHECK-COUNT-12:        vector.fma
// CHECK:             arith.cmpi ult, %[[NEXT]], %[[SIZE]]
// CHECK-NEXT:        scf.if
// CHECK-COUNT-24:      vector.transfer_write
func.func private @large(%x: tensor<37x85x160xf32>, %w: tensor<2x7x7x160x24xf32>, %out: tensor<16x40x40xf32>) -> tensor<16x40x40xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %u = tensor.empty() : tensor<7x7x160x40xf32>
  %weights = linalg.unpack %w outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3] inner_tiles = [24] into %u : tensor<2x7x7x160x24xf32> -> tensor<7x7x160x40xf32>
  %e = tensor.empty() : tensor<16x40x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x40x40xf32>) -> tensor<16x40x40xf32>
  %a = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %weights : tensor<37x85x160xf32>, tensor<7x7x160x40xf32>) outs(%f : tensor<16x40x40xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<16x40x40xf32>
  return %a : tensor<16x40x40xf32>
}

// A smaller one stays there.

// CHECK-LABEL: func.func private @small(
// CHECK-DAG:     %[[SIZE:.*]] = arith.constant 7 : index
// CHECK-DAG:     %[[ROWS:.*]] = arith.constant 40 : index
// CHECK:         scf.for %{{.*}} to %[[ROWS]]
// CHECK:           scf.for %{{.*}} to %[[SIZE]]
// CHECK:             scf.for %{{.*}} to %[[SIZE]]
func.func private @small(%x: tensor<37x85x48xf32>, %w: tensor<2x7x7x48x24xf32>, %out: tensor<16x40x40xf32>) -> tensor<16x40x40xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %u = tensor.empty() : tensor<7x7x48x40xf32>
  %weights = linalg.unpack %w outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3] inner_tiles = [24] into %u : tensor<2x7x7x48x24xf32> -> tensor<7x7x48x40xf32>
  %e = tensor.empty() : tensor<16x40x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x40x40xf32>) -> tensor<16x40x40xf32>
  %a = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %weights : tensor<37x85x48xf32>, tensor<7x7x48x40xf32>) outs(%f : tensor<16x40x40xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<16x40x40xf32>
  return %a : tensor<16x40x40xf32>
}
