// RUN: hamkaas-opt %s -hamkaas-to-kernels=target-cpu=x86-64-v4 | hamkaas-opt -hamkaas-cpu-emit-kernels | FileCheck %s

// A step of decoding: scores of one query in scratch memory, a vector for each of
// sixteen keys, whose lanes are then added. Keys are read only if one of the
// sixteen is seen, values only if one has a weight.

// CHECK-LABEL: func.func private @k0(
// CHECK-SAME:      hamkaas.kernel = #hamkaas.kernel<attention, tile = [1, 64]>, hamkaas.tiles = 2
// CHECK:         %[[WEIGHTS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x64xf32>
// CHECK:         scf.for
// The scores.
// CHECK:           scf.for
// CHECK:             %[[MASK:.*]] = vector.transfer_read %{{.*}} : tensor<1x1x64xi8>, vector<16xi8>
// CHECK:             %[[MASKED:.*]] = arith.cmpi ne, %[[MASK]]
// CHECK:             %[[ALL:.*]] = vector.reduction <and>, %[[MASKED]]
// CHECK:             scf.if %[[ALL]]
// CHECK:             else
// CHECK-COUNT-16:      vector.fma
// CHECK-COUNT-30:      vector.shuffle
// CHECK:             vector.store %{{.*}}, %[[WEIGHTS]]
// The weights.
// CHECK:           scf.for
// CHECK:             math.exp
// The values.
// CHECK:             arith.cmpf une
// CHECK:             %[[ANY:.*]] = vector.reduction <or>
// CHECK:             scf.if %[[ANY]]
// CHECK:               scf.for
// CHECK:                 memref.load %[[WEIGHTS]]
// CHECK:                 vector.fma
// CHECK-NOT:     tensor.empty
func.func @main(%q: tensor<2x1x16xf32> {hamkaas.name = "q"}, %k: tensor<2x64x16xf32> {hamkaas.name = "k"}, %v: tensor<2x64x16xf32> {hamkaas.name = "v"}, %m: tensor<1x1x64xi1> {hamkaas.name = "m"}) -> (tensor<2x1x16xf32> {hamkaas.name = "y"}) {
  %y = hamkaas.attention %q, %k, %v mask %m scale 0.25 : tensor<2x1x16xf32>, tensor<2x64x16xf32>, tensor<2x64x16xf32> mask tensor<1x1x64xi1>
  return %y : tensor<2x1x16xf32>
}
