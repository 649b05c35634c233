// RUN: hamkaas-opt %s -hamkaas-form-groups=repeat-left=true | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-form-groups | FileCheck %s --check-prefix=STORED

// Products of a batch read a left side that they share where it is.

// CHECK-LABEL: func @shared(
// CHECK-NOT:     hamkaas.ops = "broadcast"
// CHECK:         hamkaas.group contraction(%arg0, %arg1)
// CHECK-SAME:      hamkaas.ops = "broadcast+matmul+relu"
// STORED-LABEL: func @shared(
// STORED:        hamkaas.ops = "broadcast"}
// STORED:        hamkaas.ops = "matmul+relu"}
func.func @shared(%x: tensor<1x4x5xf32>, %y: tensor<3x5x6xf32>) -> tensor<3x4x6xf32> {
  %0 = hamkaas.broadcast %x : tensor<1x4x5xf32> -> tensor<3x4x5xf32>
  %1 = hamkaas.matmul %0, %y : tensor<3x4x5xf32>, tensor<3x5x6xf32>
  %2 = hamkaas.relu %1 : tensor<3x4x6xf32>
  return %2 : tensor<3x4x6xf32>
}

// Not if something else reads it, or if its rows are repeated, too.

// CHECK-LABEL: func @others(
// CHECK:         hamkaas.ops = "broadcast"}
// CHECK:         hamkaas.ops = "matmul"}
// CHECK:         hamkaas.ops = "broadcast"}
// CHECK:         hamkaas.ops = "matmul"}
func.func @others(%x: tensor<1x4x5xf32>, %z: tensor<1x1x5xf32>, %y: tensor<3x5x6xf32>) -> (tensor<3x4x6xf32>, tensor<3x4x5xf32>, tensor<3x4x6xf32>) {
  %0 = hamkaas.broadcast %x : tensor<1x4x5xf32> -> tensor<3x4x5xf32>
  %1 = hamkaas.matmul %0, %y : tensor<3x4x5xf32>, tensor<3x5x6xf32>
  %2 = hamkaas.broadcast %z : tensor<1x1x5xf32> -> tensor<3x4x5xf32>
  %3 = hamkaas.matmul %2, %y : tensor<3x4x5xf32>, tensor<3x5x6xf32>
  return %1, %0, %3 : tensor<3x4x6xf32>, tensor<3x4x5xf32>, tensor<3x4x6xf32>
}
