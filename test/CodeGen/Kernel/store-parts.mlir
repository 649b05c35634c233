// Rows of 7 elements end in 7 of 8 lanes. Levels without AVX-512 store these as
// 4, 2 and 1, which takes less time than a masked store.

// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels | FileCheck %s --check-prefix=PARTS
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-cpu-emit-kernels | FileCheck %s --check-prefix=MASK

// PARTS:     %[[ALL:.*]] = arith.mulf {{.*}} : vector<8xf32>
// PARTS:     %[[FOUR:.*]] = vector.extract_strided_slice %[[ALL]] {offsets = [0], sizes = [4], strides = [1]}
// PARTS:     vector.transfer_write %[[FOUR]], %{{.*}}[%{{.*}}, %c0] {in_bounds = [true]} : vector<4xf32>
// PARTS:     %[[TWO:.*]] = vector.extract_strided_slice %[[ALL]] {offsets = [4], sizes = [2], strides = [1]}
// PARTS:     vector.transfer_write %[[TWO]], %{{.*}}[%{{.*}}, %c4] {in_bounds = [true]} : vector<2xf32>
// PARTS:     %[[ONE:.*]] = vector.extract_strided_slice %[[ALL]] {offsets = [6], sizes = [1], strides = [1]}
// PARTS:     vector.transfer_write %[[ONE]], %{{.*}}[%{{.*}}, %c6] {in_bounds = [true]} : vector<1xf32>
// PARTS-NOT: vector.transfer_write

// MASK:      arith.mulf
// MASK:      %[[MASK:.*]] = vector.constant_mask [7]
// MASK-NEXT: vector.transfer_write %{{.*}}, %{{.*}}, %[[MASK]]
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @scale(%x: tensor<1x7xf32>, %y: tensor<1x7xf32>) -> tensor<1x7xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %0 = tensor.empty() : tensor<1x7xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x7xf32>) outs(%0 : tensor<1x7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.mulf %in, %in : f32
    linalg.yield %2 : f32
  } -> tensor<1x7xf32>
  return %1 : tensor<1x7xf32>
}
