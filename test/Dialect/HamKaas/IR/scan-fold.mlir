// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// Loop invariants are computed once; numbers stay in the body.
// CHECK-LABEL: func @invariant(
// CHECK-SAME:    %[[H:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>)
// CHECK:         %[[EXP:.*]] = hamkaas.exp %[[W]]
// CHECK:         %[[PRODUCT:.*]] = hamkaas.mul %[[EXP]], %{{.*}}
// CHECK:         hamkaas.scan 3 from(%[[H]]) over() with(%[[PRODUCT]])
// CHECK-NEXT:    ^bb0(%[[C:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4xf32>):
// CHECK-DAG:       %[[TWO:.*]] = hamkaas.constant dense<2.0
// CHECK-DAG:       %[[ADD:.*]] = hamkaas.add %[[C]], %[[V]]
// CHECK:           %[[NEXT:.*]] = hamkaas.mul %[[ADD]], %[[TWO]]
// CHECK-NEXT:      hamkaas.yield %[[NEXT]]
func.func @invariant(%h: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hamkaas.scan 3 from(%h) over() with(%w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>, %v: tensor<4xf32>):
    %two = hamkaas.constant dense<2.0> : tensor<4xf32>
    %1 = hamkaas.exp %v : tensor<4xf32>
    %2 = hamkaas.mul %1, %two : tensor<4xf32>, tensor<4xf32>
    %3 = hamkaas.add %c, %2 : tensor<4xf32>, tensor<4xf32>
    %4 = hamkaas.mul %3, %two : tensor<4xf32>, tensor<4xf32>
    hamkaas.yield %4 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// So do repeated numbers, which would be a tensor in memory outside.
// CHECK-LABEL: func @repeated(
// CHECK-SAME:    %[[H:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>)
// CHECK-NOT:     hamkaas.broadcast
// CHECK:         hamkaas.scan 3 from(%[[H]]) over() with() :
// CHECK:           hamkaas.broadcast
// CHECK:           hamkaas.yield
// CHECK:         %[[TWO:.*]] = hamkaas.broadcast %{{.*}} : tensor<1xf32> -> tensor<4xf32>
// CHECK-NEXT:    %[[SUM:.*]] = hamkaas.add %[[W]], %[[TWO]]
// CHECK-NEXT:    hamkaas.scan 3 from(%[[H]]) over() with(%[[SUM]]) :
func.func @repeated(%h: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = hamkaas.scan 3 from(%h) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    %two = hamkaas.constant dense<2.0> : tensor<1xf32>
    %1 = hamkaas.broadcast %two : tensor<1xf32> -> tensor<4xf32>
    %2 = hamkaas.sub %1, %c : tensor<4xf32>, tensor<4xf32>
    hamkaas.yield %2 : tensor<4xf32>
  }
  %3 = hamkaas.scan 3 from(%h) over() with(%w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>, %v: tensor<4xf32>):
    %two = hamkaas.constant dense<2.0> : tensor<1xf32>
    %1 = hamkaas.broadcast %two : tensor<1xf32> -> tensor<4xf32>
    %2 = hamkaas.add %v, %1 : tensor<4xf32>, tensor<4xf32>
    %4 = hamkaas.mul %c, %2 : tensor<4xf32>, tensor<4xf32>
    hamkaas.yield %4 : tensor<4xf32>
  }
  return %0, %3 : tensor<4xf32>, tensor<4xf32>
}

// A value that is given twice is given once, one that nothing reads is not.
// CHECK-LABEL: func @values(
// CHECK-SAME:    %[[H:.*]]: tensor<4xf32>, %[[W:[a-z0-9]+]]: tensor<4xf32>, %{{.*}}: tensor<2xf32>)
// CHECK:         hamkaas.scan 3 from(%[[H]]) over() with(%[[W]])
// CHECK-NEXT:    ^bb0(%[[C:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4xf32>):
// CHECK-NEXT:      %[[A:.*]] = hamkaas.add %[[C]], %[[V]]
// CHECK-NEXT:      hamkaas.add %[[A]], %[[V]]
func.func @values(%h: tensor<4xf32>, %w: tensor<4xf32>, %u: tensor<2xf32>) -> tensor<4xf32> {
  %0 = hamkaas.scan 3 from(%h) over() with(%w, %u, %w) : (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>, %v: tensor<4xf32>, %unused: tensor<2xf32>, %again: tensor<4xf32>):
    %1 = hamkaas.add %c, %v : tensor<4xf32>, tensor<4xf32>
    %2 = hamkaas.add %1, %again : tensor<4xf32>, tensor<4xf32>
    hamkaas.yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// An input whose rows nothing reads is not given.
// CHECK-LABEL: func @inputs(
// CHECK-SAME:    %[[H:.*]]: tensor<4xf32>, %{{.*}}: tensor<3x4xf32>, %[[X:.*]]: tensor<3x4xf32>)
// CHECK:         hamkaas.scan 3 from(%[[H]]) over(%[[X]]) with(%[[H]])
// CHECK-NEXT:    ^bb0(%[[C:.*]]: tensor<4xf32>, %[[R:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4xf32>):
// CHECK-NEXT:      %[[A:.*]] = hamkaas.add %[[C]], %[[R]]
// CHECK-NEXT:      hamkaas.mul %[[A]], %[[V]]
func.func @inputs(%h: tensor<4xf32>, %u: tensor<3x4xf32>, %x: tensor<3x4xf32>) -> tensor<4xf32> {
  %0 = hamkaas.scan 3 from(%h) over(%u, %x) with(%h) : (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>, %unused: tensor<4xf32>, %row: tensor<4xf32>, %v: tensor<4xf32>):
    %1 = hamkaas.add %c, %row : tensor<4xf32>, tensor<4xf32>
    %2 = hamkaas.mul %1, %v : tensor<4xf32>, tensor<4xf32>
    hamkaas.yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @outputs(
// CHECK:         %[[R:.*]]:2 = hamkaas.scan 3 reversed from(%{{.*}}) over() with() : (tensor<4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>)
// CHECK:           %[[E:.*]] = hamkaas.exp
// CHECK-NEXT:      hamkaas.yield %{{.*}}, %[[E]] : tensor<4xf32>, tensor<4xf32>
// CHECK:         return %[[R]]#1
func.func @outputs(%h: tensor<4xf32>) -> tensor<3x4xf32> {
  %0:3 = hamkaas.scan 3 reversed from(%h) over() with() : (tensor<4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  ^bb0(%c: tensor<4xf32>):
    %1 = hamkaas.neg %c : tensor<4xf32>
    %2 = hamkaas.exp %1 : tensor<4xf32>
    hamkaas.yield %1, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#2 : tensor<3x4xf32>
}

// CHECK-LABEL: func @dead(
// CHECK-NEXT:    return
func.func @dead(%h: tensor<4xf32>) {
  %0 = hamkaas.scan 3 from(%h) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    %1 = hamkaas.neg %c : tensor<4xf32>
    hamkaas.yield %1 : tensor<4xf32>
  }
  return
}
