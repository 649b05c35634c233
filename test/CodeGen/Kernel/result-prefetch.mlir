// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels -split-input-file | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels -hamkaas-bufferize -split-input-file | FileCheck %s --check-prefix=BUFFERS

// A block asks for its rows of the result and of what is added to it before it
// sums up: in the loop over blocks, before that over the depth.

// CHECK-LABEL: func.func private @residual(
// CHECK-SAME:    %[[ADDED:[^ ,]*]]: tensor<512x96xf32> {hamkaas.inplace}, %[[OUT:[^ ,]*]]: tensor<512x96xf32>)
// CHECK:         %[[RESULT_BUFFER:.*]] = bufferization.to_buffer %[[OUT]]
// CHECK:         %[[RESULT:.*]] = memref.reinterpret_cast %[[RESULT_BUFFER]]
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             %[[BUFFER:.*]] = bufferization.to_buffer %[[ADDED]] read_only
// CHECK:             %[[FLAT:.*]] = memref.reinterpret_cast %[[BUFFER]]
// CHECK:             memref.prefetch %[[FLAT]][%[[AT:.*]]], read, locality<3>
// CHECK:             memref.prefetch %[[RESULT]][%[[AT]]], read, locality<3>
// CHECK:             scf.for
// CHECK:               vector.fma
// CHECK:             vector.transfer_read %[[ADDED]]

// No argument is copied for it.

// BUFFERS-LABEL: func.func private @residual(
// BUFFERS-NOT:     memref.alloc(
// BUFFERS-NOT:     memref.copy
// BUFFERS:         memref.prefetch
// BUFFERS-NOT:     memref.alloc(
// BUFFERS-NOT:     memref.copy
// BUFFERS:         return
func.func private @residual(%a: tensor<512x48xf32>, %b: tensor<48x96xf32>, %c: tensor<512x96xf32>, %out: tensor<512x96xf32>) -> tensor<512x96xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<512x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<512x96xf32>) -> tensor<512x96xf32>
  %y = linalg.matmul ins(%a, %b : tensor<512x48xf32>, tensor<48x96xf32>) outs(%f : tensor<512x96xf32>) -> tensor<512x96xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%y, %c : tensor<512x96xf32>, tensor<512x96xf32>) outs(%i : tensor<512x96xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %q = arith.addf %l, %r : f32
    linalg.yield %q : f32
  } -> tensor<512x96xf32>
  return %z : tensor<512x96xf32>
}

// -----

// The stores of a deep block drain during the next one.

// CHECK-LABEL: func.func private @deep(
// CHECK-NOT:     memref.prefetch
// BUFFERS-LABEL: func.func private @deep(
func.func private @deep(%a: tensor<512x120xf32>, %b: tensor<120x66xf32>, %out: tensor<512x66xf32>) -> tensor<512x66xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<512x66xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<512x66xf32>) -> tensor<512x66xf32>
  %y = linalg.matmul ins(%a, %b : tensor<512x120xf32>, tensor<120x66xf32>) outs(%f : tensor<512x66xf32>) -> tensor<512x66xf32>
  return %y : tensor<512x66xf32>
}

// -----

// A small result stays in the caches.

// CHECK-LABEL: func.func private @small(
// CHECK-NOT:     memref.prefetch
// BUFFERS-LABEL: func.func private @small(
func.func private @small(%a: tensor<64x48xf32>, %b: tensor<48x96xf32>, %out: tensor<64x96xf32>) -> tensor<64x96xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<64x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<64x96xf32>) -> tensor<64x96xf32>
  %y = linalg.matmul ins(%a, %b : tensor<64x48xf32>, tensor<48x96xf32>) outs(%f : tensor<64x96xf32>) -> tensor<64x96xf32>
  return %y : tensor<64x96xf32>
}

// -----

// An operand that is added to deep sums may be a part of a larger tensor.

// CHECK-LABEL: func.func private @row_of_a_sequence(
// CHECK-SAME:    %[[ROW:[^ ,]*]]: tensor<16x512xf32> {hamkaas.inplace}, %[[OUT:[^ ,]*]]: tensor<16x512xf32>)
// CHECK:         %[[BUFFER:.*]] = bufferization.to_buffer %[[ROW]] read_only
// CHECK:         %[[FLAT:.*]] = memref.reinterpret_cast %[[BUFFER]]
// CHECK:         memref.prefetch %[[FLAT]][%{{.*}}], read, locality<3>
// CHECK-NOT:     bufferization.to_buffer %[[OUT]]
// CHECK:         vector.fma
// BUFFERS-LABEL: func.func private @row_of_a_sequence(
func.func private @row_of_a_sequence(%a: tensor<16x128xf32>, %b: tensor<128x512xf32>, %c: tensor<16x512xf32>, %out: tensor<16x512xf32>) -> tensor<16x512xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<16x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<16x512xf32>) -> tensor<16x512xf32>
  %y = linalg.matmul ins(%a, %b : tensor<16x128xf32>, tensor<128x512xf32>) outs(%f : tensor<16x512xf32>) -> tensor<16x512xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%y, %c : tensor<16x512xf32>, tensor<16x512xf32>) outs(%i : tensor<16x512xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %q = arith.addf %l, %r : f32
    linalg.yield %q : f32
  } -> tensor<16x512xf32>
  return %z : tensor<16x512xf32>
}
