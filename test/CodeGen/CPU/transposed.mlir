// RUN: hamkaas-opt %s --pass-pipeline='builtin.module(func.func(hamkaas-cpu-emit-kernels{level=x86-64}))' | FileCheck %s

#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// One square, whose indices are constants: four rows are read and transposed.
// What is read along the rows, and the column of which one element is used in
// each row, must not be taken for a transposed operand.
// CHECK-LABEL: func.func private @fused
// CHECK-SAME:    %[[X:.*]]: tensor<3x4x4xf32>, %[[Y:.*]]: tensor<3x4x4xf32> {hamkaas.inplace}, %[[C:.*]]: tensor<4x1xf32>,
// CHECK-COUNT-4:   vector.transfer_read %[[X]][
// CHECK:           vector.shuffle {{.*}} [0, 4, 2, 6]
// CHECK-NEXT:      vector.shuffle {{.*}} [1, 5, 3, 7]
// CHECK-COUNT-6:   vector.shuffle
// CHECK-NEXT:      arith.constant
// CHECK-NEXT:      vector.transfer_read %[[Y]][%{{.*}}, %c0, %c0]
// CHECK-NEXT:      tensor.extract %[[C]][%c0, %c0]
// CHECK-NOT:       vector.transfer_read %[[X]][
// CHECK:           vector.transfer_read %[[Y]][%{{.*}}, %c3, %c0]
// CHECK-NOT:       vector.transfer_read
func.func private @fused(%x: tensor<3x4x4xf32>, %y: tensor<3x4x4xf32>, %c: tensor<4x1xf32>, %s: tensor<1x1xf32>, %out: tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %e = tensor.empty() : tensor<3x4x4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, #id3, affine_map<(d0, d1, d2) -> (d2, 0)>, affine_map<(d0, d1, d2) -> (0, 0)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %y, %c, %s : tensor<3x4x4xf32>, tensor<3x4x4xf32>, tensor<4x1xf32>, tensor<1x1xf32>) outs(%e : tensor<3x4x4xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %t: f32, %o: f32):
    %pq = arith.addf %p, %q : f32
    %rt = arith.mulf %r, %t : f32
    %z = arith.addf %pq, %rt : f32
    linalg.yield %z : f32
  } -> tensor<3x4x4xf32>
  return %a : tensor<3x4x4xf32>
}

