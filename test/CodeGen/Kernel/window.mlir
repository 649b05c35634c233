// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels | FileCheck %s

// Eight windows at a time, of one vector of channels each. The first and the
// last of a row are blocks of their own that read nothing outside: 9 vectors
// for 23 products. Those between need 10 for 24. The loop over the rows of a
// window begins and ends within the image.

// CHECK-LABEL: func @depthwise(
// CHECK-SAME:    #hamkaas.kernel<reduction, tile = [8, 8]>
// CHECK-NOT:     tensor.pad
// CHECK:         scf.for {{.*}}
// The first block.
// CHECK:           arith.minui
// CHECK:           scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-23:    vector.fma
// CHECK-NOT:         vector.fma
// CHECK:             scf.yield
// CHECK-COUNT-8:   vector.transfer_write
// Those between.
// CHECK:           scf.for {{.*}} -> (vector<8xf32>,
// CHECK-COUNT-24:    vector.fma
// CHECK-NOT:         vector.fma
// CHECK:             scf.yield
// CHECK-COUNT-8:   vector.transfer_write
// The last.
// CHECK:           scf.for {{.*}} -> (vector<8xf32>,
// CHECK-COUNT-23:    vector.fma
// CHECK-NOT:         vector.fma
// CHECK:             scf.yield
// CHECK-COUNT-8:   vector.transfer_write
// CHECK-NOT:     vector.transfer_write
// CHECK:         return
func.func @depthwise(%x: tensor<1x32x32x16xf32>, %w: tensor<3x3x1x16xf32>, %out: tensor<1x32x32x16xf32>) -> tensor<1x32x32x16xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x32x32x16xf32> to tensor<1x34x34x16xf32>
  %e = tensor.empty() : tensor<1x32x32x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32x32x16xf32>) -> tensor<1x32x32x16xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, kh, kw) -> (n, h + kh, w + kw, c)>, affine_map<(n, h, w, c, kh, kw) -> (kh, kw, 0, c)>, affine_map<(n, h, w, c, kh, kw) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%p, %w : tensor<1x34x34x16xf32>, tensor<3x3x1x16xf32>) outs(%f : tensor<1x32x32x16xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x32x32x16xf32>
  return %a : tensor<1x32x32x16xf32>
}
