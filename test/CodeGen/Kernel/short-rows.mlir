// RUN: hamkaas-opt %s --pass-pipeline='builtin.module(hamkaas-attach-target{target-cpu=x86-64-v4},func.func(hamkaas-cpu-emit-kernels))' | FileCheck %s

// Each number twice: half a vector is read and spread.

// CHECK-LABEL: func.func private @twice(
// CHECK:         %[[V:.*]] = vector.transfer_read {{.*}} : tensor<40x1xf32>, vector<8xf32>
// CHECK-NEXT:    vector.shuffle %[[V]], %[[V]] [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]
// CHECK-NOT:     tensor.extract
func.func private @twice(%x: tensor<40x1xf32>, %out: tensor<40x2xf32>) -> tensor<40x2xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<40x2xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<40x1xf32>) outs(%e : tensor<40x2xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<40x2xf32>
  return %a : tensor<40x2xf32>
}

// Three numbers a row: every third vector begins with a row.

// CHECK-LABEL: func.func private @three(
// CHECK:         scf.for {{.*}} step %c48
// CHECK-DAG:       vector.shuffle {{.*}} [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0]
// CHECK-DAG:       vector.shuffle {{.*}} [1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]
// CHECK-DAG:       vector.shuffle {{.*}} [2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]
// CHECK:         vector.transfer_write
func.func private @three(%x: tensor<40x3xf32>, %y: tensor<3xf32>, %out: tensor<40x3xf32>) -> tensor<40x3xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<40x3xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : tensor<40x3xf32>, tensor<3xf32>) outs(%e : tensor<40x3xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<40x3xf32>
  return %a : tensor<40x3xf32>
}

// Rows of two images are interleaved.

// CHECK-LABEL: func.func private @interleaved(
// CHECK:         %[[A:.*]] = vector.transfer_read {{.*}} : tensor<2x40xf32>, vector<8xf32>
// CHECK:         %[[B:.*]] = vector.transfer_read {{.*}} : tensor<2x40xf32>, vector<8xf32>
// CHECK-NEXT:    vector.shuffle %{{.*}}, %[[B]] [0, 16, 2, 17, 4, 18, 6, 19, 8, 20, 10, 21, 12, 22, 14, 23]
func.func private @interleaved(%x: tensor<2x40xf32>, %out: tensor<40x2xf32>) -> tensor<40x2xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<40x2xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<2x40xf32>) outs(%e : tensor<40x2xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<40x2xf32>
  return %a : tensor<40x2xf32>
}
