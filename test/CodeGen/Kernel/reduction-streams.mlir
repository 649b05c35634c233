// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels | FileCheck %s

// Rows of a large operand are read in pieces and, if these are short, prefetched;
// four are added to sums in memory.

// CHECK-LABEL: func.func private @large(
// CHECK-SAME:    tile = [1, 384]>, hamkaas.tiles = 4
// CHECK:         %[[SUMS:.*]] = memref.alloca() {{.*}}: memref<1x384xf32>
// CHECK:         scf.for %{{.*}} step %c4 {
// CHECK-NEXT:      scf.for %{{.*}} step %c16 {
// CHECK-COUNT-2:     vector.load %[[SUMS]]
// CHECK:             memref.prefetch {{.*}} : memref<3145728xf32>
// CHECK-COUNT-2:     vector.transfer_read %arg0
// CHECK:             memref.prefetch
// CHECK-COUNT-2:     vector.transfer_read %arg0
// CHECK:             memref.prefetch
// CHECK-COUNT-2:     vector.transfer_read %arg0
// CHECK:             memref.prefetch
// CHECK-COUNT-2:     vector.transfer_read %arg0
// CHECK-COUNT-2:     vector.store {{.*}}, %[[SUMS]]
// CHECK:         return
func.func private @large(%x: tensor<2048x1536xf32>, %out: tensor<1536xf32>) -> tensor<1536xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1536xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1536xf32>) -> tensor<1536xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
    ins(%x : tensor<2048x1536xf32>) outs(%f : tensor<1536xf32>) {
  ^bb0(%p: f32, %s: f32):
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<1536xf32>
  return %sum : tensor<1536xf32>
}

// So are planes of short rows.

// CHECK-LABEL: func.func private @planes(
// CHECK:         memref.alloca() {{.*}}: memref<1x384xf32>
// CHECK:         vector.transfer_read %arg0
// CHECK:         vector.store
// CHECK:         return
func.func private @planes(%x: tensor<2048x48x32xf32>, %out: tensor<48x32xf32>) -> tensor<48x32xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<48x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<48x32xf32>) -> tensor<48x32xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>], iterator_types = ["reduction", "parallel", "parallel"]}
    ins(%x : tensor<2048x48x32xf32>) outs(%f : tensor<48x32xf32>) {
  ^bb0(%p: f32, %s: f32):
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<48x32xf32>
  return %sum : tensor<48x32xf32>
}

// Those of one that a cache holds are added up in registers.

// CHECK-LABEL: func.func private @small(
// CHECK-NOT:     memref
// CHECK:         return
func.func private @small(%x: tensor<512x1536xf32>, %out: tensor<1536xf32>) -> tensor<1536xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1536xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1536xf32>) -> tensor<1536xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
    ins(%x : tensor<512x1536xf32>) outs(%f : tensor<1536xf32>) {
  ^bb0(%p: f32, %s: f32):
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<1536xf32>
  return %sum : tensor<1536xf32>
}

// One number of a large operand: the hardware fetches it as one row.

// CHECK-LABEL: func.func private @number(
// CHECK:         %[[END:.*]] = arith.constant 1310720 : index
// CHECK:         scf.for %{{.*}} = %c0 to %[[END]] step %c64
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func private @number(%x: tensor<1x1024x1280xf32>, %out: tensor<1xf32>) -> tensor<1xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]}
    ins(%x : tensor<1x1024x1280xf32>) outs(%f : tensor<1xf32>) {
  ^bb0(%p: f32, %s: f32):
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<1xf32>
  return %sum : tensor<1xf32>
}

// Whole rows follow each other in memory, where the hardware fetches them. So a
// smaller operand gains, too.

// CHECK-LABEL: func.func private @whole(
// CHECK-SAME:    tile = [1, 2048]>, hamkaas.tiles = 8
// CHECK:         %[[SUMS:.*]] = memref.alloca() {{.*}}: memref<1x2048xf32>
// CHECK:         scf.for %{{.*}} step %c4
// CHECK-NOT:       memref.prefetch
// CHECK-COUNT-2:   vector.load %[[SUMS]]
// CHECK-COUNT-8:   vector.transfer_read %arg0
// CHECK-COUNT-2:   vector.store {{.*}}, %[[SUMS]]
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func private @whole(%x: tensor<8x40x2048xf32>, %out: tensor<8x2048xf32>) -> tensor<8x2048xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(n, i, j) -> (n, i, j)>, affine_map<(n, i, j) -> (n, j)>], iterator_types = ["parallel", "reduction", "parallel"]}
    ins(%x : tensor<8x40x2048xf32>) outs(%f : tensor<8x2048xf32>) {
  ^bb0(%v: f32, %s: f32):
    %t = arith.addf %s, %v : f32
    linalg.yield %t : f32
  } -> tensor<8x2048xf32>
  return %sum : tensor<8x2048xf32>
}
