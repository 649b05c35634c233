// RUN: hamkaas-opt %s -split-input-file -hamkaas-form-groups -hamkaas-lower-groups -hamkaas-split-concats | FileCheck %s

// The result of a group gets a copy of its own; neighbours that are inputs, or
// that have a place already, share one.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<1x2x3xf32>,
// CHECK:         %[[A:.*]] = hamkaas.group elementwise(%[[X]])
// CHECK:         %[[B:.*]] = hamkaas.group elementwise(%{{.*}})
// CHECK:         %[[B12:.*]] = tensor.collapse_shape %[[B]]
// CHECK:         %[[C:.*]] = tensor.expand_shape %[[B12]]
// CHECK:         %[[Y0:.*]] = tensor.empty() : tensor<1x10x3xf32>
// CHECK:         %[[PLACE:.*]] = tensor.extract_slice %[[Y0]][0, 0, 0] [1, 2, 3] [1, 1, 1]
// CHECK:         %[[PART:.*]] = hamkaas.group movement(%[[A]], %[[PLACE]]) {hamkaas.copy, hamkaas.flops = 0 : i64, hamkaas.ops = "concat", updated = 1 : i64}
// CHECK:         %[[Y1:.*]] = tensor.insert_slice %[[PART]] into %[[Y0]][0, 0, 0] [1, 2, 3] [1, 1, 1]
// CHECK:         %[[PLACE1:.*]] = tensor.extract_slice %[[Y1]][0, 2, 0] [1, 4, 3] [1, 1, 1]
// CHECK:         %[[PART1:.*]] = hamkaas.group movement(%[[X]], %[[A]], %[[PLACE1]]) {hamkaas.flops = 0 : i64, hamkaas.ops = "concat", updated = 2 : i64}
// CHECK:           insert_slice %{{.*}} into %{{.*}}[0, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<1x2x3xf32> into tensor<1x4x3xf32>
// CHECK:           insert_slice %{{.*}} into %{{.*}}[0, 2, 0] [1, 2, 3] [1, 1, 1] : tensor<1x2x3xf32> into tensor<1x4x3xf32>
// CHECK:         %[[Y2:.*]] = tensor.insert_slice %[[PART1]] into %[[Y1]][0, 2, 0] [1, 4, 3] [1, 1, 1]
// CHECK:         hamkaas.group movement(%[[C]], %{{.*}}) {hamkaas.copy
// CHECK:         %[[Y:.*]] = tensor.insert_slice %{{.*}} into %[[Y2]][0, 6, 0] [1, 4, 3] [1, 1, 1]
// CHECK:         return %[[Y]]
func.func @main(%x: tensor<1x2x3xf32>, %t: tensor<2x2x3xf32>) -> tensor<1x10x3xf32> {
  %a = hamkaas.relu %x : tensor<1x2x3xf32>
  %b = hamkaas.tanh %t : tensor<2x2x3xf32>
  %c = hamkaas.reshape %b : tensor<2x2x3xf32> -> tensor<1x4x3xf32>
  %y = hamkaas.concat %a, %x, %a, %c dim 1 : tensor<1x2x3xf32>, tensor<1x2x3xf32>, tensor<1x2x3xf32>, tensor<1x4x3xf32>
  return %y : tensor<1x10x3xf32>
}

// -----

// Nothing to do: parts that are no parts in memory, none that is computed, one
// that is a result of the program, a new value of a state with a part that is
// not computed, which may be one of its old contents.

// CHECK-LABEL: func @main(
// CHECK-NOT:     hamkaas.copy
func.func @main(%x: tensor<2x3xf32>, %s: tensor<4x3xf32> {hamkaas.region = #hamkaas.region<state>, hamkaas.name = "s"}) -> (tensor<2x6xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<2x3xf32>, tensor<4x3xf32> {hamkaas.region = #hamkaas.region<state>, hamkaas.name = "s"}) {
  %a = hamkaas.relu %x : tensor<2x3xf32>
  %columns = hamkaas.concat %a, %x dim 1 : tensor<2x3xf32>, tensor<2x3xf32>
  %inputs = hamkaas.concat %x, %x dim 0 : tensor<2x3xf32>, tensor<2x3xf32>
  %b = hamkaas.tanh %x : tensor<2x3xf32>
  %result = hamkaas.concat %b, %x dim 0 : tensor<2x3xf32>, tensor<2x3xf32>
  %c = hamkaas.exp %x : tensor<2x3xf32>
  %state = hamkaas.concat %c, %x dim 0 : tensor<2x3xf32>, tensor<2x3xf32>
  return %columns, %inputs, %result, %b, %state : tensor<2x6xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<2x3xf32>, tensor<4x3xf32>
}

// -----

// In the body of a loop.

// CHECK-LABEL: func @main(
// CHECK:         hamkaas.scan
// CHECK:           hamkaas.group movement({{.*}}) {hamkaas.copy
// CHECK:           hamkaas.yield
func.func @main(%x: tensor<5x3xf32>, %h: tensor<3xf32>) -> tensor<5x6xf32> {
  %0:2 = hamkaas.scan 5 from(%h) over(%x) with() : (tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x6xf32>) {
  ^bb0(%c: tensor<3xf32>, %row: tensor<3xf32>):
    %1 = hamkaas.add %c, %row : tensor<3xf32>, tensor<3xf32>
    %2 = hamkaas.tanh %row : tensor<3xf32>
    %3 = hamkaas.concat %row, %2 dim 0 : tensor<3xf32>, tensor<3xf32>
    hamkaas.yield %1, %3 : tensor<3xf32>, tensor<6xf32>
  }
  return %0#1 : tensor<5x6xf32>
}

// -----

// The new value of a state whose parts are all computed.

// CHECK-LABEL: func @main(
// CHECK-COUNT-2: hamkaas.group movement({{.*}}) {hamkaas.copy
func.func @main(%s: tensor<4x3xf32> {hamkaas.region = #hamkaas.region<state>, hamkaas.name = "s"}) -> (tensor<4x3xf32> {hamkaas.region = #hamkaas.region<state>, hamkaas.name = "s"}) {
  %x = hamkaas.slice %s[0, 2] : tensor<4x3xf32>
  %y = hamkaas.slice %s[2, 4] : tensor<4x3xf32>
  %a = hamkaas.relu %x : tensor<2x3xf32>
  %b = hamkaas.tanh %y : tensor<2x3xf32>
  %c = hamkaas.concat %a, %b dim 0 : tensor<2x3xf32>, tensor<2x3xf32>
  return %c : tensor<4x3xf32>
}

// -----

// At most 32 insertions into one tensor and what it is a part of: two concats of
// 17 operands are split, their concat is not.

// CHECK-LABEL: func @main(
// CHECK-COUNT-34: {hamkaas.copy
// CHECK-NOT:      hamkaas.copy
// CHECK:          hamkaas.group movement(%{{.*}}, %{{.*}}) {{.*}} -> tensor<34x2xf32>
func.func @main(%x: tensor<1x2xf32>) -> tensor<34x2xf32> {
  %0 = hamkaas.tanh %x : tensor<1x2xf32>
  %1 = hamkaas.tanh %0 : tensor<1x2xf32>
  %2 = hamkaas.tanh %1 : tensor<1x2xf32>
  %3 = hamkaas.tanh %2 : tensor<1x2xf32>
  %4 = hamkaas.tanh %3 : tensor<1x2xf32>
  %5 = hamkaas.tanh %4 : tensor<1x2xf32>
  %6 = hamkaas.tanh %5 : tensor<1x2xf32>
  %7 = hamkaas.tanh %6 : tensor<1x2xf32>
  %8 = hamkaas.tanh %7 : tensor<1x2xf32>
  %9 = hamkaas.tanh %8 : tensor<1x2xf32>
  %10 = hamkaas.tanh %9 : tensor<1x2xf32>
  %11 = hamkaas.tanh %10 : tensor<1x2xf32>
  %12 = hamkaas.tanh %11 : tensor<1x2xf32>
  %13 = hamkaas.tanh %12 : tensor<1x2xf32>
  %14 = hamkaas.tanh %13 : tensor<1x2xf32>
  %15 = hamkaas.tanh %14 : tensor<1x2xf32>
  %16 = hamkaas.tanh %15 : tensor<1x2xf32>
  %17 = hamkaas.tanh %16 : tensor<1x2xf32>
  %18 = hamkaas.tanh %17 : tensor<1x2xf32>
  %19 = hamkaas.tanh %18 : tensor<1x2xf32>
  %20 = hamkaas.tanh %19 : tensor<1x2xf32>
  %21 = hamkaas.tanh %20 : tensor<1x2xf32>
  %22 = hamkaas.tanh %21 : tensor<1x2xf32>
  %23 = hamkaas.tanh %22 : tensor<1x2xf32>
  %24 = hamkaas.tanh %23 : tensor<1x2xf32>
  %25 = hamkaas.tanh %24 : tensor<1x2xf32>
  %26 = hamkaas.tanh %25 : tensor<1x2xf32>
  %27 = hamkaas.tanh %26 : tensor<1x2xf32>
  %28 = hamkaas.tanh %27 : tensor<1x2xf32>
  %29 = hamkaas.tanh %28 : tensor<1x2xf32>
  %30 = hamkaas.tanh %29 : tensor<1x2xf32>
  %31 = hamkaas.tanh %30 : tensor<1x2xf32>
  %32 = hamkaas.tanh %31 : tensor<1x2xf32>
  %33 = hamkaas.tanh %32 : tensor<1x2xf32>
  %a = hamkaas.concat %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16 dim 0 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
  %b = hamkaas.concat %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33 dim 0 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
  %y = hamkaas.concat %a, %b dim 0 : tensor<17x2xf32>, tensor<17x2xf32>
  return %y : tensor<34x2xf32>
}
