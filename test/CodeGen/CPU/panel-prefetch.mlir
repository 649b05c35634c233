// RUN: hamkaas-opt %s -hamkaas-cpu-emit-kernels=level=x86-64-v4 | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-cpu-emit-kernels=level=x86-64-v4 -hamkaas-bufferize | FileCheck %s --check-prefix=BUFFERS

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
