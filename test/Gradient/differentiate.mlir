// The gradients of the chosen arguments follow the results. That of the relu needs
// its result only.

// RUN: hamkaas-opt %s -hamkaas-differentiate | FileCheck %s

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3xf32> {hamkaas.name = "x"}, %[[W:.*]]: tensor<3x4xf32> {hamkaas.name = "w"}, %{{.*}}: tensor<4xi64>
// CHECK-SAME:    -> (tensor<f32> {hamkaas.name = "loss"}, tensor<2x3xf32> {hamkaas.name = "gradient.x"}, tensor<3x4xf32> {hamkaas.name = "gradient.w"})
// CHECK:         %[[H:.*]] = hamkaas.matmul %[[X]], %[[W]]
// CHECK:         %[[R:.*]] = hamkaas.relu %[[H]]
// CHECK:         %[[Y:.*]] = hamkaas.reduce sum %[[R]]
// CHECK:         %[[P:.*]] = hamkaas.compare gt %[[R]]
// CHECK:         %[[G:.*]] = hamkaas.select %[[P]]
// CHECK:         %[[WT:.*]] = hamkaas.permute %[[W]][1, 0]
// CHECK-NEXT:    %[[DX:.*]] = hamkaas.matmul %[[G]], %[[WT]]
// CHECK-NEXT:    %[[XT:.*]] = hamkaas.permute %[[X]][1, 0]
// CHECK-NEXT:    %[[DW:.*]] = hamkaas.matmul %[[XT]], %[[G]]
// CHECK-NEXT:    return %[[Y]], %[[DX]], %[[DW]]
func.func @main(%x: tensor<2x3xf32> {hamkaas.name = "x"}, %w: tensor<3x4xf32> {hamkaas.name = "w"}, %i: tensor<4xi64> {hamkaas.name = "i"}) -> (tensor<f32> {hamkaas.name = "loss"}) {
  %0 = hamkaas.matmul %x, %w : tensor<2x3xf32>, tensor<3x4xf32>
  %1 = hamkaas.relu %0 : tensor<2x4xf32>
  %2 = hamkaas.reduce sum %1 over [0, 1] : tensor<2x4xf32>
  return %2 : tensor<f32>
}
