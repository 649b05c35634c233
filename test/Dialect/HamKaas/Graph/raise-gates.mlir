// RUN: hamkaas-opt %s -hamkaas-raise | FileCheck %s

// x * 0.5 * (1 + erf(x * sqrt(0.5))).

// CHECK-LABEL: func @gelu(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.gelu %[[X]] : tensor<4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @gelu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<0.707106781> : tensor<1xf32>
  %0 = hamkaas.mul %x, %c0 : tensor<4xf32>, tensor<1xf32>
  %1 = hamkaas.erf %0 : tensor<4xf32>
  %c1 = hamkaas.constant dense<0.5> : tensor<1xf32>
  %2 = hamkaas.mul %x, %c1 : tensor<4xf32>, tensor<1xf32>
  %c2 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %3 = hamkaas.add %1, %c2 : tensor<4xf32>, tensor<1xf32>
  %4 = hamkaas.mul %2, %3 : tensor<4xf32>, tensor<4xf32>
  return %4 : tensor<4xf32>
}

// (x * (1 + erf(x / sqrt(2)))) * 0.5, as PyTorch writes it.

// CHECK-LABEL: func @gelu_quotient(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.gelu %[[X]] : tensor<4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @gelu_quotient(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<1.41421356> : tensor<1xf32>
  %0 = hamkaas.div %x, %c0 : tensor<4xf32>, tensor<1xf32>
  %1 = hamkaas.erf %0 : tensor<4xf32>
  %c1 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %2 = hamkaas.add %1, %c1 : tensor<4xf32>, tensor<1xf32>
  %3 = hamkaas.mul %x, %2 : tensor<4xf32>, tensor<4xf32>
  %c2 = hamkaas.constant dense<0.5> : tensor<1xf32>
  %4 = hamkaas.mul %3, %c2 : tensor<4xf32>, tensor<1xf32>
  return %4 : tensor<4xf32>
}

// x * (0.5 * (1 + erf(x / sqrt(2)))), as TensorFlow writes it.

// CHECK-LABEL: func @gelu_gate(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.gelu %[[X]] : tensor<4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @gelu_gate(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<1.41421356> : tensor<1xf32>
  %0 = hamkaas.div %x, %c0 : tensor<4xf32>, tensor<1xf32>
  %1 = hamkaas.erf %0 : tensor<4xf32>
  %c1 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %2 = hamkaas.add %1, %c1 : tensor<4xf32>, tensor<1xf32>
  %c2 = hamkaas.constant dense<0.5> : tensor<1xf32>
  %3 = hamkaas.mul %2, %c2 : tensor<4xf32>, tensor<1xf32>
  %4 = hamkaas.mul %x, %3 : tensor<4xf32>, tensor<4xf32>
  return %4 : tensor<4xf32>
}

// ((1 + erf(x * sqrt(0.5))) * x) / 2.

// CHECK-LABEL: func @gelu_halved(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.gelu %[[X]] : tensor<4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @gelu_halved(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<0.707106781> : tensor<1xf32>
  %0 = hamkaas.mul %x, %c0 : tensor<4xf32>, tensor<1xf32>
  %1 = hamkaas.erf %0 : tensor<4xf32>
  %c1 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %2 = hamkaas.add %1, %c1 : tensor<4xf32>, tensor<1xf32>
  %3 = hamkaas.mul %2, %x : tensor<4xf32>, tensor<4xf32>
  %c2 = hamkaas.constant dense<2.0> : tensor<1xf32>
  %4 = hamkaas.div %3, %c2 : tensor<4xf32>, tensor<1xf32>
  return %4 : tensor<4xf32>
}

// 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).

// CHECK-LABEL: func @gelu_tanh(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.gelu %[[X]] approximate tanh : tensor<4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @gelu_tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hamkaas.mul %x, %x : tensor<4xf32>, tensor<4xf32>
  %1 = hamkaas.mul %0, %x : tensor<4xf32>, tensor<4xf32>
  %c0 = hamkaas.constant dense<0.044715> : tensor<1xf32>
  %2 = hamkaas.mul %1, %c0 : tensor<4xf32>, tensor<1xf32>
  %3 = hamkaas.add %x, %2 : tensor<4xf32>, tensor<4xf32>
  %c1 = hamkaas.constant dense<0.797884583> : tensor<1xf32>
  %4 = hamkaas.mul %3, %c1 : tensor<4xf32>, tensor<1xf32>
  %5 = hamkaas.tanh %4 : tensor<4xf32>
  %c2 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %6 = hamkaas.add %5, %c2 : tensor<4xf32>, tensor<1xf32>
  %c3 = hamkaas.constant dense<0.5> : tensor<1xf32>
  %7 = hamkaas.mul %x, %c3 : tensor<4xf32>, tensor<1xf32>
  %8 = hamkaas.mul %7, %6 : tensor<4xf32>, tensor<4xf32>
  return %8 : tensor<4xf32>
}

// CHECK-LABEL: func @gelu_tanh_halved(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.gelu %[[X]] approximate tanh : tensor<4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @gelu_tanh_halved(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hamkaas.mul %x, %x : tensor<4xf32>, tensor<4xf32>
  %1 = hamkaas.mul %x, %0 : tensor<4xf32>, tensor<4xf32>
  %c0 = hamkaas.constant dense<0.044715> : tensor<1xf32>
  %2 = hamkaas.mul %1, %c0 : tensor<4xf32>, tensor<1xf32>
  %3 = hamkaas.add %2, %x : tensor<4xf32>, tensor<4xf32>
  %c1 = hamkaas.constant dense<0.797884583> : tensor<1xf32>
  %4 = hamkaas.mul %3, %c1 : tensor<4xf32>, tensor<1xf32>
  %5 = hamkaas.tanh %4 : tensor<4xf32>
  %c2 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %6 = hamkaas.add %5, %c2 : tensor<4xf32>, tensor<1xf32>
  %7 = hamkaas.mul %x, %6 : tensor<4xf32>, tensor<4xf32>
  %c3 = hamkaas.constant dense<0.5> : tensor<1xf32>
  %8 = hamkaas.mul %7, %c3 : tensor<4xf32>, tensor<1xf32>
  return %8 : tensor<4xf32>
}

// sqrt(2 / pi) * x * (1 + 0.044715 * x * x).

// CHECK-LABEL: func @gelu_tanh_factored(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.gelu %[[X]] approximate tanh : tensor<4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @gelu_tanh_factored(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hamkaas.mul %x, %x : tensor<4xf32>, tensor<4xf32>
  %c0 = hamkaas.constant dense<0.044715> : tensor<1xf32>
  %1 = hamkaas.mul %0, %c0 : tensor<4xf32>, tensor<1xf32>
  %c1 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %2 = hamkaas.add %1, %c1 : tensor<4xf32>, tensor<1xf32>
  %c2 = hamkaas.constant dense<0.797884583> : tensor<1xf32>
  %3 = hamkaas.mul %x, %c2 : tensor<4xf32>, tensor<1xf32>
  %4 = hamkaas.mul %3, %2 : tensor<4xf32>, tensor<4xf32>
  %5 = hamkaas.tanh %4 : tensor<4xf32>
  %6 = hamkaas.add %5, %c1 : tensor<4xf32>, tensor<1xf32>
  %c3 = hamkaas.constant dense<0.5> : tensor<1xf32>
  %7 = hamkaas.mul %x, %c3 : tensor<4xf32>, tensor<1xf32>
  %8 = hamkaas.mul %7, %6 : tensor<4xf32>, tensor<4xf32>
  return %8 : tensor<4xf32>
}

// x * min(max(x + 3, 0), 6) / 6.

// CHECK-LABEL: func @hard_swish(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.hard_swish %[[X]] : tensor<4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @hard_swish(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<3.0> : tensor<1xf32>
  %0 = hamkaas.add %x, %c0 : tensor<4xf32>, tensor<1xf32>
  %c1 = hamkaas.constant dense<0.0> : tensor<1xf32>
  %1 = hamkaas.max %0, %c1 : tensor<4xf32>, tensor<1xf32>
  %c2 = hamkaas.constant dense<6.0> : tensor<1xf32>
  %2 = hamkaas.min %1, %c2 : tensor<4xf32>, tensor<1xf32>
  %3 = hamkaas.mul %x, %2 : tensor<4xf32>, tensor<4xf32>
  %4 = hamkaas.div %3, %c2 : tensor<4xf32>, tensor<1xf32>
  return %4 : tensor<4xf32>
}

// x * min(max(x / 6 + 0.5, 0), 1).

// CHECK-LABEL: func @hard_swish_gate(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.hard_swish %[[X]] : tensor<4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @hard_swish_gate(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<0.166666667> : tensor<1xf32>
  %0 = hamkaas.mul %x, %c0 : tensor<4xf32>, tensor<1xf32>
  %c1 = hamkaas.constant dense<0.5> : tensor<1xf32>
  %1 = hamkaas.add %0, %c1 : tensor<4xf32>, tensor<1xf32>
  %c2 = hamkaas.constant dense<0.0> : tensor<1xf32>
  %2 = hamkaas.max %1, %c2 : tensor<4xf32>, tensor<1xf32>
  %c3 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %3 = hamkaas.min %2, %c3 : tensor<4xf32>, tensor<1xf32>
  %4 = hamkaas.mul %x, %3 : tensor<4xf32>, tensor<4xf32>
  return %4 : tensor<4xf32>
}

// min(relu(x + 3), 6) * (1 / 6) * x.

// CHECK-LABEL: func @hard_swish_relu(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.hard_swish %[[X]] : tensor<4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @hard_swish_relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<3.0> : tensor<1xf32>
  %0 = hamkaas.add %x, %c0 : tensor<4xf32>, tensor<1xf32>
  %1 = hamkaas.relu %0 : tensor<4xf32>
  %c1 = hamkaas.constant dense<6.0> : tensor<1xf32>
  %2 = hamkaas.min %1, %c1 : tensor<4xf32>, tensor<1xf32>
  %c2 = hamkaas.constant dense<0.166666667> : tensor<1xf32>
  %3 = hamkaas.mul %2, %c2 : tensor<4xf32>, tensor<1xf32>
  %4 = hamkaas.mul %3, %x : tensor<4xf32>, tensor<4xf32>
  return %4 : tensor<4xf32>
}

// max(min(x + 3, 6), 0) / 6 * x.

// CHECK-LABEL: func @hard_swish_turned(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.hard_swish %[[X]] : tensor<4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @hard_swish_turned(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<3.0> : tensor<1xf32>
  %0 = hamkaas.add %x, %c0 : tensor<4xf32>, tensor<1xf32>
  %c1 = hamkaas.constant dense<6.0> : tensor<1xf32>
  %1 = hamkaas.min %0, %c1 : tensor<4xf32>, tensor<1xf32>
  %c2 = hamkaas.constant dense<0.0> : tensor<1xf32>
  %2 = hamkaas.max %1, %c2 : tensor<4xf32>, tensor<1xf32>
  %3 = hamkaas.div %2, %c1 : tensor<4xf32>, tensor<1xf32>
  %4 = hamkaas.mul %3, %x : tensor<4xf32>, tensor<4xf32>
  return %4 : tensor<4xf32>
}

// Near misses.

// CHECK-LABEL: func @of_another_value(
// CHECK-NOT:     hamkaas.{{gelu|hard_swish}}
// CHECK:         return
func.func @of_another_value(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<0.707106781> : tensor<1xf32>
  %0 = hamkaas.mul %y, %c0 : tensor<4xf32>, tensor<1xf32>
  %1 = hamkaas.erf %0 : tensor<4xf32>
  %c1 = hamkaas.constant dense<0.5> : tensor<1xf32>
  %2 = hamkaas.mul %x, %c1 : tensor<4xf32>, tensor<1xf32>
  %c2 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %3 = hamkaas.add %1, %c2 : tensor<4xf32>, tensor<1xf32>
  %4 = hamkaas.mul %2, %3 : tensor<4xf32>, tensor<4xf32>
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: func @another_slope(
// CHECK-NOT:     hamkaas.{{gelu|hard_swish}}
// CHECK:         return
func.func @another_slope(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<0.7> : tensor<1xf32>
  %0 = hamkaas.mul %x, %c0 : tensor<4xf32>, tensor<1xf32>
  %1 = hamkaas.erf %0 : tensor<4xf32>
  %c1 = hamkaas.constant dense<0.5> : tensor<1xf32>
  %2 = hamkaas.mul %x, %c1 : tensor<4xf32>, tensor<1xf32>
  %c2 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %3 = hamkaas.add %1, %c2 : tensor<4xf32>, tensor<1xf32>
  %4 = hamkaas.mul %2, %3 : tensor<4xf32>, tensor<4xf32>
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: func @not_halved(
// CHECK-NOT:     hamkaas.{{gelu|hard_swish}}
// CHECK:         return
func.func @not_halved(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<0.707106781> : tensor<1xf32>
  %0 = hamkaas.mul %x, %c0 : tensor<4xf32>, tensor<1xf32>
  %1 = hamkaas.erf %0 : tensor<4xf32>
  %c1 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %2 = hamkaas.add %1, %c1 : tensor<4xf32>, tensor<1xf32>
  %3 = hamkaas.mul %x, %2 : tensor<4xf32>, tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: func @another_factor(
// CHECK-NOT:     hamkaas.{{gelu|hard_swish}}
// CHECK:         return
func.func @another_factor(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<0.707106781> : tensor<1xf32>
  %0 = hamkaas.mul %x, %c0 : tensor<4xf32>, tensor<1xf32>
  %1 = hamkaas.erf %0 : tensor<4xf32>
  %c1 = hamkaas.constant dense<0.5> : tensor<1xf32>
  %2 = hamkaas.mul %x, %c1 : tensor<4xf32>, tensor<1xf32>
  %3 = hamkaas.mul %2, %y : tensor<4xf32>, tensor<4xf32>
  %c2 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %4 = hamkaas.add %1, %c2 : tensor<4xf32>, tensor<1xf32>
  %5 = hamkaas.mul %3, %4 : tensor<4xf32>, tensor<4xf32>
  return %5 : tensor<4xf32>
}

// CHECK-LABEL: func @used_twice(
// CHECK-NOT:     hamkaas.{{gelu|hard_swish}}
// CHECK:         return
func.func @used_twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<0.707106781> : tensor<1xf32>
  %0 = hamkaas.mul %x, %c0 : tensor<4xf32>, tensor<1xf32>
  %1 = hamkaas.erf %0 : tensor<4xf32>
  %c1 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %2 = hamkaas.add %1, %c1 : tensor<4xf32>, tensor<1xf32>
  %c2 = hamkaas.constant dense<0.5> : tensor<1xf32>
  %3 = hamkaas.mul %x, %c2 : tensor<4xf32>, tensor<1xf32>
  %4 = hamkaas.mul %3, %2 : tensor<4xf32>, tensor<4xf32>
  %5 = hamkaas.add %4, %1 : tensor<4xf32>, tensor<4xf32>
  return %5 : tensor<4xf32>
}

// CHECK-LABEL: func @no_cube(
// CHECK-NOT:     hamkaas.{{gelu|hard_swish}}
// CHECK:         return
func.func @no_cube(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<0.797884583> : tensor<1xf32>
  %0 = hamkaas.mul %x, %c0 : tensor<4xf32>, tensor<1xf32>
  %1 = hamkaas.tanh %0 : tensor<4xf32>
  %c1 = hamkaas.constant dense<0.5> : tensor<1xf32>
  %2 = hamkaas.mul %x, %c1 : tensor<4xf32>, tensor<1xf32>
  %c2 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %3 = hamkaas.add %1, %c2 : tensor<4xf32>, tensor<1xf32>
  %4 = hamkaas.mul %2, %3 : tensor<4xf32>, tensor<4xf32>
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: func @fourth_power(
// CHECK-NOT:     hamkaas.{{gelu|hard_swish}}
// CHECK:         return
func.func @fourth_power(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hamkaas.mul %x, %x : tensor<4xf32>, tensor<4xf32>
  %1 = hamkaas.mul %0, %0 : tensor<4xf32>, tensor<4xf32>
  %c0 = hamkaas.constant dense<0.044715> : tensor<1xf32>
  %2 = hamkaas.mul %1, %c0 : tensor<4xf32>, tensor<1xf32>
  %3 = hamkaas.add %x, %2 : tensor<4xf32>, tensor<4xf32>
  %c1 = hamkaas.constant dense<0.797884583> : tensor<1xf32>
  %4 = hamkaas.mul %3, %c1 : tensor<4xf32>, tensor<1xf32>
  %5 = hamkaas.tanh %4 : tensor<4xf32>
  %c2 = hamkaas.constant dense<0.5> : tensor<1xf32>
  %6 = hamkaas.mul %x, %c2 : tensor<4xf32>, tensor<1xf32>
  %c3 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %7 = hamkaas.add %5, %c3 : tensor<4xf32>, tensor<1xf32>
  %8 = hamkaas.mul %6, %7 : tensor<4xf32>, tensor<4xf32>
  return %8 : tensor<4xf32>
}

// CHECK-LABEL: func @hard_sigmoid_of_keras(
// CHECK-NOT:     hamkaas.{{gelu|hard_swish}}
// CHECK:         return
func.func @hard_sigmoid_of_keras(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<0.2> : tensor<1xf32>
  %0 = hamkaas.mul %x, %c0 : tensor<4xf32>, tensor<1xf32>
  %c1 = hamkaas.constant dense<0.5> : tensor<1xf32>
  %1 = hamkaas.add %0, %c1 : tensor<4xf32>, tensor<1xf32>
  %c2 = hamkaas.constant dense<0.0> : tensor<1xf32>
  %2 = hamkaas.max %1, %c2 : tensor<4xf32>, tensor<1xf32>
  %c3 = hamkaas.constant dense<1.0> : tensor<1xf32>
  %3 = hamkaas.min %2, %c3 : tensor<4xf32>, tensor<1xf32>
  %4 = hamkaas.mul %x, %3 : tensor<4xf32>, tensor<4xf32>
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: func @another_limit(
// CHECK-NOT:     hamkaas.{{gelu|hard_swish}}
// CHECK:         return
func.func @another_limit(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<3.0> : tensor<1xf32>
  %0 = hamkaas.add %x, %c0 : tensor<4xf32>, tensor<1xf32>
  %c1 = hamkaas.constant dense<0.0> : tensor<1xf32>
  %1 = hamkaas.max %0, %c1 : tensor<4xf32>, tensor<1xf32>
  %c2 = hamkaas.constant dense<5.0> : tensor<1xf32>
  %2 = hamkaas.min %1, %c2 : tensor<4xf32>, tensor<1xf32>
  %3 = hamkaas.mul %x, %2 : tensor<4xf32>, tensor<4xf32>
  %c3 = hamkaas.constant dense<6.0> : tensor<1xf32>
  %4 = hamkaas.div %3, %c3 : tensor<4xf32>, tensor<1xf32>
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: func @below_zero(
// CHECK-NOT:     hamkaas.{{gelu|hard_swish}}
// CHECK:         return
func.func @below_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hamkaas.constant dense<3.0> : tensor<1xf32>
  %0 = hamkaas.add %x, %c0 : tensor<4xf32>, tensor<1xf32>
  %c1 = hamkaas.constant dense<-1.0> : tensor<1xf32>
  %1 = hamkaas.max %0, %c1 : tensor<4xf32>, tensor<1xf32>
  %c2 = hamkaas.constant dense<6.0> : tensor<1xf32>
  %2 = hamkaas.min %1, %c2 : tensor<4xf32>, tensor<1xf32>
  %3 = hamkaas.mul %x, %2 : tensor<4xf32>, tensor<4xf32>
  %4 = hamkaas.div %3, %c2 : tensor<4xf32>, tensor<1xf32>
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: func @of_float64(
// CHECK-NOT:     hamkaas.{{gelu|hard_swish}}
// CHECK:         return
func.func @of_float64(%x: tensor<4xf64>) -> tensor<4xf64> {
  %c0 = hamkaas.constant dense<3.0> : tensor<1xf64>
  %c1 = hamkaas.constant dense<0.0> : tensor<1xf64>
  %c2 = hamkaas.constant dense<6.0> : tensor<1xf64>
  %0 = hamkaas.add %x, %c0 : tensor<4xf64>, tensor<1xf64>
  %1 = hamkaas.max %0, %c1 : tensor<4xf64>, tensor<1xf64>
  %2 = hamkaas.min %1, %c2 : tensor<4xf64>, tensor<1xf64>
  %3 = hamkaas.mul %x, %2 : tensor<4xf64>, tensor<4xf64>
  %4 = hamkaas.div %3, %c2 : tensor<4xf64>, tensor<1xf64>
  return %4 : tensor<4xf64>
}
