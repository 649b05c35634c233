// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// Over no dimensions there is nothing to combine.

// CHECK-LABEL: func @nothing(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT:    return %[[X]]
func.func @nothing(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.reduce sum %x over [] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A dimension of size 1 is dropped.

// CHECK-LABEL: func @size_one(
// CHECK:         hamkaas.reduce sum %{{.*}} over [0]
func.func @size_one(%x: tensor<1x3xf32>) -> tensor<3xf32> {
  %0 = hamkaas.reduce sum %x over [0] : tensor<1x3xf32>
  return %0 : tensor<3xf32>
}
