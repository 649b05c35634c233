// RUN: hamkaas-opt %s -hamkaas-to-kernels=target-cpu=x86-64-v3 | hamkaas-opt -hamkaas-cpu-emit-kernels | FileCheck %s

// Of each chunk of 132 keys, those behind the last one that is not masked for
// all queries of a block are left out, by the 32: their weights are 0.

// CHECK-LABEL: func.func private @k0(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[GROUP:.*]] = arith.constant 32 : index
// CHECK:         %[[COUNT:.*]] = scf.for %[[FIRST:.*]] = %[[ZERO]] to %{{.*}} step %[[GROUP]] iter_args(%[[LIVE:.*]] = %[[ZERO]]) -> (index)
// CHECK:           %[[NEXT:.*]] = arith.addi %[[FIRST]], %[[GROUP]]
// CHECK-NEXT:      arith.select %{{.*}}, %[[LIVE]], %[[NEXT]] : index
// CHECK:         %[[LAST:.*]] = arith.select %{{.*}}, %[[COUNT]], %{{.*}} : index
// CHECK:         %[[MORE:.*]] = arith.addi %[[LAST]]
// CHECK:         %[[BLOCKS:.*]] = arith.divui %[[MORE]]
// CHECK:         %[[KEYS:.*]] = arith.muli %[[BLOCKS]]
// CHECK:         %[[END:.*]] = arith.minui %[[KEYS]]
// CHECK:         %[[ANY:.*]] = arith.cmpi ult, %[[ZERO]], %[[END]]
// CHECK-NEXT:    scf.if %[[ANY]]
// CHECK:         scf.for %{{.*}} = %[[ZERO]] to %[[END]]
// CHECK:           math.exp
func.func @main(%q: tensor<2x256x32xf32> {hamkaas.name = "q"}, %k: tensor<2x256x32xf32> {hamkaas.name = "k"}, %v: tensor<2x256x32xf32> {hamkaas.name = "v"}, %m: tensor<1x256x256xi1> {hamkaas.name = "m"}) -> (tensor<2x256x32xf32> {hamkaas.name = "y"}) {
  %0 = hamkaas.attention %q, %k, %v mask %m scale 0.25 : tensor<2x256x32xf32>, tensor<2x256x32xf32>, tensor<2x256x32xf32> mask tensor<1x256x256xi1>
  return %0 : tensor<2x256x32xf32>
}
