// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// Only gradients ask for it; what follows reads the value.

// CHECK-LABEL: func @custom_gradient(
// CHECK-SAME:    %[[Y:.*]]: tensor<2xf32>, %{{.*}}: tensor<3xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @custom_gradient(%y: tensor<2xf32>, %x: tensor<3xf32>) -> tensor<2xf32> {
  %g = hamkaas.exp %y : tensor<2xf32>
  %sum = hamkaas.reduce sum %g over [0] : tensor<2xf32>
  %all = hamkaas.reshape %sum : tensor<f32> -> tensor<1xf32>
  %dx = hamkaas.mul %x, %all : tensor<3xf32>, tensor<1xf32>
  %r = hamkaas.custom_gradient %y, %g, %x, %dx : tensor<2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>
  return %r : tensor<2xf32>
}
