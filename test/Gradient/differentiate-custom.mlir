// The gradient takes the place of the stand-in in a copy of the rule; what the
// rule does not compute of it is shared.

// RUN: hamkaas-opt %s -hamkaas-differentiate -canonicalize | FileCheck %s

// CHECK-LABEL: func @custom(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2xf32>
// CHECK-DAG:     %[[ONES:.*]] = hamkaas.constant dense<1.0
// CHECK-DAG:     %[[E:.*]] = hamkaas.exp %[[X]]
// CHECK:         %[[Y:.*]] = hamkaas.reduce sum %[[E]]
// CHECK:         %[[S:.*]] = hamkaas.sigmoid %[[ONES]]
// CHECK-NEXT:    %[[DX:.*]] = hamkaas.mul %[[S]], %[[E]]
// CHECK-NEXT:    return %[[Y]], %[[DX]]
func.func @custom(%x: tensor<2xf32> {hamkaas.name = "x"}) -> (tensor<f32> {hamkaas.name = "y"}) {
  %y = hamkaas.exp %x : tensor<2xf32>
  %g = hamkaas.neg %y : tensor<2xf32>
  %s = hamkaas.sigmoid %g : tensor<2xf32>
  %dx = hamkaas.mul %s, %y : tensor<2xf32>, tensor<2xf32>
  %r = hamkaas.custom_gradient %y, %g, %x, %dx : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  %sum = hamkaas.reduce sum %r over [0] : tensor<2xf32>
  return %sum : tensor<f32>
}
