// RUN: hamkaas-opt %s -hamkaas-cpu-emit-kernels=level=x86-64-v3 -split-input-file | FileCheck %s
// RUN: not hamkaas-opt %s -hamkaas-cpu-emit-kernels=level=z80 -split-input-file 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: error: expected an instruction set level of x86-64, x86-64-v2, x86-64-v3, x86-64-v4, got 'z80'

// One loop over tiles that carries the destination, on vectors of the level; an
// argument that is read where it would be written may be the destination.

// CHECK-LABEL: func @elementwise(
// CHECK-SAME:    %[[X:.*]]: tensor<4x40xf32> {hamkaas.inplace}, %[[R:[^:]*]]: tensor<1x40xf32>, %[[OUT:[^:]*]]: tensor<4x40xf32>)
// CHECK-SAME:    #hamkaas.kernel<elementwise, tile = [
// CHECK-SAME:    hamkaas.tiles = 1
// CHECK:         %[[LOOP:.*]] = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %[[OUT]])
// CHECK:           vector.transfer_read %[[X]]{{.*}}vector<8xf32>
// CHECK:           arith.addf {{.*}} : vector<8xf32>
// CHECK:           vector.transfer_write
// CHECK:         } {hamkaas.tile_loop}
// CHECK:         return %[[LOOP]]
// CHECK-NOT:     linalg.generic
func.func @elementwise(%x: tensor<4x40xf32>, %b: tensor<1x40xf32>, %out: tensor<4x40xf32>) -> tensor<4x40xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<4x40xf32>, tensor<1x40xf32>) outs(%out : tensor<4x40xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<4x40xf32>
  return %0 : tensor<4x40xf32>
}

// -----

// A transposed argument is read elsewhere than it would be written.

// CHECK-LABEL: func @transposed(
// CHECK-SAME:    %{{[^:]*}}: tensor<8x8xf32>, %{{[^:]*}}: tensor<8x8xf32>)
func.func @transposed(%x: tensor<8x8xf32>, %out: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%out : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// The tile of a contraction: accumulators stay in registers over the depth.

// CHECK-LABEL: func @contraction(
// CHECK-SAME:    #hamkaas.kernel<contraction, tile = [4, 24, 8]>
// CHECK:         iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
// CHECK:           vector.fma
// CHECK:         arith.maximumf
// CHECK:         } {hamkaas.tile_loop}
func.func @contraction(%x: tensor<4x8xf32>, %w: tensor<1x8x24xf32>, %out: tensor<4x24xf32>) -> tensor<4x24xf32> attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x24xf32>) -> tensor<4x24xf32>
  %d = tensor.empty() : tensor<8x24xf32>
  %u = linalg.unpack %w outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [24] into %d : tensor<1x8x24xf32> -> tensor<8x24xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %u : tensor<4x8xf32>, tensor<8x24xf32>) outs(%f : tensor<4x24xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<4x24xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x24xf32>) outs(%out : tensor<4x24xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<4x24xf32>
  return %1 : tensor<4x24xf32>
}

// -----

// Nothing to do: no kernel.

// CHECK-LABEL: func @other(
// CHECK-NEXT:    return
func.func @other(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
