// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels | FileCheck %s

// A row is multiplied with two panels at once where that leaves 16 tiles: of
// 2,100 columns in 33 panels of 64, the last tile has one panel of 52.

// CHECK-LABEL: func.func private @row(
// CHECK-SAME:    %{{.*}}: tensor<1x40xf32>, %[[PANELS:.*]]: tensor<33x40x64xf32>
// CHECK:         scf.for %{{.*}} = %c0 to %c17
// CHECK:           %[[FIRST:[^ ]*]] = arith.muli %{{.*}}, %c2
// CHECK:           :8 = scf.for
// CHECK:             vector.transfer_read %[[PANELS]][%[[FIRST]], %{{.*}}, %c0]
// CHECK:             %[[SECOND:[^ ]*]] = arith.addi %[[FIRST]], %c1
// CHECK:             vector.transfer_read %[[PANELS]][%[[SECOND]], %{{.*}}, %c0]
// CHECK:           :4 = scf.for
// CHECK:             vector.transfer_read %[[PANELS]][%c32, %{{.*}}, %c48]
func.func private @row(%a: tensor<1x40xf32>, %b: tensor<33x40x64xf32>, %out: tensor<1x2100xf32>) -> tensor<1x2100xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %e = tensor.empty() : tensor<40x2100xf32>
  %u = linalg.unpack %b outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [64] into %e : tensor<33x40x64xf32> -> tensor<40x2100xf32>
  %zero = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<1x2100xf32>
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<1x2100xf32>) -> tensor<1x2100xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %u : tensor<1x40xf32>, tensor<40x2100xf32>) outs(%f : tensor<1x2100xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32):
    %p = arith.mulf %l, %r : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<1x2100xf32>
  return %y : tensor<1x2100xf32>
}
