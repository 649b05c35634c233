// RUN: hamkaas-opt %s -hamkaas-simplify -hamkaas-raise | FileCheck %s

// As exporters write it: with pow, and the mean as a quotient.

// CHECK-LABEL: func @layer_norm(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %[[S:.*]]: tensor<1x8xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.layer_norm %[[X]] epsilon {{9.99.*E-6}} : tensor<4x8xf32>
// CHECK-NEXT:    %[[Z:.*]] = hamkaas.mul %[[Y]], %[[S]]
// CHECK-NEXT:    return %[[Z]]
func.func @layer_norm(%x: tensor<4x8xf32>, %s: tensor<1x8xf32>)
    -> tensor<4x8xf32> {
  %n = hamkaas.constant dense<8.0> : tensor<4xf32>
  %two = hamkaas.constant dense<2.0> : tensor<1x1xf32>
  %e = hamkaas.constant dense<1.0e-5> : tensor<1x1xf32>
  %0 = hamkaas.reduce sum %x over [1] : tensor<4x8xf32>
  %1 = hamkaas.div %0, %n : tensor<4xf32>, tensor<4xf32>
  %2 = hamkaas.reshape %1 : tensor<4xf32> -> tensor<4x1xf32>
  %3 = hamkaas.sub %x, %2 : tensor<4x8xf32>, tensor<4x1xf32>
  %4 = hamkaas.pow %3, %two : tensor<4x8xf32>, tensor<1x1xf32>
  %5 = hamkaas.reduce sum %4 over [1] : tensor<4x8xf32>
  %6 = hamkaas.div %5, %n : tensor<4xf32>, tensor<4xf32>
  %7 = hamkaas.reshape %6 : tensor<4xf32> -> tensor<4x1xf32>
  %8 = hamkaas.add %7, %e : tensor<4x1xf32>, tensor<1x1xf32>
  %9 = hamkaas.sqrt %8 : tensor<4x1xf32>
  %10 = hamkaas.div %3, %9 : tensor<4x8xf32>, tensor<4x1xf32>
  %11 = hamkaas.mul %10, %s : tensor<4x8xf32>, tensor<1x8xf32>
  return %11 : tensor<4x8xf32>
}

// With 1 / n, a product, the inverse of the root, and broadcasts.

// CHECK-LABEL: func @layer_norm_by_inverse(
// CHECK-SAME:    %[[X:.*]]: tensor<4x6xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.layer_norm %[[X]] epsilon 2.500000e-01 : tensor<4x6xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @layer_norm_by_inverse(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %n = hamkaas.constant dense<0.166666667> : tensor<1xf32>
  %one = hamkaas.constant dense<1.0> : tensor<4x1xf32>
  %e = hamkaas.constant dense<0.25> : tensor<4x1xf32>
  %0 = hamkaas.reduce sum %x over [1] : tensor<4x6xf32>
  %1 = hamkaas.mul %0, %n : tensor<4xf32>, tensor<1xf32>
  %2 = hamkaas.reshape %1 : tensor<4xf32> -> tensor<4x1xf32>
  %3 = hamkaas.broadcast %2 : tensor<4x1xf32> -> tensor<4x6xf32>
  %4 = hamkaas.sub %x, %3 : tensor<4x6xf32>, tensor<4x6xf32>
  %5 = hamkaas.mul %4, %4 : tensor<4x6xf32>, tensor<4x6xf32>
  %6 = hamkaas.reduce sum %5 over [1] : tensor<4x6xf32>
  %7 = hamkaas.mul %6, %n : tensor<4xf32>, tensor<1xf32>
  %8 = hamkaas.reshape %7 : tensor<4xf32> -> tensor<4x1xf32>
  %9 = hamkaas.add %e, %8 : tensor<4x1xf32>, tensor<4x1xf32>
  %10 = hamkaas.sqrt %9 : tensor<4x1xf32>
  %11 = hamkaas.div %one, %10 : tensor<4x1xf32>, tensor<4x1xf32>
  %12 = hamkaas.mul %4, %11 : tensor<4x6xf32>, tensor<4x1xf32>
  return %12 : tensor<4x6xf32>
}

// The mean is that of another number of elements.

// CHECK-LABEL: func @unbiased(
// CHECK-NOT:     hamkaas.layer_norm
func.func @unbiased(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = hamkaas.constant dense<8.0> : tensor<1xf32>
  %less = hamkaas.constant dense<7.0> : tensor<1xf32>
  %e = hamkaas.constant dense<0.25> : tensor<1xf32>
  %0 = hamkaas.reduce sum %x over [1] : tensor<4x8xf32>
  %1 = hamkaas.div %0, %n : tensor<4xf32>, tensor<1xf32>
  %2 = hamkaas.reshape %1 : tensor<4xf32> -> tensor<4x1xf32>
  %3 = hamkaas.sub %x, %2 : tensor<4x8xf32>, tensor<4x1xf32>
  %4 = hamkaas.mul %3, %3 : tensor<4x8xf32>, tensor<4x8xf32>
  %5 = hamkaas.reduce sum %4 over [1] : tensor<4x8xf32>
  %6 = hamkaas.div %5, %less : tensor<4xf32>, tensor<1xf32>
  %7 = hamkaas.add %6, %e : tensor<4xf32>, tensor<1xf32>
  %8 = hamkaas.sqrt %7 : tensor<4xf32>
  %9 = hamkaas.reshape %8 : tensor<4xf32> -> tensor<4x1xf32>
  %10 = hamkaas.div %3, %9 : tensor<4x8xf32>, tensor<4x1xf32>
  return %10 : tensor<4x8xf32>
}

// A square matrix: the statistics of columns are no row's.

// CHECK-LABEL: func @columns(
// CHECK-NOT:     hamkaas.sliced_softmax
func.func @columns(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = hamkaas.reduce max %x over [0] : tensor<4x4xf32>
  %1 = hamkaas.reshape %0 : tensor<4xf32> -> tensor<4x1xf32>
  %2 = hamkaas.sub %x, %1 : tensor<4x4xf32>, tensor<4x1xf32>
  %3 = hamkaas.exp %2 : tensor<4x4xf32>
  %4 = hamkaas.reduce sum %3 over [1] : tensor<4x4xf32>
  %5 = hamkaas.reshape %4 : tensor<4xf32> -> tensor<4x1xf32>
  %6 = hamkaas.div %3, %5 : tensor<4x4xf32>, tensor<4x1xf32>
  return %6 : tensor<4x4xf32>
}

// CHECK-LABEL: func @softmax(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x5xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.sliced_softmax %[[X]] static_prefix 5 : tensor<2x3x5xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @softmax(%x: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %0 = hamkaas.reduce max %x over [2] : tensor<2x3x5xf32>
  %1 = hamkaas.reshape %0 : tensor<2x3xf32> -> tensor<2x3x1xf32>
  %2 = hamkaas.sub %x, %1 : tensor<2x3x5xf32>, tensor<2x3x1xf32>
  %3 = hamkaas.exp %2 : tensor<2x3x5xf32>
  %4 = hamkaas.reduce sum %3 over [2] : tensor<2x3x5xf32>
  %5 = hamkaas.reshape %4 : tensor<2x3xf32> -> tensor<2x3x1xf32>
  %6 = hamkaas.div %3, %5 : tensor<2x3x5xf32>, tensor<2x3x1xf32>
  return %6 : tensor<2x3x5xf32>
}

// CHECK-LABEL: func @rms_norm(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4xf32>, %[[W:.*]]: tensor<1x1x4xf32>
// CHECK-NEXT:    %[[GAIN:.*]] = hamkaas.reshape %[[W]] : tensor<1x1x4xf32> -> tensor<4xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.rms_norm %[[X]], %[[GAIN]] epsilon 9.99999{{.*}}E-7 :
// CHECK-NEXT:    return %[[Y]]
func.func @rms_norm(%x: tensor<2x3x4xf32>, %w: tensor<1x1x4xf32>)
    -> tensor<2x3x4xf32> {
  %count = hamkaas.constant dense<4.0> : tensor<1x1x1xf32>
  %epsilon = hamkaas.constant dense<1.0e-6> : tensor<1x1x1xf32>
  %0 = hamkaas.mul %x, %x : tensor<2x3x4xf32>, tensor<2x3x4xf32>
  %1 = hamkaas.reduce sum %0 over [2] : tensor<2x3x4xf32>
  %2 = hamkaas.reshape %1 : tensor<2x3xf32> -> tensor<2x3x1xf32>
  %3 = hamkaas.div %2, %count : tensor<2x3x1xf32>, tensor<1x1x1xf32>
  %4 = hamkaas.add %3, %epsilon : tensor<2x3x1xf32>, tensor<1x1x1xf32>
  %5 = hamkaas.sqrt %4 : tensor<2x3x1xf32>
  %6 = hamkaas.div %x, %5 : tensor<2x3x4xf32>, tensor<2x3x1xf32>
  %7 = hamkaas.mul %6, %w : tensor<2x3x4xf32>, tensor<1x1x4xf32>
  return %7 : tensor<2x3x4xf32>
}

// A product with an inverse root, a gain of the same shape before it, and
// what is no gain.

// CHECK-LABEL: func @rms_norms(
// CHECK-SAME:    %[[X:.*]]: tensor<1x4xf32>, %[[W:.*]]: tensor<1x4xf32>, %[[S:.*]]: tensor<1x1xf32>
// CHECK-DAG:     %[[ONE:.*]] = hamkaas.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-DAG:     %[[GAIN:.*]] = hamkaas.reshape %[[W]] : tensor<1x4xf32> -> tensor<4xf32>
// CHECK-DAG:     %[[Y:.*]] = hamkaas.rms_norm %[[X]], %[[GAIN]] epsilon 5.000000e-01 :
// CHECK-DAG:     %[[Z:.*]] = hamkaas.rms_norm %[[Y]], %[[ONE]] epsilon 5.000000e-01 :
// CHECK:         %[[R:.*]] = hamkaas.mul %[[Z]], %[[S]]
// CHECK-NEXT:    return %[[R]]
func.func @rms_norms(%x: tensor<1x4xf32>, %w: tensor<1x4xf32>,
                     %s: tensor<1x1xf32>) -> tensor<1x4xf32> {
  %mean = hamkaas.constant dense<0.25> : tensor<1x1xf32>
  %half = hamkaas.constant dense<0.5> : tensor<1x1xf32>
  %one = hamkaas.constant dense<1.0> : tensor<1x1xf32>
  %0 = hamkaas.mul %x, %x : tensor<1x4xf32>, tensor<1x4xf32>
  %1 = hamkaas.reduce sum %0 over [1] : tensor<1x4xf32>
  %2 = hamkaas.reshape %1 : tensor<1xf32> -> tensor<1x1xf32>
  %3 = hamkaas.mul %2, %mean : tensor<1x1xf32>, tensor<1x1xf32>
  %4 = hamkaas.add %3, %half : tensor<1x1xf32>, tensor<1x1xf32>
  %5 = hamkaas.sqrt %4 : tensor<1x1xf32>
  %6 = hamkaas.div %one, %5 : tensor<1x1xf32>, tensor<1x1xf32>
  %7 = hamkaas.mul %x, %6 : tensor<1x4xf32>, tensor<1x1xf32>
  %8 = hamkaas.mul %w, %7 : tensor<1x4xf32>, tensor<1x4xf32>
  %9 = hamkaas.mul %8, %8 : tensor<1x4xf32>, tensor<1x4xf32>
  %10 = hamkaas.reduce sum %9 over [1] : tensor<1x4xf32>
  %11 = hamkaas.reshape %10 : tensor<1xf32> -> tensor<1x1xf32>
  %12 = hamkaas.mul %11, %mean : tensor<1x1xf32>, tensor<1x1xf32>
  %13 = hamkaas.add %12, %half : tensor<1x1xf32>, tensor<1x1xf32>
  %14 = hamkaas.sqrt %13 : tensor<1x1xf32>
  %15 = hamkaas.div %8, %14 : tensor<1x4xf32>, tensor<1x1xf32>
  %16 = hamkaas.mul %15, %s : tensor<1x4xf32>, tensor<1x1xf32>
  return %16 : tensor<1x4xf32>
}

// The mean is of another tensor, of too few elements, or of the other
// dimension.

// CHECK-LABEL: func @no_rms_norm(
// CHECK-NOT:     hamkaas.rms_norm
func.func @no_rms_norm(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %count = hamkaas.constant dense<4.0> : tensor<1x1xf32>
  %few = hamkaas.constant dense<3.0> : tensor<1x1xf32>
  %epsilon = hamkaas.constant dense<1.0e-5> : tensor<1x1xf32>
  %0 = hamkaas.mul %x, %x : tensor<4x4xf32>, tensor<4x4xf32>
  %1 = hamkaas.reduce sum %0 over [1] : tensor<4x4xf32>
  %2 = hamkaas.reshape %1 : tensor<4xf32> -> tensor<4x1xf32>
  %3 = hamkaas.div %2, %count : tensor<4x1xf32>, tensor<1x1xf32>
  %4 = hamkaas.add %3, %epsilon : tensor<4x1xf32>, tensor<1x1xf32>
  %5 = hamkaas.sqrt %4 : tensor<4x1xf32>
  %6 = hamkaas.div %y, %5 : tensor<4x4xf32>, tensor<4x1xf32>
  %7 = hamkaas.div %2, %few : tensor<4x1xf32>, tensor<1x1xf32>
  %8 = hamkaas.add %7, %epsilon : tensor<4x1xf32>, tensor<1x1xf32>
  %9 = hamkaas.sqrt %8 : tensor<4x1xf32>
  %10 = hamkaas.div %x, %9 : tensor<4x4xf32>, tensor<4x1xf32>
  %11 = hamkaas.reduce sum %0 over [0] : tensor<4x4xf32>
  %12 = hamkaas.reshape %11 : tensor<4xf32> -> tensor<4x1xf32>
  %13 = hamkaas.div %12, %count : tensor<4x1xf32>, tensor<1x1xf32>
  %14 = hamkaas.add %13, %epsilon : tensor<4x1xf32>, tensor<1x1xf32>
  %15 = hamkaas.sqrt %14 : tensor<4x1xf32>
  %16 = hamkaas.div %x, %15 : tensor<4x4xf32>, tensor<4x1xf32>
  return %6, %10, %16 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func @sigmoid(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.sigmoid %[[X]]
// CHECK-NEXT:    return %[[Y]]
func.func @sigmoid(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = hamkaas.constant dense<1.0> : tensor<4xf32>
  %0 = hamkaas.neg %x : tensor<4xf32>
  %1 = hamkaas.exp %0 : tensor<4xf32>
  %2 = hamkaas.add %one, %1 : tensor<4xf32>, tensor<4xf32>
  %3 = hamkaas.div %one, %2 : tensor<4xf32>, tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: func @silu(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.silu %[[X]]
// CHECK-NEXT:    %[[Z:.*]] = hamkaas.silu %[[Y]]
// CHECK-NEXT:    return %[[Z]]
func.func @silu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = hamkaas.constant dense<1.0> : tensor<1xf32>
  %0 = hamkaas.sigmoid %x : tensor<4xf32>
  %1 = hamkaas.mul %0, %x : tensor<4xf32>, tensor<4xf32>
  %2 = hamkaas.neg %1 : tensor<4xf32>
  %3 = hamkaas.exp %2 : tensor<4xf32>
  %4 = hamkaas.add %3, %one : tensor<4xf32>, tensor<1xf32>
  %5 = hamkaas.div %1, %4 : tensor<4xf32>, tensor<4xf32>
  return %5 : tensor<4xf32>
}

// The factor of Mish.

// CHECK-LABEL: func @tanh_of_softplus(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK-DAG:     %[[TWO:.*]] = hamkaas.constant dense<2.0
// CHECK-DAG:     %[[MOST:.*]] = hamkaas.constant dense<2.0{{0*}}e+01>
// CHECK:         %[[M:.*]] = hamkaas.min %[[X]], %[[MOST]]
// CHECK-NEXT:    %[[P:.*]] = hamkaas.exp %[[M]]
// CHECK:         %[[A:.*]] = hamkaas.add %[[P]], %[[TWO]]
// CHECK-NEXT:    %[[N:.*]] = hamkaas.mul %[[P]], %[[A]]
// CHECK-NEXT:    %[[D:.*]] = hamkaas.add %[[N]], %[[TWO]]
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.div %[[N]], %[[D]]
// CHECK-NEXT:    return %[[Y]]
func.func @tanh_of_softplus(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = hamkaas.constant dense<0.0> : tensor<1xf32>
  %one = hamkaas.constant dense<1.0> : tensor<1xf32>
  %ones = hamkaas.broadcast %one : tensor<1xf32> -> tensor<4xf32>
  %0 = hamkaas.abs %x : tensor<4xf32>
  %1 = hamkaas.neg %0 : tensor<4xf32>
  %2 = hamkaas.exp %1 : tensor<4xf32>
  %3 = hamkaas.add %2, %one : tensor<4xf32>, tensor<1xf32>
  %4 = hamkaas.compare eq %3, %one : tensor<4xf32>, tensor<1xf32>
  %5 = hamkaas.sub %3, %one : tensor<4xf32>, tensor<1xf32>
  %6 = hamkaas.select %4, %ones, %5 : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>
  %7 = hamkaas.log %3 : tensor<4xf32>
  %8 = hamkaas.div %2, %6 : tensor<4xf32>, tensor<4xf32>
  %9 = hamkaas.mul %7, %8 : tensor<4xf32>, tensor<4xf32>
  %10 = hamkaas.select %4, %2, %9 : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>
  %11 = hamkaas.max %x, %zero : tensor<4xf32>, tensor<1xf32>
  %12 = hamkaas.add %11, %10 : tensor<4xf32>, tensor<4xf32>
  %13 = hamkaas.tanh %12 : tensor<4xf32>
  return %13 : tensor<4xf32>
}

// Not if the logarithm is of something else.

// CHECK-LABEL: func @tanh_of_other_sum(
// CHECK:         hamkaas.tanh
func.func @tanh_of_other_sum(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = hamkaas.constant dense<0.0> : tensor<1xf32>
  %one = hamkaas.constant dense<1.0> : tensor<1xf32>
  %ones = hamkaas.broadcast %one : tensor<1xf32> -> tensor<4xf32>
  %1 = hamkaas.neg %x : tensor<4xf32>
  %2 = hamkaas.exp %1 : tensor<4xf32>
  %3 = hamkaas.add %2, %one : tensor<4xf32>, tensor<1xf32>
  %4 = hamkaas.compare eq %3, %one : tensor<4xf32>, tensor<1xf32>
  %5 = hamkaas.sub %3, %one : tensor<4xf32>, tensor<1xf32>
  %6 = hamkaas.select %4, %ones, %5 : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>
  %7 = hamkaas.log %3 : tensor<4xf32>
  %8 = hamkaas.div %2, %6 : tensor<4xf32>, tensor<4xf32>
  %9 = hamkaas.mul %7, %8 : tensor<4xf32>, tensor<4xf32>
  %10 = hamkaas.select %4, %2, %9 : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>
  %11 = hamkaas.max %x, %zero : tensor<4xf32>, tensor<1xf32>
  %12 = hamkaas.add %11, %10 : tensor<4xf32>, tensor<4xf32>
  %13 = hamkaas.tanh %12 : tensor<4xf32>
  return %13 : tensor<4xf32>
}

// CHECK-LABEL: func @other_product(
// CHECK:         hamkaas.sigmoid
// CHECK-NEXT:    hamkaas.mul
func.func @other_product(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> tensor<4xf32> {
  %0 = hamkaas.sigmoid %x : tensor<4xf32>
  %1 = hamkaas.mul %0, %y : tensor<4xf32>, tensor<4xf32>
  return %1 : tensor<4xf32>
}
