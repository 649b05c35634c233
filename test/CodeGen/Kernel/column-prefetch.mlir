// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels | FileCheck %s

// A right side that is read in place is prefetched 8 steps of the depth ahead,
// unless so many blocks of rows read a panel that the first, which alone does
// not find it in the second-level cache, hardly counts.

// CHECK-LABEL: func.func private @few_rows(
// CHECK:         scf.for %[[K:[^ ]*]] = %{{.*}} iter_args
// CHECK:           vector.fma
// CHECK:           %[[AHEAD:.*]] = arith.addi %{{.*}}, %{{c8.*}}
// CHECK:           memref.prefetch %{{.*}}, read, locality<2>, data : memref<24576xf32>
func.func private @few_rows(%a: tensor<8x256xf32>, %b: tensor<256x96xf32>, %out: tensor<8x96xf32>) -> tensor<8x96xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<8x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<8x96xf32>) -> tensor<8x96xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x256xf32>, tensor<256x96xf32>) outs(%f : tensor<8x96xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x96xf32>
  return %y : tensor<8x96xf32>
}

// CHECK-LABEL: func.func private @many_rows(
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func private @many_rows(%a: tensor<128x256xf32>, %b: tensor<256x96xf32>, %out: tensor<128x96xf32>) -> tensor<128x96xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<128x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<128x96xf32>) -> tensor<128x96xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<128x256xf32>, tensor<256x96xf32>) outs(%f : tensor<128x96xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<128x96xf32>
  return %y : tensor<128x96xf32>
}
