// RUN: hamkaas-opt %s -hamkaas-form-groups=rows-across=true -split-input-file | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-form-groups -split-input-file | FileCheck %s --check-prefix=APART --implicit-check-not=permute+

// A softmax along an outer dimension needs no permuted tensors in memory.

// CHECK-LABEL: func @outer(
// CHECK-SAME:    %[[X:.*]]: tensor<4x5x16xf32>
// CHECK:         hamkaas.group row(%[[X]]) {{.*}}hamkaas.ops = "permute+sliced_softmax+permute"
// CHECK-NOT:     hamkaas.group
// CHECK:         return
// APART-LABEL: func @outer(
// APART:         hamkaas.group row(
func.func @outer(%x: tensor<4x5x16xf32>) -> tensor<4x5x16xf32> {
  %0 = hamkaas.permute %x[1, 2, 0] : tensor<4x5x16xf32>
  %1 = hamkaas.sliced_softmax %0 static_prefix 4 : tensor<5x16x4xf32>
  %2 = hamkaas.permute %1[2, 0, 1] : tensor<5x16x4xf32>
  return %2 : tensor<4x5x16xf32>
}

// -----

// A part of each row is another computation, and few columns are no vector.

// CHECK-LABEL: func @others(
// CHECK-NOT:     hamkaas.ops = "permute+
// CHECK:         return
// APART-LABEL: func @others(
func.func @others(%x: tensor<4x5x16xf32>, %y: tensor<4x5x15xf32>) -> (tensor<4x5x16xf32>, tensor<4x5x15xf32>) {
  %0 = hamkaas.permute %x[1, 2, 0] : tensor<4x5x16xf32>
  %1 = hamkaas.sliced_softmax %0 static_prefix 3 : tensor<5x16x4xf32>
  %2 = hamkaas.permute %1[2, 0, 1] : tensor<5x16x4xf32>
  %3 = hamkaas.permute %y[1, 2, 0] : tensor<4x5x15xf32>
  %4 = hamkaas.sliced_softmax %3 static_prefix 4 : tensor<5x15x4xf32>
  %5 = hamkaas.permute %4[2, 0, 1] : tensor<5x15x4xf32>
  return %2, %5 : tensor<4x5x16xf32>, tensor<4x5x15xf32>
}

// -----

// Another user needs the permuted tensor, or the softmax, in memory.

// CHECK-LABEL: func @used(
// CHECK-NOT:     hamkaas.ops = "permute+
// CHECK:         return
// APART-LABEL: func @used(
func.func @used(%x: tensor<4x5x16xf32>, %y: tensor<4x5x16xf32>) -> (tensor<4x5x16xf32>, tensor<5x16x4xf32>, tensor<4x5x16xf32>, tensor<5x16x4xf32>) {
  %0 = hamkaas.permute %x[1, 2, 0] : tensor<4x5x16xf32>
  %1 = hamkaas.sliced_softmax %0 static_prefix 4 : tensor<5x16x4xf32>
  %2 = hamkaas.permute %1[2, 0, 1] : tensor<5x16x4xf32>
  %3 = hamkaas.permute %y[1, 2, 0] : tensor<4x5x16xf32>
  %4 = hamkaas.sliced_softmax %3 static_prefix 4 : tensor<5x16x4xf32>
  %5 = hamkaas.permute %4[2, 0, 1] : tensor<5x16x4xf32>
  return %2, %0, %5, %4 : tensor<4x5x16xf32>, tensor<5x16x4xf32>, tensor<4x5x16xf32>, tensor<5x16x4xf32>
}
