// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels -hamkaas-bufferize | FileCheck %s --check-prefix=BUFFERS

// Four blocks of eight rows use a panel one after the other. In each step one of
// them asks for 12 of the 48 floats that a step of the next panel has; after
// the last panel there is none, so the first float asked for is at most
// 3 * 40 * 48 - 40 * 48.

// CHECK-LABEL: func.func private @rows(
// CHECK-SAME:    %{{.*}}: tensor<32x40xf32>, %[[PANELS:.*]]: tensor<3x40x48xf32>
// CHECK-DAG:     %[[LAST:.*]] = arith.constant 3840 : index
// CHECK-DAG:     %[[STEP:.*]] = arith.constant 12 : index
// CHECK:         %[[NEXT:.*]] = arith.minui %{{.*}}, %[[LAST]]
// CHECK:         %[[FIRST:.*]] = arith.addi %[[NEXT]], %{{.*}} overflow<nsw>
// CHECK:         scf.for %[[K:[^ ]*]] =
// CHECK:           %[[OFFSET:.*]] = arith.muli %[[K]], %[[STEP]]
// CHECK:           %[[ELEMENT:.*]] = arith.addi %[[FIRST]], %[[OFFSET]]
// CHECK:           %[[BUFFER:.*]] = bufferization.to_buffer %[[PANELS]] read_only
// CHECK:           %[[FLAT:.*]] = memref.reinterpret_cast %[[BUFFER]]
// CHECK:           memref.prefetch %[[FLAT]][%[[ELEMENT]]], read, locality<2>, data : memref<5760xf32>

// The buffer is the kernel's argument, not a copy.
// BUFFERS-LABEL: func.func private @rows(
// BUFFERS-NOT:     memref.alloc
// BUFFERS:         memref.prefetch
// BUFFERS-NOT:     memref.alloc
func.func private @rows(%a: tensor<32x40xf32>, %b: tensor<3x40x48xf32>, %out: tensor<32x144xf32>) -> tensor<32x144xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %e = tensor.empty() : tensor<40x144xf32>
  %u = linalg.unpack %b outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [48] into %e : tensor<3x40x48xf32> -> tensor<40x144xf32>
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<32x144xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<32x144xf32>) -> tensor<32x144xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %u : tensor<32x40xf32>, tensor<40x144xf32>) outs(%f : tensor<32x144xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<32x144xf32>
  return %y : tensor<32x144xf32>
}

// One row uses each panel once: all of them are one stream.

// CHECK-LABEL: func.func private @row(
// CHECK-NOT:     memref.prefetch
// BUFFERS-LABEL: func.func private @row(
func.func private @row(%a: tensor<1x40xf32>, %b: tensor<3x40x48xf32>, %out: tensor<1x144xf32>) -> tensor<1x144xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %e = tensor.empty() : tensor<40x144xf32>
  %u = linalg.unpack %b outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [48] into %e : tensor<3x40x48xf32> -> tensor<40x144xf32>
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<1x144xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<1x144xf32>) -> tensor<1x144xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %u : tensor<1x40xf32>, tensor<40x144xf32>) outs(%f : tensor<1x144xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<1x144xf32>
  return %y : tensor<1x144xf32>
}

// The weights of a convolution are one stretch a panel, which three lines of one
// block of eight positions use. In the step of row 2, column 1 and channel c of
// the window, the number (2 * 2 + 1) * 512 + c, it asks for 16 floats.

// CHECK-LABEL: func.func private @window(
// CHECK-SAME:    %{{.*}}: tensor<4x9x512xf32>, %[[PANELS:.*]]: tensor<3x2x2x512x48xf32>
// CHECK:         :24 = scf.for %[[H:[^ ]*]] =
// CHECK:           :24 = scf.for %[[W:[^ ]*]] =
// CHECK:             :24 = scf.for %[[C:[^ ]*]] =
// CHECK:               %[[ROW:.*]] = arith.muli %[[H]], %c2
// CHECK:               %[[TAP:.*]] = arith.addi %[[ROW]], %[[W]]
// CHECK:               %[[STEP:.*]] = arith.muli %[[TAP]], %c512
// CHECK:               %[[LINEAR:.*]] = arith.addi %[[STEP]], %[[C]]
// CHECK:               %[[OFFSET:.*]] = arith.muli %[[LINEAR]], %c16
// CHECK:               memref.prefetch
func.func private @window(%a: tensor<4x9x512xf32>, %b: tensor<3x2x2x512x48xf32>, %out: tensor<3x8x144xf32>) -> tensor<3x8x144xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %e = tensor.empty() : tensor<2x2x512x144xf32>
  %u = linalg.unpack %b outer_dims_perm = [3, 0, 1, 2] inner_dims_pos = [3] inner_tiles = [48] into %e : tensor<3x2x2x512x48xf32> -> tensor<2x2x512x144xf32>
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<3x8x144xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<3x8x144xf32>) -> tensor<3x8x144xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(h, w, n, kh, kw, c) -> (h + kh, w + kw, c)>, affine_map<(h, w, n, kh, kw, c) -> (kh, kw, c, n)>, affine_map<(h, w, n, kh, kw, c) -> (h, w, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%a, %u : tensor<4x9x512xf32>, tensor<2x2x512x144xf32>) outs(%f : tensor<3x8x144xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<3x8x144xf32>
  return %y : tensor<3x8x144xf32>
}
