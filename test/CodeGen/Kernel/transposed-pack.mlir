// RUN: hamkaas-opt %s --pass-pipeline='builtin.module(hamkaas-attach-target{target-cpu=x86-64},func.func(hamkaas-cpu-emit-kernels))' | FileCheck %s

// A matrix whose rows are the columns of panels is read by rows, and squares of
// four rows are transposed in registers. Of the last panel, two columns are
// padding.
// CHECK-LABEL: func.func private @columns
// CHECK-SAME:    %[[W:.*]]: tensor<6x12xf32>
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:             scf.for
// CHECK-COUNT-4:       vector.transfer_read %[[W]][
// CHECK-COUNT-8:       vector.shuffle
// CHECK-COUNT-4:       vector.transfer_write
// CHECK:           else
// CHECK:             scf.for
// CHECK-COUNT-2:       vector.transfer_read %[[W]][
// CHECK-NOT:           vector.transfer_read
// CHECK-COUNT-8:       vector.shuffle
// CHECK-COUNT-4:       vector.transfer_write
// CHECK-NOT:       vector.transfer_write
func.func private @columns(%w: tensor<6x12xf32>, %out: tensor<2x12x4xf32>) -> tensor<2x12x4xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %zero = arith.constant 0.0 : f32
  %p = linalg.pack %w padding_value(%zero : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [4] into %out : tensor<6x12xf32> -> tensor<2x12x4xf32>
  return %p : tensor<2x12x4xf32>
}
