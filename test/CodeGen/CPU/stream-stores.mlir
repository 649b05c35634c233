// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels -split-input-file | FileCheck %s --check-prefix=EMIT
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels -split-input-file | FileCheck %s --check-prefix=AVX2
// RUN: hamkaas-opt %s -hamkaas-stream-stores -split-input-file | FileCheck %s

// A result of 8 MB: whole lines from the first one that the destination has are
// written past the caches, the ends of a row are not.

// EMIT-LABEL: func private @large(
// EMIT-SAME:    %[[OUT:[^:]*]]: tensor<64x32768xf32>) ->
// EMIT:         %[[BUFFER:.*]] = bufferization.to_buffer %[[OUT]] read_only
// EMIT:         %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[BUFFER]]
// EMIT:         %[[TO_LINE:.*]] = arith.subi %{{.*}}, %[[ADDRESS]]
// EMIT:         %[[BYTES:.*]] = arith.andi %[[TO_LINE]], %{{.*}}
// EMIT:         %[[FIRST:.*]] = arith.divui %[[BYTES]], %{{.*}}
// EMIT:         scf.for
// EMIT-COUNT-2:   vector.transfer_read
// EMIT:           arith.addi %{{.*}}, %[[FIRST]]
// EMIT:           scf.for
// EMIT:             vector.transfer_write
// EMIT:           } {hamkaas.stream_loop}
// EMIT-COUNT-2:   vector.transfer_write

func.func private @large(%x: tensor<64x32768xf32>, %out: tensor<64x32768xf32>) -> tensor<64x32768xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x32768xf32>) outs(%out : tensor<64x32768xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<64x32768xf32>
  return %0 : tensor<64x32768xf32>
}

// -----

// Not so smaller ones, nor those of short rows or whose rows begin anywhere in a
// line.

// EMIT-LABEL: func private @small(
// EMIT-NOT:     hamkaas.stream_loop
func.func private @small(%x: tensor<32x32768xf32>, %out: tensor<32x32768xf32>) -> tensor<32x32768xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<32x32768xf32>) outs(%out : tensor<32x32768xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<32x32768xf32>
  return %0 : tensor<32x32768xf32>
}

// EMIT-LABEL: func private @narrow(
// EMIT-NOT:     hamkaas.stream_loop
func.func private @narrow(%x: tensor<2048x1024xf32>, %out: tensor<2048x1024xf32>) -> tensor<2048x1024xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2048x1024xf32>) outs(%out : tensor<2048x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<2048x1024xf32>
  return %0 : tensor<2048x1024xf32>
}

// EMIT-LABEL: func private @odd(
// EMIT-NOT:     hamkaas.stream_loop
func.func private @odd(%x: tensor<64x32769xf32>, %out: tensor<64x32769xf32>) -> tensor<64x32769xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x32769xf32>) outs(%out : tensor<64x32769xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<64x32769xf32>
  return %0 : tensor<64x32769xf32>
}

// -----

// A transposition with AVX2 writes both vectors of a line one after the other.

// EMIT-LABEL: func private @turned(
// AVX2-LABEL: func private @turned(
// AVX2:           %[[NEXT:.*]] = arith.addi %[[FIRST:[^,]*]], %c8 overflow
// AVX2:           vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}, %[[FIRST]]]
// AVX2:           vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}, %[[NEXT]]]
// AVX2-COUNT-14:  vector.transfer_write
// AVX2-NOT:       vector.transfer_write
// AVX2:           } {hamkaas.stream_loop}
func.func private @turned(%x: tensor<2048x2048xf32>, %out: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<2048x2048xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2048x2048xf32>) outs(%e : tensor<2048x2048xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
}

// -----

// The writes of such a loop, however deep, but those of some lanes; and a fence
// at the end.

// EMIT-LABEL:  func @loops(
// CHECK-LABEL: func @loops(
// CHECK-SAME:    %[[OUT:[^:]*]]: memref<64xf32>, %[[V:[^:]*]]: vector<16xf32>
// CHECK:         scf.for %[[I:[^ ]*]] =
// CHECK:           vector.store %[[V]], %[[OUT]][%[[I]]] {alignment = 64 : i64, nontemporal = true}
// CHECK:           vector.transfer_write
// CHECK:         }
// CHECK:         vector.transfer_write
// CHECK-NOT:     nontemporal
// CHECK:         llvm.call_intrinsic "llvm.x86.sse.sfence"
// CHECK-NEXT:    return
func.func @loops(%out: memref<64xf32>, %v: vector<16xf32>, %some: vector<16xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  scf.for %i = %c0 to %c48 step %c16 {
    scf.for %j = %c0 to %c48 step %c16 {
      vector.transfer_write %v, %out[%i] {in_bounds = [true]} : vector<16xf32>, memref<64xf32>
      vector.transfer_write %v, %out[%j], %some {in_bounds = [true]} : vector<16xf32>, memref<64xf32>
    }
  } {hamkaas.stream_loop}
  vector.transfer_write %v, %out[%c1] {in_bounds = [true]} : vector<16xf32>, memref<64xf32>
  return
}

// CHECK-LABEL: func @nothing(
// CHECK-NOT:     sfence
func.func @nothing(%out: memref<64xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  vector.transfer_write %v, %out[%c0] {in_bounds = [true]} : vector<16xf32>, memref<64xf32>
  return
}
