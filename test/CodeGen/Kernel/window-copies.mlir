// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels | FileCheck %s

#x = affine_map<(n, h, w, c, kh, kw) -> (n, h + kh, w + kw, c)>
#w = affine_map<(n, h, w, c, kh, kw) -> (kh, kw, 0, c)>
#r = affine_map<(n, h, w, c, kh, kw) -> (n, h, w, c)>
#scalar = affine_map<(n, h, w, c, kh, kw) -> ()>
#taps = affine_map<(n, h, w, c, kh, kw) -> (kh, kw)>

// 5 x 5 windows of a block of 5 of 768 channels read 45 pixels and 25 factors,
// 3 KB apart, of which the L1 cache holds 32. So two lines of each are copied.

// CHECK-LABEL: func.func private @copied(
// CHECK-DAG:     %[[FACTORS:.*]] = memref.alloca() {{.*}}: memref<25x32xf32>
// CHECK-DAG:     %[[PIXELS:.*]] = memref.alloca() {{.*}}: memref<196x32xf32>
// CHECK-COUNT-4: vector.store %{{.*}}, %[[FACTORS]]
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-4:     vector.store %{{.*}}, %[[PIXELS]]
// CHECK-NOT:     vector.transfer_read
// CHECK:         vector.load %[[PIXELS]]
// CHECK:         return
func.func private @copied(%x: tensor<1x14x14x768xf32>, %w: tensor<5x5x1x768xf32>, %out: tensor<1x10x10x768xf32>) -> tensor<1x10x10x768xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x10x10x768xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x10x10x768xf32>) -> tensor<1x10x10x768xf32>
  %a = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<1x14x14x768xf32>, tensor<5x5x1x768xf32>) outs(%f : tensor<1x10x10x768xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x10x10x768xf32>
  return %a : tensor<1x10x10x768xf32>
}

// With 3 x 3 windows a block reads 30, so that nothing is copied; nor of 480
// channels, of which the cache holds 256 lines.

// CHECK-LABEL: func.func private @few(
// CHECK-NOT:     memref.alloca
// CHECK:         return
func.func private @few(%x: tensor<1x14x14x768xf32>, %w: tensor<3x3x1x768xf32>, %out: tensor<1x12x12x768xf32>) -> tensor<1x12x12x768xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x12x12x768xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x12x12x768xf32>) -> tensor<1x12x12x768xf32>
  %a = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<1x14x14x768xf32>, tensor<3x3x1x768xf32>) outs(%f : tensor<1x12x12x768xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x12x12x768xf32>
  return %a : tensor<1x12x12x768xf32>
}

// CHECK-LABEL: func.func private @apart(
// CHECK-NOT:     memref.alloca
// CHECK:         return
func.func private @apart(%x: tensor<1x14x14x480xf32>, %w: tensor<5x5x1x480xf32>, %out: tensor<1x10x10x480xf32>) -> tensor<1x10x10x480xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x10x10x480xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x10x10x480xf32>) -> tensor<1x10x10x480xf32>
  %a = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<1x14x14x480xf32>, tensor<5x5x1x480xf32>) outs(%f : tensor<1x10x10x480xf32>) {
  ^bb0(%q: f32, %v: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x10x10x480xf32>
  return %a : tensor<1x10x10x480xf32>
}

// One factor of all channels is not copied.

// CHECK-LABEL: func.func private @scalar(
// CHECK:         memref.alloca() {{.*}}: memref<256x64xf32>
// CHECK-NOT:     memref.alloca
// CHECK:         return
func.func private @scalar(%x: tensor<1x16x16x1024xf32>, %w: tensor<f32>, %out: tensor<1x14x14x1024xf32>) -> tensor<1x14x14x1024xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %k = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x14x14x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x14x14x1024xf32>) -> tensor<1x14x14x1024xf32>
  %a = linalg.generic {indexing_maps = [#x, #scalar, #taps, #r], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w, %k : tensor<1x16x16x1024xf32>, tensor<f32>, tensor<3x3xf32>) outs(%f : tensor<1x14x14x1024xf32>) {
  ^bb0(%q: f32, %v: f32, %z: f32, %s: f32):
    %t = arith.mulf %q, %v : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<1x14x14x1024xf32>
  return %a : tensor<1x14x14x1024xf32>
}
