// A loop also gives its iter args before each step; the loop in the other
// direction computes the step again, and reads nothing that it does not need.

// RUN: hamkaas-opt %s -hamkaas-differentiate="result=y" -canonicalize -cse -split-input-file | FileCheck %s

// CHECK-LABEL: func @kept(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x2xf32> {hamkaas.name = "x"}, %[[W:[a-z0-9]+]]: tensor<2xf32>
// CHECK:         %[[F:.*]]:3 = hamkaas.scan 4 from(%{{.*}}) over(%[[X]]) with(%[[W]]) : {{.*}} -> (tensor<2xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
// CHECK-NEXT:    ^bb0(%[[H:[a-z0-9]+]]: tensor<2xf32>,
// CHECK:           hamkaas.yield %{{.*}}, %{{.*}}, %[[H]] :
// CHECK:         %[[Y:.*]] = hamkaas.reduce sum %[[F]]#0
// CHECK:         %[[B:.*]]:3 = hamkaas.scan 4 reversed from(%{{.*}}, %{{.*}}) over(%[[F]]#2, %[[X]]) with(%[[W]]) : {{.*}} -> (tensor<2xf32>, tensor<2xf32>, tensor<4x2xf32>)
// CHECK-NEXT:    ^bb0(%[[G:[a-z0-9]+]]: tensor<2xf32>, %[[S:[a-z0-9]+]]: tensor<2xf32>, %[[P:[a-z0-9]+]]: tensor<2xf32>, %[[R:[a-z0-9]+]]: tensor<2xf32>, %[[V:[a-z0-9]+]]: tensor<2xf32>):
// CHECK:           %[[M:.*]] = hamkaas.mul %[[P]], %[[V]]
// CHECK:           hamkaas.tanh
// CHECK:           %[[GM:.*]] = hamkaas.mul %[[G]],
// CHECK-DAG:       %[[GP:.*]] = hamkaas.mul %[[GM]], %[[V]]
// CHECK-DAG:       %[[GV:.*]] = hamkaas.mul %[[GM]], %[[P]]
// CHECK:           %[[SUM:.*]] = hamkaas.add %[[S]], %[[GV]]
// CHECK-NEXT:      hamkaas.yield %[[GP]], %[[SUM]], %[[GM]] :
// CHECK:         return %[[Y]], %[[F]]#1, %[[B]]#2, %[[B]]#1 :
func.func @kept(%x: tensor<4x2xf32> {hamkaas.name = "x"}, %w: tensor<2xf32> {hamkaas.name = "w"}) -> (tensor<f32> {hamkaas.name = "y"}, tensor<4x2xf32> {hamkaas.name = "rows"}) {
  %h = hamkaas.constant dense<0.0> : tensor<2xf32>
  %0, %1 = hamkaas.scan 4 from(%h) over(%x) with(%w) : (tensor<2xf32>, tensor<4x2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<4x2xf32>) {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>, %v: tensor<2xf32>):
    %1 = hamkaas.mul %a, %v : tensor<2xf32>, tensor<2xf32>
    %2 = hamkaas.add %1, %b : tensor<2xf32>, tensor<2xf32>
    %3 = hamkaas.tanh %2 : tensor<2xf32>
    hamkaas.yield %3, %3 : tensor<2xf32>, tensor<2xf32>
  }
  %2 = hamkaas.reduce sum %0 over [0] : tensor<2xf32>
  return %2, %1 : tensor<f32>, tensor<4x2xf32>
}

// -----

// There is no second output of the iter args; the gradient of a sum reads
// nothing.

// CHECK-LABEL: func @sum(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK:         hamkaas.scan 4 from(%{{.*}}) over(%[[X]]) with() : {{.*}} -> (tensor<f32>, tensor<4xf32>)
// CHECK:         hamkaas.scan 4 reversed from(%{{.*}}) over() with() : {{.*}} -> (tensor<f32>, tensor<4xf32>)
func.func @sum(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<f32> {hamkaas.name = "y"}, tensor<4xf32> {hamkaas.name = "rows"}) {
  %h = hamkaas.constant dense<0.0> : tensor<f32>
  %0, %1 = hamkaas.scan 4 from(%h) over(%x) with() : (tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = hamkaas.add %a, %b : tensor<f32>, tensor<f32>
    hamkaas.yield %1, %a : tensor<f32>, tensor<f32>
  }
  return %0, %1 : tensor<f32>, tensor<4xf32>
}

// -----

// The gradient of a weight is one product behind the loop, of all rows with the
// gradients of their products; these are one output for both weights. The rows
// of an input are not put out again.

// CHECK-LABEL: func @weights(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x3x2xf32>
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<2x5xf32>
// CHECK-SAME:    %[[U:[a-z0-9]+]]: tensor<5x5xf32>
// CHECK:         %[[F:.*]]:2 = hamkaas.scan 4 from
// CHECK:         %[[B:.*]]:3 = hamkaas.scan 4 reversed from(%{{.*}}) over(%[[F]]#1, %[[X]]) {{.*}} -> (tensor<3x5xf32>, tensor<4x3x2xf32>, tensor<4x3x5xf32>)
// CHECK:           hamkaas.yield
// CHECK-DAG:     %[[G:.*]] = hamkaas.reshape %[[B]]#2 : tensor<4x3x5xf32> -> tensor<12x5xf32>
// CHECK-DAG:     %[[H:.*]] = hamkaas.reshape %[[F]]#1 : tensor<4x3x5xf32> -> tensor<12x5xf32>
// CHECK-DAG:     %[[R:.*]] = hamkaas.reshape %[[X]] : tensor<4x3x2xf32> -> tensor<12x2xf32>
// CHECK-DAG:     %[[HT:.*]] = hamkaas.permute %[[H]][1, 0]
// CHECK-DAG:     %[[RT:.*]] = hamkaas.permute %[[R]][1, 0]
// CHECK-DAG:     %[[DU:.*]] = hamkaas.matmul %[[HT]], %[[G]]
// CHECK-DAG:     %[[DW:.*]] = hamkaas.matmul %[[RT]], %[[G]]
// CHECK:         return %{{.*}}, %[[F]]#0, %[[B]]#1, %[[DW]], %[[DU]] :
func.func @weights(%x: tensor<4x3x2xf32> {hamkaas.name = "x"}, %w: tensor<2x5xf32> {hamkaas.name = "w"}, %u: tensor<5x5xf32> {hamkaas.name = "u"}) -> (tensor<f32> {hamkaas.name = "y"}, tensor<3x5xf32> {hamkaas.name = "last"}) {
  %h = hamkaas.constant dense<0.0> : tensor<3x5xf32>
  %0 = hamkaas.scan 4 from(%h) over(%x) with(%w, %u) : (tensor<3x5xf32>, tensor<4x3x2xf32>, tensor<2x5xf32>, tensor<5x5xf32>) -> tensor<3x5xf32> {
  ^bb0(%a: tensor<3x5xf32>, %b: tensor<3x2xf32>, %v: tensor<2x5xf32>, %s: tensor<5x5xf32>):
    %1 = hamkaas.matmul %b, %v : tensor<3x2xf32>, tensor<2x5xf32>
    %2 = hamkaas.matmul %a, %s : tensor<3x5xf32>, tensor<5x5xf32>
    %3 = hamkaas.add %1, %2 : tensor<3x5xf32>, tensor<3x5xf32>
    %4 = hamkaas.tanh %3 : tensor<3x5xf32>
    hamkaas.yield %4 : tensor<3x5xf32>
  }
  %1 = hamkaas.reduce sum %0 over [0, 1] : tensor<3x5xf32>
  return %1, %0 : tensor<f32>, tensor<3x5xf32>
}
