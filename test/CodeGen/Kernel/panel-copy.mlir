// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels -split-input-file | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels -hamkaas-bufferize -split-input-file | FileCheck %s --check-prefix=BUFFERS
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels -split-input-file | FileCheck %s --check-prefix=AVX2

// The first of eight blocks of rows copies what it reads of 48 columns. The
// others read the copy and ask for the next 48 columns: a row of them in four
// steps, one of its lines in each.

// CHECK-LABEL: func.func private @copied(
// CHECK-SAME:    %{{.*}}: tensor<64x256xf32>, %[[RIGHT:.*]]: tensor<256x1584xf32>
// CHECK-DAG:     %[[COPY:.*]] = memref.alloca() {alignment = 64 : i64} : memref<256x48xf32>
// CHECK:         scf.for
// CHECK:           :24 = scf.for %[[K:[^ ]*]] =
// CHECK:             %[[READ:[^ ]*]] = vector.transfer_read %[[RIGHT]][%[[K]],
// CHECK:             vector.store %[[READ]], %[[COPY]][%[[K]], %c0]
// CHECK:             vector.fma
// CHECK:           scf.for
// CHECK:             :24 = scf.for %[[K:[^ ]*]] =
// CHECK-NOT:           vector.transfer_read %[[RIGHT]]
// CHECK:               vector.load %[[COPY]][%[[K]], %c0]
// CHECK:               vector.fma
// CHECK:               %[[STEP:.*]] = arith.addi %{{.*}}, %[[K]]
// CHECK:               %[[ROW:.*]] = arith.divui %[[STEP]], %c4
// CHECK:               %[[LINE:.*]] = arith.remui %[[STEP]], %c4
// CHECK:               memref.prefetch

// With 16 registers, the steps that read the copy have no room for prefetches.

// AVX2-LABEL: func.func private @copied(
// AVX2-SAME:    %{{.*}}: tensor<64x256xf32>, %[[RIGHT:.*]]: tensor<256x1584xf32>
// AVX2-DAG:     %[[COPY:.*]] = memref.alloca() {alignment = 64 : i64} : memref<256x{{[0-9]+}}xf32>
// AVX2:           vector.transfer_read %[[RIGHT]]
// AVX2:           memref.prefetch
// AVX2:           vector.load %[[COPY]]
// AVX2:           vector.fma
// AVX2-NOT:       memref.prefetch
// AVX2:           return

// BUFFERS-LABEL: func.func private @copied(
// BUFFERS-NOT:     memref.alloc(
// BUFFERS:         memref.prefetch
// BUFFERS-NOT:     memref.alloc(
func.func private @copied(%a: tensor<64x256xf32>, %b: tensor<256x1584xf32>, %out: tensor<64x1584xf32>) -> tensor<64x1584xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<64x1584xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<64x1584xf32>) -> tensor<64x1584xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<64x256xf32>, tensor<256x1584xf32>) outs(%f : tensor<64x1584xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<64x1584xf32>
  return %y : tensor<64x1584xf32>
}

// -----

// A right side that fits the second-level cache is read where it lies.

// CHECK-LABEL: func.func private @small(
// CHECK-NOT:     memref.alloca
// AVX2-LABEL: func.func private @small(
// AVX2-NOT:     memref.alloca
// BUFFERS-LABEL: func.func private @small(
func.func private @small(%a: tensor<64x64xf32>, %b: tensor<64x480xf32>, %out: tensor<64x480xf32>) -> tensor<64x480xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<64x480xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<64x480xf32>) -> tensor<64x480xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<64x64xf32>, tensor<64x480xf32>) outs(%f : tensor<64x480xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<64x480xf32>
  return %y : tensor<64x480xf32>
}

// -----

// Its rows are 2048 bytes apart, so those of a panel share a few sets of the
// L1 cache.

// CHECK-LABEL: func.func private @conflicting(
// CHECK-NOT:     memref.alloca
// AVX2-LABEL: func.func private @conflicting(
// AVX2:         memref.alloca
// BUFFERS-LABEL: func.func private @conflicting(
func.func private @conflicting(%a: tensor<128x64xf32>, %b: tensor<64x512xf32>, %out: tensor<128x512xf32>) -> tensor<128x512xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<128x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<128x512xf32>) -> tensor<128x512xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<128x64xf32>, tensor<64x512xf32>) outs(%f : tensor<128x512xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<128x512xf32>
  return %y : tensor<128x512xf32>
}

// -----

// With 16 registers, panels of a greater depth are copied, because lines are half
// used where rows do not begin at one.

// CHECK-LABEL: func.func private @long(
// CHECK-NOT:     memref.alloca
// AVX2-LABEL: func.func private @long(
// AVX2:         memref.alloca() {alignment = 64 : i64} : memref<160x24xf32>
// BUFFERS-LABEL: func.func private @long(
func.func private @long(%a: tensor<120x160xf32>, %b: tensor<160x96xf32>, %out: tensor<120x96xf32>) -> tensor<120x96xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<120x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<120x96xf32>) -> tensor<120x96xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<120x160xf32>, tensor<160x96xf32>) outs(%f : tensor<120x96xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<120x96xf32>
  return %y : tensor<120x96xf32>
}

// -----

// Columns that are rows in memory are transposed as they are copied, before the
// first product: 16 columns after the others, of those 16 steps at a time, then
// the last 8.

// CHECK-LABEL: func.func private @transposed(
// CHECK-SAME:    %{{.*}}: tensor<64x40xf32>, %[[RIGHT:[a-z0-9]+]]: tensor<96x40xf32>
// CHECK-DAG:     %[[COPY:.*]] = memref.alloca() {alignment = 64 : i64} : memref<40x48xf32>
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-16:    vector.transfer_read %[[RIGHT]][
// CHECK-NOT:         vector.transfer_read
// CHECK-COUNT-64:    vector.shuffle
// CHECK-COUNT-16:    vector.store %{{.*}}, %[[COPY]][
// CHECK-NOT:         vector.transfer_read
// CHECK:           }
// CHECK-COUNT-48:  vector.transfer_read %[[RIGHT]][%{{.*}}, %c32], %{{.*}}, %{{.*}} {in_bounds = [true]}
// CHECK:           scf.for
// CHECK-NOT:         vector.transfer_read %[[RIGHT]]
// CHECK:             vector.load %[[COPY]][
// CHECK:             vector.fma
// CHECK-NOT:         vector.transfer_read %[[RIGHT]]
// CHECK:           return

// BUFFERS-LABEL: func.func private @transposed(
// BUFFERS-NOT:     memref.alloc(
// BUFFERS:         return
func.func private @transposed(%a: tensor<64x40xf32>, %b: tensor<96x40xf32>, %out: tensor<64x96xf32>) -> tensor<64x96xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<64x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<64x96xf32>) -> tensor<64x96xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<64x40xf32>, tensor<96x40xf32>) outs(%f : tensor<64x96xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<64x96xf32>
  return %y : tensor<64x96xf32>
}

// -----

// If the right side is far larger than the caches, each block of rows asks for
// its part of what the next tile copies, before its first step.

// AVX2-LABEL: func.func private @far(
// AVX2-DAG:     %[[COPY:.*]] = memref.alloca() {alignment = 64 : i64} : memref<256x{{[0-9]+}}xf32>
// AVX2:         scf.for
// AVX2:           vector.store %{{.*}}, %[[COPY]]
// AVX2:           scf.for
// AVX2:             scf.for %{{.*}} = %{{.*}} to
// AVX2:               memref.prefetch
// AVX2:             scf.for
// AVX2-NOT:           memref.prefetch
// AVX2:               vector.load %[[COPY]]
// AVX2:               vector.fma
// AVX2-NOT:       memref.prefetch
// AVX2:           return
func.func private @far(%a: tensor<64x256xf32>, %b: tensor<256x16392xf32>, %out: tensor<64x16392xf32>) -> tensor<64x16392xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<64x16392xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<64x16392xf32>) -> tensor<64x16392xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<64x256xf32>, tensor<256x16392xf32>) outs(%f : tensor<64x16392xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<64x16392xf32>
  return %y : tensor<64x16392xf32>
}

// -----

// Rows a page apart share so few sets of the caches that two uses pay for a
// copy, those of six rows and of the last four.

// AVX2-LABEL: func.func private @evicted(
// AVX2:         memref.alloca() {alignment = 64 : i64} : memref<512x16xf32>
func.func private @evicted(%a: tensor<10x512xf32>, %b: tensor<512x1024xf32>, %out: tensor<10x1024xf32>) -> tensor<10x1024xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<10x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<10x1024xf32>) -> tensor<10x1024xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<10x512xf32>, tensor<512x1024xf32>) outs(%f : tensor<10x1024xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<10x1024xf32>
  return %y : tensor<10x1024xf32>
}

// -----

// Others stay in the second-level cache between the two.

// AVX2-LABEL: func.func private @staying(
// AVX2-NOT:     memref.alloca
func.func private @staying(%a: tensor<10x512xf32>, %b: tensor<512x784xf32>, %out: tensor<10x784xf32>) -> tensor<10x784xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<10x784xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<10x784xf32>) -> tensor<10x784xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<10x512xf32>, tensor<512x784xf32>) outs(%f : tensor<10x784xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<10x784xf32>
  return %y : tensor<10x784xf32>
}
