// Of several functions, results and arguments, those that are named.

// RUN: hamkaas-opt %s -hamkaas-differentiate="function=step result=loss arguments=b" | FileCheck %s
// RUN: not hamkaas-opt %s -hamkaas-differentiate="function=stop" 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not hamkaas-opt %s -hamkaas-differentiate="function=step result=lost" 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not hamkaas-opt %s -hamkaas-differentiate="arguments=c" 2>&1 | FileCheck %s --check-prefix=ARGUMENT

// FUNCTION: error: expected a function 'stop', got none
// RESULT: error: expected the name of a result, got 'lost'
// ARGUMENT: error: expected the name of an argument, got 'c'

// CHECK-LABEL: func @main(
// CHECK-SAME:    -> (tensor<f32> {hamkaas.name = "y"}) {
func.func @main(%a: tensor<f32> {hamkaas.name = "a"}) -> (tensor<f32> {hamkaas.name = "y"}) {
  return %a : tensor<f32>
}

// CHECK-LABEL: func @step(
// CHECK-SAME:    %[[A:.*]]: tensor<f32> {hamkaas.name = "a"}, %[[B:.*]]: tensor<f32> {hamkaas.name = "b"})
// CHECK-SAME:    "gradient.b"
// CHECK:         %[[Y:.*]] = hamkaas.mul %[[A]], %[[B]]
// CHECK:         return %[[Y]], %[[Y]], %{{.*}} : tensor<f32>, tensor<f32>, tensor<f32>
func.func @step(%a: tensor<f32> {hamkaas.name = "a"}, %b: tensor<f32> {hamkaas.name = "b"}) -> (tensor<f32> {hamkaas.name = "y"}, tensor<f32> {hamkaas.name = "loss"}) {
  %0 = hamkaas.mul %a, %b : tensor<f32>, tensor<f32>
  return %0, %0 : tensor<f32>, tensor<f32>
}
