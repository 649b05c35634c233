// RUN: hamkaas-opt %s -pass-pipeline='builtin.module(hamkaas-attach-target{target-cpu=x86-64-v3},func.func(hamkaas-cpu-emit-kernels),canonicalize,cse)' | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// Every second lane is picked out of two vectors that end where the last lane
// does. The result cannot take the place of x, which is read elsewhere.

// CHECK-LABEL: func.func private @strided
// CHECK-NOT:   hamkaas.inplace
// CHECK:       %[[A:.*]] = vector.transfer_read %{{.*}} : tensor<15xf32>, vector<8xf32>
// CHECK:       %[[B:.*]] = vector.transfer_read %{{.*}}[%c7], %{{.*}} : tensor<15xf32>, vector<8xf32>
// CHECK:       vector.shuffle %{{.*}}, %[[B]] [0, 1, 2, 3, 9, 11, 13, 15]
func.func private @strided(%x: tensor<15xf32>, %out: tensor<8xf32>) -> tensor<8xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 * 2)>, #id], iterator_types = ["parallel"]}
    ins(%x : tensor<15xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// Indices that count up by one are one vector, whatever they were computed by.

// CHECK-LABEL: func.func private @counting
// CHECK:       %[[V:.*]] = vector.transfer_read %{{.*}} : tensor<40xf32>, vector<8xf32>
// CHECK-NOT:   tensor.extract
// CHECK:       vector.transfer_write %[[V]]
func.func private @counting(%x: tensor<40xf32>, %out: tensor<32xf32>) -> tensor<32xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<32xf32>
  %a = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
    outs(%e : tensor<32xf32>) {
  ^bb0(%o: f32):
    %c8 = arith.constant 8 : index
    %i = linalg.index 0 : index
    %j = arith.addi %c8, %i : index
    %v = tensor.extract %x[%j] : tensor<40xf32>
    linalg.yield %v : f32
  } -> tensor<32xf32>
  return %a : tensor<32xf32>
}

// An operand that is read exactly where the result is written may be
// overwritten by it, also if the body reads it.

// CHECK-LABEL: func.func private @same_place
// CHECK-SAME:  %{{.*}}: tensor<32xf32> {hamkaas.inplace}, %{{.*}}: tensor<32xf32>)
func.func private @same_place(%x: tensor<32xf32>, %out: tensor<32xf32>) -> tensor<32xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<32xf32>
  %a = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
    outs(%e : tensor<32xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i] : tensor<32xf32>
    linalg.yield %v : f32
  } -> tensor<32xf32>
  return %a : tensor<32xf32>
}

// CHECK-LABEL: func.func private @reversed
// CHECK-NOT:   hamkaas.inplace
// CHECK:       %[[V:.*]] = vector.transfer_read %{{.*}} : tensor<32xf32>, vector<8xf32>
// CHECK:       vector.shuffle %[[V]], %[[V]] [15, 14, 13, 12, 11, 10, 9, 8]
func.func private @reversed(%x: tensor<32xf32>, %out: tensor<32xf32>) -> tensor<32xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<32xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (-d0 + 31)>, #id], iterator_types = ["parallel"]}
    ins(%x : tensor<32xf32>) outs(%e : tensor<32xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<32xf32>
  return %a : tensor<32xf32>
}
