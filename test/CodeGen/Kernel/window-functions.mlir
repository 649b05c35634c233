// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels | FileCheck %s --check-prefix=MANY

#id4 = affine_map<(n, h, w, c) -> (n, h, w, c)>
#toLast = affine_map<(n, h, w, c) -> (n, c, h, w)>
#toFirst = affine_map<(n, c, h, w) -> (n, h, w, c)>
#bias = affine_map<(n, h, w, c) -> (c)>
#w = affine_map<(n, h, w, c, kh, kw) -> (kh, kw, 0, c)>
#r = affine_map<(n, h, w, c, kh, kw) -> (n, h, w, c)>
#x1 = affine_map<(n, h, w, c, kh, kw) -> (n, h + kh, w + kw, c)>

// Sums of windows with functions are kept until the last one of an image, whose
// functions are then computed four vectors at a time. With 32 registers, blocks
// have enough vectors.

// CHECK-LABEL: func.func private @kept(
// CHECK:         %[[KEPT:.*]] = memref.alloca() {{.*}}: memref<13x24xf32>
// CHECK:         vector.fma
// CHECK-NOT:     math.exp
// CHECK:         vector.store %{{.*}}, %[[KEPT]]
// CHECK:         scf.for
// CHECK-COUNT-12:  vector.load %[[KEPT]]
// CHECK-COUNT-4:   math.exp
// CHECK-COUNT-4:   vector.transfer_write
// CHECK-COUNT-4:   math.exp
// CHECK-NOT:     vector.fma
// CHECK:         return
// MANY-LABEL:  func.func private @kept(
// MANY-NOT:      memref.alloca
// MANY:          return
func.func private @kept(%x: tensor<1x3x13x20xf32>, %w: tensor<3x5x1x3xf32>, %b: tensor<3xf32>, %out: tensor<1x3x13x20xf32>) -> tensor<1x3x13x20xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x13x20x3xf32>
  %last = linalg.generic {indexing_maps = [#toLast, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x3x13x20xf32>) outs(%e : tensor<1x13x20x3xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x13x20x3xf32>
  %p = tensor.pad %last low[0, 1, 2, 0] high[0, 1, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x13x20x3xf32> to tensor<1x15x24x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x13x20x3xf32>) -> tensor<1x13x20x3xf32>
  %a = linalg.generic {indexing_maps = [#x1, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x15x24x3xf32>, tensor<3x5x1x3xf32>) outs(%f : tensor<1x13x20x3xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x13x20x3xf32>
  %c = linalg.generic {indexing_maps = [#id4, #bias, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%a, %b : tensor<1x13x20x3xf32>, tensor<3xf32>) outs(%e : tensor<1x13x20x3xf32>) {
  ^bb0(%q: f32, %v: f32, %o: f32):
    %t = arith.addf %q, %v : f32
    %u = math.exp %t : f32
    linalg.yield %u : f32
  } -> tensor<1x13x20x3xf32>
  %re = tensor.empty() : tensor<1x3x13x20xf32>
  %d = linalg.generic {indexing_maps = [#toFirst, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%c : tensor<1x13x20x3xf32>) outs(%re : tensor<1x3x13x20xf32>) {
  ^bb0(%q: f32, %o: f32):
    linalg.yield %q : f32
  } -> tensor<1x3x13x20xf32>
  return %d : tensor<1x3x13x20xf32>
}
