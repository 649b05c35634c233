// RUN: hamkaas-opt %s --pass-pipeline='builtin.module(hamkaas-attach-target{target-cpu=x86-64-v4},func.func(hamkaas-cpu-emit-kernels))' | FileCheck %s

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#result = affine_map<(i, j, k) -> (i, j)>

// Of 4 blocks of rows and 8 panels, consecutive tiles have the same rows if the
// panels are constants, and the same panel if each run writes them.

// CHECK-LABEL: func.func private @constant
// CHECK:         scf.for %[[TILE:.*]] = %c0 to %c32
// CHECK-NEXT:      arith.remui %[[TILE]], %c8
// CHECK-LABEL: func.func private @fresh
// CHECK:         scf.for %[[TILE:.*]] = %c0 to %c32
// CHECK-NEXT:      arith.remui %[[TILE]], %c4
func.func private @constant(%a: tensor<512x128xf32>, %b: tensor<8x128x32xf32>, %out: tensor<512x256xf32>) -> tensor<512x256xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x256xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<512x256xf32>) -> tensor<512x256xf32>
  %u = tensor.empty() : tensor<128x256xf32>
  %w = linalg.unpack %b outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] into %u : tensor<8x128x32xf32> -> tensor<128x256xf32>
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %w : tensor<512x128xf32>, tensor<128x256xf32>) outs(%z : tensor<512x256xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<512x256xf32>
  return %y : tensor<512x256xf32>
}

func.func private @fresh(%a: tensor<512x128xf32>, %b: tensor<8x128x32xf32>, %out: tensor<512x256xf32>) -> tensor<512x256xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x256xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<512x256xf32>) -> tensor<512x256xf32>
  %u = tensor.empty() : tensor<128x256xf32>
  %w = linalg.unpack %b outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] into %u {hamkaas.fresh} : tensor<8x128x32xf32> -> tensor<128x256xf32>
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #result], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %w : tensor<512x128xf32>, tensor<128x256xf32>) outs(%z : tensor<512x256xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<512x256xf32>
  return %y : tensor<512x256xf32>
}
