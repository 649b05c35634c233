// RUN: hamkaas-opt %s -hamkaas-form-groups -split-input-file | FileCheck %s

// A concat that copies computes the activation behind it on each operand.

// CHECK-LABEL: func @behind(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4xf32>, %[[Y:.*]]: tensor<2x5x4xf32>, %[[B:.*]]: tensor<1x1x4xf32>
// CHECK-NEXT:    %[[R:.*]] = hamkaas.group movement(%[[X]], %[[B]], %[[Y]]) {{.*}}hamkaas.ops = "add+add+relu+relu+concat"
// CHECK:           hamkaas.concat {{.*}} : tensor<2x3x4xf32>, tensor<2x5x4xf32>
// CHECK-NOT:     hamkaas.group
// CHECK:         return %[[R]]
func.func @behind(%x: tensor<2x3x4xf32>, %y: tensor<2x5x4xf32>, %b: tensor<1x1x4xf32>) -> tensor<2x8x4xf32> {
  %0 = hamkaas.concat %x, %y dim 1 : tensor<2x3x4xf32>, tensor<2x5x4xf32>
  %1 = hamkaas.add %0, %b : tensor<2x8x4xf32>, tensor<1x1x4xf32>
  %2 = hamkaas.relu %1 : tensor<2x8x4xf32>
  return %2 : tensor<2x8x4xf32>
}

// -----

// One of operands that lie one after the other copies nothing; numbers along
// the dimension, and other users, keep it as it is.

// CHECK-LABEL: func @stay(
// CHECK:         hamkaas.group movement({{.*}}hamkaas.ops = "concat"
// CHECK:         hamkaas.group elementwise({{.*}}hamkaas.ops = "relu"
// CHECK:         hamkaas.group movement({{.*}}hamkaas.ops = "concat"
// CHECK:         hamkaas.group elementwise({{.*}}hamkaas.ops = "mul"
// CHECK:         hamkaas.group movement({{.*}}hamkaas.ops = "concat"
// CHECK:         hamkaas.group elementwise({{.*}}hamkaas.ops = "relu"
func.func @stay(%x: tensor<2x3x4xf32>, %y: tensor<2x5x4xf32>, %s: tensor<1x8x1xf32>) -> (tensor<4x3x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) {
  %0 = hamkaas.concat %x, %x dim 0 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
  %1 = hamkaas.relu %0 : tensor<4x3x4xf32>
  %2 = hamkaas.concat %x, %y dim 1 : tensor<2x3x4xf32>, tensor<2x5x4xf32>
  %3 = hamkaas.mul %2, %s : tensor<2x8x4xf32>, tensor<1x8x1xf32>
  %4 = hamkaas.concat %x, %y dim 1 : tensor<2x3x4xf32>, tensor<2x5x4xf32>
  %5 = hamkaas.relu %4 : tensor<2x8x4xf32>
  return %1, %3, %4, %5 : tensor<4x3x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>
}

// -----

// The epilogue of a product stays there, also one that was behind the concat.

// CHECK-LABEL: func @epilogue(
// CHECK:         hamkaas.group contraction({{.*}}hamkaas.ops = "matmul+relu"
// CHECK:         hamkaas.group movement({{.*}}hamkaas.ops = "neg+exp+relu+concat"
func.func @epilogue(%x: tensor<4x3xf32>, %w: tensor<3x5xf32>) -> tensor<4x8xf32> {
  %0 = hamkaas.matmul %x, %w : tensor<4x3xf32>, tensor<3x5xf32>
  %1 = hamkaas.neg %x : tensor<4x3xf32>
  %2 = hamkaas.exp %1 : tensor<4x3xf32>
  %3 = hamkaas.concat %2, %0 dim 1 : tensor<4x3xf32>, tensor<4x5xf32>
  %4 = hamkaas.relu %3 : tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// -----

// A concat that only another one reads is part of its kernel, and so is what
// computes its operands; activations move before both.

// CHECK-LABEL: func @nested(
// CHECK-NEXT:    %[[R:.*]] = hamkaas.group movement(%arg0, %arg1, %arg2) {{.*}}hamkaas.ops = "neg+relu+relu+concat+relu+concat"
// CHECK-NOT:     hamkaas.group
// CHECK:         return %[[R]]
func.func @nested(%x: tensor<2x3x4xf32>, %y: tensor<2x5x4xf32>, %z: tensor<2x8x6xf32>) -> tensor<2x8x10xf32> {
  %0 = hamkaas.neg %x : tensor<2x3x4xf32>
  %1 = hamkaas.concat %0, %y dim 1 : tensor<2x3x4xf32>, tensor<2x5x4xf32>
  %2 = hamkaas.concat %1, %z dim 2 : tensor<2x8x4xf32>, tensor<2x8x6xf32>
  %3 = hamkaas.relu %2 : tensor<2x8x10xf32>
  return %3 : tensor<2x8x10xf32>
}

// Not if others read it, or the outer one writes its operands in place.

// CHECK-LABEL: func @apart(
// CHECK-COUNT-4: hamkaas.group movement({{.*}}hamkaas.ops = "concat"
// CHECK:         return
func.func @apart(%x: tensor<2x3x4xf32>, %y: tensor<2x5x4xf32>, %z: tensor<2x8x6xf32>) -> (tensor<2x8x4xf32>, tensor<2x8x10xf32>, tensor<4x8x4xf32>) {
  %0 = hamkaas.concat %x, %y dim 1 : tensor<2x3x4xf32>, tensor<2x5x4xf32>
  %1 = hamkaas.concat %0, %z dim 2 : tensor<2x8x4xf32>, tensor<2x8x6xf32>
  %2 = hamkaas.concat %y, %x dim 1 : tensor<2x5x4xf32>, tensor<2x3x4xf32>
  %3 = hamkaas.concat %0, %2 dim 0 : tensor<2x8x4xf32>, tensor<2x8x4xf32>
  return %0, %1, %3 : tensor<2x8x4xf32>, tensor<2x8x10xf32>, tensor<4x8x4xf32>
}
