// RUN: hamkaas-opt %s -hamkaas-to-kernels=target-cpu=x86-64-v4 | hamkaas-opt -hamkaas-cpu-emit-kernels | FileCheck %s

// Blocks of 64 queries, and parts of 126 keys: 6 keys x 4 vectors of queries in
// registers. Heads are where the projection has left them: no permute is left.

// CHECK-LABEL: func.func @main(
// CHECK-COUNT-1: call @k
// CHECK-NOT:     call @k
// CHECK-LABEL: func.func private @k0(
// CHECK-SAME:      hamkaas.kernel = #hamkaas.kernel<attention, tile = [64, 126]>, hamkaas.tiles = 4
// CHECK-DAG:     %[[QUERIES:.*]] = memref.alloca() {alignment = 64 : i64} : memref<32x64xf32>
// CHECK-DAG:     %[[WEIGHTS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<126x64xf32>
// CHECK-DAG:     %[[FACTORS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x64xf32>
// The queries are turned.
// CHECK-COUNT-64: vector.shuffle
// CHECK:         vector.store %{{.*}}, %[[QUERIES]]
// The scores: the loop over the width is unrolled twice.
// CHECK:         %[[K:.*]] = tensor.extract %{{.*}} : tensor<252x2x32xf32>
// CHECK-COUNT-48: vector.fma
// CHECK-NOT:     vector.fma
// CHECK:         scf.yield
// CHECK:         vector.store %{{.*}}, %[[WEIGHTS]]
// The weights, and what sums of the part before are multiplied by.
// CHECK:         math.exp
// CHECK:         vector.store %{{.*}}, %[[FACTORS]]
// CHECK:         vector.transfer_write %{{.*}} : vector<16xf32>, tensor<128x2x32xf32>
// CHECK-NOT:     tensor.empty
func.func @main(%q: tensor<128x2x32xf32> {hamkaas.name = "q"}, %k: tensor<252x2x32xf32> {hamkaas.name = "k"}, %v: tensor<252x2x32xf32> {hamkaas.name = "v"}) -> (tensor<128x2x32xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.permute %q [1, 0, 2] : tensor<128x2x32xf32>
  %1 = hamkaas.permute %k [1, 0, 2] : tensor<252x2x32xf32>
  %2 = hamkaas.permute %v [1, 0, 2] : tensor<252x2x32xf32>
  %3 = hamkaas.attention %0, %1, %2 scale 0.25 : tensor<2x128x32xf32>, tensor<2x252x32xf32>, tensor<2x252x32xf32>
  %4 = hamkaas.permute %3 [1, 0, 2] : tensor<2x128x32xf32>
  return %4 : tensor<128x2x32xf32>
}
