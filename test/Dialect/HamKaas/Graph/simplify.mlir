// RUN: hamkaas-opt %s -hamkaas-simplify | FileCheck %s

// CHECK-LABEL: func @neutral_floats(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT:    return %[[X]]
func.func @neutral_floats(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %one = hamkaas.constant dense<1.0> : tensor<1x1xf32>
  %zero = hamkaas.constant dense<0.0> : tensor<2x3xf32>
  %minus_zero = hamkaas.constant dense<-0.0> : tensor<1x3xf32>
  %least = hamkaas.constant dense<0xFF800000> : tensor<1x1xf32>
  %greatest = hamkaas.constant dense<0x7F800000> : tensor<1x1xf32>
  %0 = hamkaas.mul %x, %one : tensor<2x3xf32>, tensor<1x1xf32>
  %1 = hamkaas.div %0, %one : tensor<2x3xf32>, tensor<1x1xf32>
  %2 = hamkaas.pow %1, %one : tensor<2x3xf32>, tensor<1x1xf32>
  %3 = hamkaas.sub %2, %zero : tensor<2x3xf32>, tensor<2x3xf32>
  %4 = hamkaas.add %3, %minus_zero : tensor<2x3xf32>, tensor<1x3xf32>
  %5 = hamkaas.max %4, %least : tensor<2x3xf32>, tensor<1x1xf32>
  %6 = hamkaas.min %5, %greatest : tensor<2x3xf32>, tensor<1x1xf32>
  return %6 : tensor<2x3xf32>
}

// These change -0.0.

// CHECK-LABEL: func @zeros(
// CHECK:         %[[Y:.*]] = hamkaas.add
// CHECK:         hamkaas.sub %[[Y]]
func.func @zeros(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = hamkaas.constant dense<0.0> : tensor<1xf32>
  %minus_zero = hamkaas.constant dense<-0.0> : tensor<1xf32>
  %0 = hamkaas.add %x, %zero : tensor<2xf32>, tensor<1xf32>
  %1 = hamkaas.sub %0, %minus_zero : tensor<2xf32>, tensor<1xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func @neutral_integers(
// CHECK-SAME:    %[[X:.*]]: tensor<3xi32>
// CHECK-NEXT:    return %[[X]]
func.func @neutral_integers(%x: tensor<3xi32>) -> tensor<3xi32> {
  %zero = hamkaas.constant dense<0> : tensor<1xi32>
  %one = hamkaas.constant dense<1> : tensor<1xi32>
  %ones = hamkaas.constant dense<-1> : tensor<1xi32>
  %0 = hamkaas.add %x, %zero : tensor<3xi32>, tensor<1xi32>
  %1 = hamkaas.div %0, %one : tensor<3xi32>, tensor<1xi32>
  %2 = hamkaas.and %1, %ones : tensor<3xi32>, tensor<1xi32>
  %3 = hamkaas.or %2, %zero : tensor<3xi32>, tensor<1xi32>
  %4 = hamkaas.shift_left %3, %zero : tensor<3xi32>, tensor<1xi32>
  return %4 : tensor<3xi32>
}

// CHECK-LABEL: func @not_neutral(
// CHECK:         hamkaas.mul
// CHECK-NEXT:    hamkaas.and
func.func @not_neutral(%x: tensor<3xi32>) -> tensor<3xi32> {
  %c = hamkaas.constant dense<[1, 1, 2]> : tensor<3xi32>
  %zero = hamkaas.constant dense<0> : tensor<1xi32>
  %0 = hamkaas.mul %x, %c : tensor<3xi32>, tensor<3xi32>
  %1 = hamkaas.and %0, %zero : tensor<3xi32>, tensor<1xi32>
  return %1 : tensor<3xi32>
}

// CHECK-LABEL: func @signs(
// CHECK-SAME:    %[[X:.*]]: tensor<3xf32>, %[[Y:.*]]: tensor<3xf32>
// CHECK-NEXT:    %[[A:.*]] = hamkaas.abs %[[X]]
// CHECK-NEXT:    %[[S:.*]] = hamkaas.sub %[[A]], %[[Y]]
// CHECK-NEXT:    %[[T:.*]] = hamkaas.add %[[S]], %[[Y]]
// CHECK-NEXT:    return %[[T]]
func.func @signs(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %minus = hamkaas.constant dense<-1.0> : tensor<1xf32>
  %0 = hamkaas.neg %x : tensor<3xf32>
  %1 = hamkaas.neg %0 : tensor<3xf32>
  %2 = hamkaas.mul %1, %minus : tensor<3xf32>, tensor<1xf32>
  %3 = hamkaas.abs %2 : tensor<3xf32>
  %4 = hamkaas.abs %3 : tensor<3xf32>
  %5 = hamkaas.neg %y : tensor<3xf32>
  %6 = hamkaas.add %4, %5 : tensor<3xf32>, tensor<3xf32>
  %7 = hamkaas.sub %6, %5 : tensor<3xf32>, tensor<3xf32>
  return %7 : tensor<3xf32>
}

// CHECK-LABEL: func @not_not(
// CHECK-SAME:    %[[X:.*]]: tensor<3xi1>
// CHECK-NEXT:    return %[[X]]
func.func @not_not(%x: tensor<3xi1>) -> tensor<3xi1> {
  %0 = hamkaas.not %x : tensor<3xi1>
  %1 = hamkaas.not %0 : tensor<3xi1>
  return %1 : tensor<3xi1>
}

// CHECK-LABEL: func @divisions(
// CHECK-DAG:     %[[Q:.*]] = hamkaas.constant dense<2.500000e-01> : tensor<1xf32>
// CHECK-DAG:     %[[V:.*]] = hamkaas.constant dense<[5.000000e-01, -4.000000e+00]> : tensor<2xf32>
// CHECK:         %[[A:.*]] = hamkaas.mul %{{.*}}, %[[Q]]
// CHECK-NEXT:    %[[B:.*]] = hamkaas.mul %[[A]], %[[V]]
// CHECK-NEXT:    %[[C:.*]] = hamkaas.div %[[B]]
// CHECK-NEXT:    hamkaas.div %[[C]]
func.func @divisions(%x: tensor<2xf32>) -> tensor<2xf32> {
  %four = hamkaas.constant dense<4.0> : tensor<1xf32>
  %powers = hamkaas.constant dense<[2.0, -0.25]> : tensor<2xf32>
  %three = hamkaas.constant dense<3.0> : tensor<1xf32>
  // Its inverse is no normal number.
  %huge = hamkaas.constant dense<0x7F000000> : tensor<1xf32>
  %0 = hamkaas.div %x, %four : tensor<2xf32>, tensor<1xf32>
  %1 = hamkaas.div %0, %powers : tensor<2xf32>, tensor<2xf32>
  %2 = hamkaas.div %1, %three : tensor<2xf32>, tensor<1xf32>
  %3 = hamkaas.div %2, %huge : tensor<2xf32>, tensor<1xf32>
  return %3 : tensor<2xf32>
}

// CHECK-LABEL: func @powers(
// CHECK-SAME:    %[[X:.*]]: tensor<2xf32>, %[[H:.*]]: tensor<2xf16>
// CHECK:         %[[A:.*]] = hamkaas.mul %[[X]], %[[X]]
// CHECK-NEXT:    %[[B:.*]] = hamkaas.mul %[[A]], %[[A]]
// CHECK-NEXT:    %[[C:.*]] = hamkaas.mul %[[B]], %[[A]]
// CHECK-NEXT:    %[[D:.*]] = hamkaas.pow %[[H]]
// CHECK-NEXT:    return %[[C]], %[[D]]
func.func @powers(%x: tensor<2xf32>, %h: tensor<2xf16>)
    -> (tensor<2xf32>, tensor<2xf16>) {
  %two = hamkaas.constant dense<2.0> : tensor<1xf32>
  %three = hamkaas.constant dense<3.0> : tensor<1xf32>
  %half_three = hamkaas.constant dense<3.0> : tensor<1xf16>
  %0 = hamkaas.pow %x, %two : tensor<2xf32>, tensor<1xf32>
  %1 = hamkaas.pow %0, %three : tensor<2xf32>, tensor<1xf32>
  %2 = hamkaas.pow %h, %half_three : tensor<2xf16>, tensor<1xf16>
  return %1, %2 : tensor<2xf32>, tensor<2xf16>
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

// Two clamps, the first of which is the narrower one.

// CHECK-LABEL: func @clamps(
// CHECK:         %[[A:.*]] = hamkaas.max
// CHECK-NEXT:    %[[B:.*]] = hamkaas.min %[[A]]
// CHECK-NEXT:    return %[[B]]
func.func @clamps(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = hamkaas.constant dense<0.0> : tensor<1xf32>
  %six = hamkaas.constant dense<6.0> : tensor<1xf32>
  %minus = hamkaas.constant dense<-1.0> : tensor<1xf32>
  %seven = hamkaas.constant dense<7.0> : tensor<1xf32>
  %0 = hamkaas.max %x, %zero : tensor<2xf32>, tensor<1xf32>
  %1 = hamkaas.min %0, %six : tensor<2xf32>, tensor<1xf32>
  %2 = hamkaas.max %1, %minus : tensor<2xf32>, tensor<1xf32>
  %3 = hamkaas.min %2, %seven : tensor<2xf32>, tensor<1xf32>
  %4 = hamkaas.relu %3 : tensor<2xf32>
  return %4 : tensor<2xf32>
}

// CHECK-LABEL: func @merged(
// CHECK:         %[[C:.*]] = hamkaas.constant dense<2.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.max %{{.*}}, %[[C]]
// CHECK-NEXT:    return %[[Y]]
func.func @merged(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %one = hamkaas.constant dense<1.0> : tensor<2x2xf32>
  %two = hamkaas.constant dense<2.0> : tensor<1x1xf32>
  %0 = hamkaas.max %x, %one : tensor<2x2xf32>, tensor<2x2xf32>
  %1 = hamkaas.max %0, %two : tensor<2x2xf32>, tensor<1x1xf32>
  return %1 : tensor<2x2xf32>
}

// Integers are compared with the sign of their type.

// CHECK-LABEL: func @integer_clamps(
// CHECK-SAME:    %[[X:.*]]: tensor<2xi8>, %[[Y:.*]]: tensor<2xui8>
// CHECK-DAG:     %[[TWO:.*]] = hamkaas.constant dense<2> : tensor<1xi8>
// CHECK-DAG:     %[[SIX:.*]] = hamkaas.constant dense<6> : tensor<1xi8>
// CHECK-DAG:     %[[MOST:.*]] = hamkaas.constant dense<200> : tensor<1xui8>
// CHECK:         %[[A:.*]] = hamkaas.max %[[X]], %[[TWO]]
// CHECK:         %[[B:.*]] = hamkaas.min %[[A]], %[[SIX]]
// CHECK:         %[[C:.*]] = hamkaas.min %[[Y]], %[[MOST]]
// CHECK-NEXT:    return %[[B]], %[[C]]
func.func @integer_clamps(%x: tensor<2xi8>, %y: tensor<2xui8>)
    -> (tensor<2xi8>, tensor<2xui8>) {
  %least = hamkaas.constant dense<-128> : tensor<1xi8>
  %minus = hamkaas.constant dense<-5> : tensor<1xi8>
  %two = hamkaas.constant dense<2> : tensor<1xi8>
  %six = hamkaas.constant dense<6> : tensor<1xi8>
  %zero = hamkaas.constant dense<0> : tensor<1xui8>
  %most = hamkaas.constant dense<200> : tensor<1xui8>
  %0 = hamkaas.max %x, %least : tensor<2xi8>, tensor<1xi8>
  %1 = hamkaas.max %0, %minus : tensor<2xi8>, tensor<1xi8>
  %2 = hamkaas.max %1, %two : tensor<2xi8>, tensor<1xi8>
  %3 = hamkaas.min %2, %six : tensor<2xi8>, tensor<1xi8>
  %4 = hamkaas.max %3, %minus : tensor<2xi8>, tensor<1xi8>
  %5 = hamkaas.max %y, %zero : tensor<2xui8>, tensor<1xui8>
  %6 = hamkaas.min %5, %most : tensor<2xui8>, tensor<1xui8>
  return %4, %6 : tensor<2xi8>, tensor<2xui8>
}

// A limit that is reached stays.

// CHECK-LABEL: func @reached_limit(
// CHECK:         hamkaas.max
// CHECK-NEXT:    hamkaas.min
// CHECK-NEXT:    hamkaas.max
// CHECK-NEXT:    return
func.func @reached_limit(%x: tensor<2xi64>) -> tensor<2xi64> {
  %0 = hamkaas.constant dense<0> : tensor<1xi64>
  %1 = hamkaas.constant dense<6> : tensor<1xi64>
  %2 = hamkaas.max %x, %0 : tensor<2xi64>, tensor<1xi64>
  %3 = hamkaas.min %2, %1 : tensor<2xi64>, tensor<1xi64>
  %4 = hamkaas.max %3, %1 : tensor<2xi64>, tensor<1xi64>
  return %4 : tensor<2xi64>
}

// relu keeps -0.0, which a limit of 0.0 does not.

// CHECK-LABEL: func @limit_of_relu(
// CHECK:         hamkaas.relu
// CHECK-NEXT:    hamkaas.max
// CHECK-NEXT:    return
func.func @limit_of_relu(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = hamkaas.constant dense<0.0> : tensor<1xf32>
  %0 = hamkaas.relu %x : tensor<2xf32>
  %1 = hamkaas.max %0, %zero : tensor<2xf32>, tensor<1xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func @narrower(
// CHECK:         hamkaas.max
// CHECK-NEXT:    hamkaas.min
// CHECK-NEXT:    hamkaas.max
// CHECK-NEXT:    return
func.func @narrower(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = hamkaas.constant dense<0.0> : tensor<1xf32>
  %six = hamkaas.constant dense<6.0> : tensor<1xf32>
  %one = hamkaas.constant dense<1.0> : tensor<1xf32>
  %0 = hamkaas.max %x, %zero : tensor<2xf32>, tensor<1xf32>
  %1 = hamkaas.min %0, %six : tensor<2xf32>, tensor<1xf32>
  %2 = hamkaas.max %1, %one : tensor<2xf32>, tensor<1xf32>
  return %2 : tensor<2xf32>
}

//===----------------------------------------------------------------------===//
// Casts and selections
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @exact_casts(
// CHECK-SAME:    %[[X:.*]]: tensor<2xi8>, %[[H:.*]]: tensor<2xf16>
// CHECK-NEXT:    %[[A:.*]] = hamkaas.cast %[[X]] : tensor<2xi8> -> tensor<2xf32>
// CHECK-NEXT:    return %[[A]], %[[H]]
func.func @exact_casts(%x: tensor<2xi8>, %h: tensor<2xf16>)
    -> (tensor<2xf32>, tensor<2xf16>) {
  %0 = hamkaas.cast %x : tensor<2xi8> -> tensor<2xi32>
  %1 = hamkaas.cast %0 : tensor<2xi32> -> tensor<2xf32>
  %2 = hamkaas.cast %h : tensor<2xf16> -> tensor<2xf32>
  %3 = hamkaas.cast %2 : tensor<2xf32> -> tensor<2xf16>
  return %1, %3 : tensor<2xf32>, tensor<2xf16>
}

// The first cast rounds, loses the sign, or changes what the second one does
// with large numbers.

// CHECK-LABEL: func @other_casts(
// CHECK-COUNT-6: hamkaas.cast
func.func @other_casts(%x: tensor<2xf32>, %y: tensor<2xi8>, %z: tensor<2xi16>)
    -> (tensor<2xf32>, tensor<2xi64>, tensor<2xi8>) {
  %0 = hamkaas.cast %x : tensor<2xf32> -> tensor<2xf16>
  %1 = hamkaas.cast %0 : tensor<2xf16> -> tensor<2xf32>
  %2 = hamkaas.cast %y : tensor<2xi8> -> tensor<2xui16>
  %3 = hamkaas.cast %2 : tensor<2xui16> -> tensor<2xi64>
  %4 = hamkaas.cast %z : tensor<2xi16> -> tensor<2xf32>
  %5 = hamkaas.cast %4 : tensor<2xf32> -> tensor<2xi8>
  return %1, %3, %5 : tensor<2xf32>, tensor<2xi64>, tensor<2xi8>
}

// CHECK-LABEL: func @selections(
// CHECK-SAME:    %[[C:.*]]: tensor<2xi1>, %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>
// CHECK-NEXT:    %[[S:.*]] = hamkaas.select %[[C]], %[[Y]], %[[X]]
// CHECK-NEXT:    return %[[S]], %[[Y]], %[[X]]
func.func @selections(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %false = hamkaas.constant dense<false> : tensor<2xi1>
  %0 = hamkaas.not %c : tensor<2xi1>
  %1 = hamkaas.select %0, %x, %y : tensor<2xi1>, tensor<2xf32>, tensor<2xf32>
  %2 = hamkaas.select %false, %x, %y : tensor<2xi1>, tensor<2xf32>, tensor<2xf32>
  %3 = hamkaas.select %c, %x, %x : tensor<2xi1>, tensor<2xf32>, tensor<2xf32>
  return %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

//===----------------------------------------------------------------------===//
// Repeated operands
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @repeated(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<1x3xf32>
// CHECK-NEXT:    %[[S:.*]] = hamkaas.mul %[[X]], %[[B]] : tensor<2x3xf32>, tensor<1x3xf32>
// CHECK-NEXT:    %[[T:.*]] = hamkaas.add %[[S]], %[[B]] : tensor<2x3xf32>, tensor<1x3xf32>
// CHECK-NEXT:    %[[N:.*]] = hamkaas.neg %[[T]]
// CHECK-NEXT:    %[[D:.*]] = hamkaas.add %[[N]], %[[B]] : tensor<2x3xf32>, tensor<1x3xf32>
// CHECK-NEXT:    %[[C:.*]] = hamkaas.compare gt %[[D]], %[[B]] : tensor<2x3xf32>, tensor<1x3xf32>
// CHECK-NEXT:    return %[[C]]
func.func @repeated(%x: tensor<2x3xf32>, %b: tensor<1x3xf32>)
    -> tensor<2x3xi1> {
  %0 = hamkaas.broadcast %b : tensor<1x3xf32> -> tensor<2x3xf32>
  %1 = hamkaas.mul %x, %0 : tensor<2x3xf32>, tensor<2x3xf32>
  %2 = hamkaas.add %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
  %3 = hamkaas.sub %0, %2 : tensor<2x3xf32>, tensor<2x3xf32>
  %4 = hamkaas.compare lt %0, %3 : tensor<2x3xf32>, tensor<2x3xf32>
  return %4 : tensor<2x3xi1>
}

// A quotient cannot be turned around, and a rhs cannot be repeated further than
// the lhs is.

// CHECK-LABEL: func @not_turned(
// CHECK:         %[[A:.*]] = hamkaas.broadcast
// CHECK-NEXT:    %[[B:.*]] = hamkaas.div %[[A]]
// CHECK-NEXT:    hamkaas.add %[[A]]
func.func @not_turned(%x: tensor<2x3xf32>, %b: tensor<1x3xf32>,
                      %c: tensor<2x1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = hamkaas.broadcast %b : tensor<1x3xf32> -> tensor<2x3xf32>
  %1 = hamkaas.div %0, %x : tensor<2x3xf32>, tensor<2x3xf32>
  %2 = hamkaas.add %0, %c : tensor<2x3xf32>, tensor<2x1xf32>
  return %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func @constants(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT:    %[[C:.*]] = hamkaas.constant dense<5.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.mul %[[X]], %[[C]] : tensor<2x3xf32>, tensor<1x1xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @constants(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = hamkaas.constant dense<5.0> : tensor<2x3xf32>
  %0 = hamkaas.mul %c, %x : tensor<2x3xf32>, tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// The transpose of a product with a transposed left side, as in the gradient of
// weights with their outputs first.

// CHECK-LABEL: func @transposed_product(
// CHECK-SAME:    %[[X:.*]]: tensor<4x5xf32>, %[[G:.*]]: tensor<4x6xf32>
// CHECK-NEXT:    %[[T:.*]] = hamkaas.permute %[[G]][1, 0] : tensor<4x6xf32>
// CHECK-NEXT:    %[[Y:.*]] = hamkaas.matmul %[[T]], %[[X]] : tensor<6x4xf32>, tensor<4x5xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @transposed_product(%x: tensor<4x5xf32>, %g: tensor<4x6xf32>) -> tensor<6x5xf32> {
  %0 = hamkaas.permute %x [1, 0] : tensor<4x5xf32>
  %1 = hamkaas.matmul %0, %g : tensor<5x4xf32>, tensor<4x6xf32>
  %2 = hamkaas.permute %1 [1, 0] : tensor<5x6xf32>
  return %2 : tensor<6x5xf32>
}

// Not where the right side is larger than all the rest, where the left side is
// no transpose, or where the product has another use.

// CHECK-LABEL: func @products(
// CHECK:         hamkaas.permute %{{.*}} : tensor<1x2xf32>
// CHECK:         hamkaas.permute %{{.*}} : tensor<5x6xf32>
// CHECK:         hamkaas.permute %{{.*}} : tensor<5x6xf32>
// CHECK-NEXT:    return
func.func @products(%x: tensor<9x1xf32>, %g: tensor<9x2xf32>, %l: tensor<5x4xf32>, %m: tensor<4x5xf32>, %r: tensor<4x6xf32>) -> (tensor<2x1xf32>, tensor<6x5xf32>, tensor<5x6xf32>, tensor<6x5xf32>) {
  %0 = hamkaas.permute %x [1, 0] : tensor<9x1xf32>
  %1 = hamkaas.matmul %0, %g : tensor<1x9xf32>, tensor<9x2xf32>
  %2 = hamkaas.permute %1 [1, 0] : tensor<1x2xf32>
  %3 = hamkaas.matmul %l, %r : tensor<5x4xf32>, tensor<4x6xf32>
  %4 = hamkaas.permute %3 [1, 0] : tensor<5x6xf32>
  %5 = hamkaas.permute %m [1, 0] : tensor<4x5xf32>
  %6 = hamkaas.matmul %5, %r : tensor<5x4xf32>, tensor<4x6xf32>
  %7 = hamkaas.permute %6 [1, 0] : tensor<5x6xf32>
  return %2, %4, %6, %7 : tensor<2x1xf32>, tensor<6x5xf32>, tensor<5x6xf32>, tensor<6x5xf32>
}
