// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels | FileCheck %s

// The loop over the depth is unrolled to 48 multiply-adds. Of a depth of 102 two
// steps are left, which have a loop. That of the last row, which no full block
// holds, is not unrolled.

// CHECK-LABEL: func.func private @steps(
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[FOUR:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[WHOLE:.*]] = arith.constant 100 : index
// CHECK:         scf.for {{.*}} to %[[WHOLE]] step %[[FOUR]] iter_args
// CHECK-COUNT-48:  vector.fma
// CHECK-NOT:       vector.fma
// CHECK:           scf.yield
// CHECK:         scf.for {{.*}} step %[[ONE]] iter_args
// CHECK-COUNT-12:  vector.fma
// CHECK-NOT:       vector.fma
// CHECK:           scf.yield
// CHECK:         scf.for {{.*}} step %[[ONE]] iter_args
// CHECK-COUNT-2:   vector.fma
// CHECK-NOT:       vector.fma
// CHECK:           scf.yield
// CHECK:         return
func.func private @steps(%a: tensor<61x102xf32>, %b: tensor<102x16xf32>, %out: tensor<61x16xf32>) -> tensor<61x16xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<61x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<61x16xf32>) -> tensor<61x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<61x102xf32>, tensor<102x16xf32>) outs(%f : tensor<61x16xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<61x16xf32>
  return %y : tensor<61x16xf32>
}
