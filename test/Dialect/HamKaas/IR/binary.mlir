// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s

// Operations on two elements; a dimension of rhs of size 1 is repeated.

// CHECK-LABEL: func @sub(
// CHECK:         hamkaas.sub %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<1x3xf32>
func.func @sub(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.sub %x, %y : tensor<2x3xf32>, tensor<1x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @div(
// CHECK:         hamkaas.div %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<1x3xf32>
func.func @div(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.div %x, %y : tensor<2x3xf32>, tensor<1x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @max(
// CHECK:         hamkaas.max %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<1x3xf32>
func.func @max(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.max %x, %y : tensor<2x3xf32>, tensor<1x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @min(
// CHECK:         hamkaas.min %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<1x3xf32>
func.func @min(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.min %x, %y : tensor<2x3xf32>, tensor<1x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @pow(
// CHECK:         hamkaas.pow %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<1x3xf32>
func.func @pow(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.pow %x, %y : tensor<2x3xf32>, tensor<1x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @rem(
// CHECK:         hamkaas.rem %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<1x3xf32>
func.func @rem(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.rem %x, %y : tensor<2x3xf32>, tensor<1x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @mod(
// CHECK:         hamkaas.mod %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<1x3xf32>
func.func @mod(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %0 = hamkaas.mod %x, %y : tensor<2x3xf32>, tensor<1x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @and(
// CHECK:         hamkaas.and %{{.*}}, %{{.*}} : tensor<2x3xi1>, tensor<2x1xi1>
func.func @and(%x: tensor<2x3xi1>, %y: tensor<2x1xi1>) -> tensor<2x3xi1> {
  %0 = hamkaas.and %x, %y : tensor<2x3xi1>, tensor<2x1xi1>
  return %0 : tensor<2x3xi1>
}

// CHECK-LABEL: func @or(
// CHECK:         hamkaas.or %{{.*}}, %{{.*}} : tensor<2x3xi8>, tensor<2x1xi8>
func.func @or(%x: tensor<2x3xi8>, %y: tensor<2x1xi8>) -> tensor<2x3xi8> {
  %0 = hamkaas.or %x, %y : tensor<2x3xi8>, tensor<2x1xi8>
  return %0 : tensor<2x3xi8>
}

// CHECK-LABEL: func @xor(
// CHECK:         hamkaas.xor %{{.*}}, %{{.*}} : tensor<2x3xui8>, tensor<2x1xui8>
func.func @xor(%x: tensor<2x3xui8>, %y: tensor<2x1xui8>) -> tensor<2x3xui8> {
  %0 = hamkaas.xor %x, %y : tensor<2x3xui8>, tensor<2x1xui8>
  return %0 : tensor<2x3xui8>
}

// CHECK-LABEL: func @shift_left(
// CHECK:         hamkaas.shift_left %{{.*}}, %{{.*}} : tensor<2x3xui32>, tensor<2x1xui32>
func.func @shift_left(%x: tensor<2x3xui32>, %y: tensor<2x1xui32>) -> tensor<2x3xui32> {
  %0 = hamkaas.shift_left %x, %y : tensor<2x3xui32>, tensor<2x1xui32>
  return %0 : tensor<2x3xui32>
}

// CHECK-LABEL: func @shift_right(
// CHECK:         hamkaas.shift_right %{{.*}}, %{{.*}} : tensor<2x3xi64>, tensor<2x1xi64>
func.func @shift_right(%x: tensor<2x3xi64>, %y: tensor<2x1xi64>) -> tensor<2x3xi64> {
  %0 = hamkaas.shift_right %x, %y : tensor<2x3xi64>, tensor<2x1xi64>
  return %0 : tensor<2x3xi64>
}
