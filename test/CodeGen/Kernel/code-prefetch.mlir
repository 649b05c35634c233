// RUN: hamkaas-opt %s -split-input-file -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels | FileCheck %s
// RUN: hamkaas-opt %s -split-input-file -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels | FileCheck %s --check-prefix=AVX2

// A row times codes of 4 bits, with dot products and without. With AVX-512, one
// of the four words of a block is prefetched, for two vectors of a panel, and no
// scale; panels this short are read one by one. With AVX2, all words and the
// scales are, for four vectors.

// CHECK-LABEL:     func.func private @four(
// CHECK-COUNT-4:   memref.prefetch {{.*}} : memref<65536xi8>
// CHECK-NOT:       memref.prefetch
// AVX2-LABEL:      func.func private @four(
// AVX2-COUNT-16:   memref.prefetch {{.*}} : memref<65536xi8>
// AVX2-COUNT-4:    memref.prefetch {{.*}} : memref<4096xf16>
// AVX2-COUNT-16:   memref.prefetch {{.*}} : memref<65536xi8>
// AVX2-COUNT-4:    memref.prefetch {{.*}} : memref<4096xf16>
// AVX2-NOT:        memref.prefetch
func.func private @four(%codes: tensor<1x128xi8>, %scales: tensor<1x4xf32>, %sums: tensor<1x4xi32>, %panels: tensor<32x16x32x4xi8>, %factors: tensor<32x4x32xf16>, %out: tensor<1x1024xf32>) -> tensor<1x1024xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %a = hamkaas.dequantize_rows %codes, %scales, %sums block 32 step 32 : tensor<1x128xi8>, tensor<1x4xf32>, tensor<1x4xi32>
  %b = hamkaas.dequantize_panels %panels, %factors bits 4 span 32 block 32 zero 8 columns 1024 : tensor<32x16x32x4xi8>, tensor<32x4x32xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<1x128xf32>, tensor<128x1024xf32>) outs(%f : tensor<1x1024xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<1x1024xf32>
  return %y : tensor<1x1024xf32>
}

// -----

// Panels of 8 pages are read two at once.

// CHECK-LABEL:     func.func private @long(
// AVX2-LABEL:      func.func private @long(
// CHECK-COUNT-8:   memref.prefetch {{.*}} : memref<1048576xi8>
// CHECK-NOT:       memref.prefetch
func.func private @long(%codes: tensor<1x2048xi8>, %scales: tensor<1x64xf32>, %sums: tensor<1x64xi32>, %panels: tensor<32x256x32x4xi8>, %factors: tensor<32x64x32xf16>, %out: tensor<1x1024xf32>) -> tensor<1x1024xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %a = hamkaas.dequantize_rows %codes, %scales, %sums block 32 step 32 : tensor<1x2048xi8>, tensor<1x64xf32>, tensor<1x64xi32>
  %b = hamkaas.dequantize_panels %panels, %factors bits 4 span 32 block 32 zero 8 columns 1024 : tensor<32x256x32x4xi8>, tensor<32x64x32xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<1x2048xf32>, tensor<2048x1024xf32>) outs(%f : tensor<1x1024xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<1x1024xf32>
  return %y : tensor<1x1024xf32>
}

// -----

// Codes of 6 bits take more instructions a line: the four words of their lower
// bits and the two of their upper ones are prefetched, and the scales.

// CHECK-LABEL:     func.func private @six(
// CHECK-COUNT-12:  memref.prefetch {{.*}} : memref<98304xi8>
// CHECK-COUNT-2:   memref.prefetch {{.*}} : memref<4096xf16>
// CHECK-COUNT-12:  memref.prefetch {{.*}} : memref<98304xi8>
// CHECK-COUNT-2:   memref.prefetch {{.*}} : memref<4096xf16>
// CHECK-NOT:       memref.prefetch
func.func private @six(%codes: tensor<1x128xi8>, %scales: tensor<1x4xf32>, %sums: tensor<1x4xi32>, %panels: tensor<32x24x32x4xi8>, %factors: tensor<32x4x32xf16>, %out: tensor<1x1024xf32>) -> tensor<1x1024xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %a = hamkaas.dequantize_rows %codes, %scales, %sums block 32 step 32 : tensor<1x128xi8>, tensor<1x4xf32>, tensor<1x4xi32>
  %b = hamkaas.dequantize_panels %panels, %factors bits 6 span 32 block 32 zero 16 columns 1024 : tensor<32x24x32x4xi8>, tensor<32x4x32xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1024xf32>) -> tensor<1x1024xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<1x128xf32>, tensor<128x1024xf32>) outs(%f : tensor<1x1024xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<1x1024xf32>
  return %y : tensor<1x1024xf32>
}
