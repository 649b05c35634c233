// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s

// A predicate of two elements.

// CHECK-LABEL: func @eq(
// CHECK:         hamkaas.compare eq %{{.*}}, %{{.*}} : tensor<2x3xi1>, tensor<2x1xi1>
func.func @eq(%x: tensor<2x3xi1>, %y: tensor<2x1xi1>) -> tensor<2x3xi1> {
  %0 = hamkaas.compare eq %x, %y : tensor<2x3xi1>, tensor<2x1xi1>
  return %0 : tensor<2x3xi1>
}

// CHECK-LABEL: func @ne(
// CHECK:         hamkaas.compare ne %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x1xf32>
func.func @ne(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>) -> tensor<2x3xi1> {
  %0 = hamkaas.compare ne %x, %y : tensor<2x3xf32>, tensor<2x1xf32>
  return %0 : tensor<2x3xi1>
}

// CHECK-LABEL: func @lt(
// CHECK:         hamkaas.compare lt %{{.*}}, %{{.*}} : tensor<2x3xbf16>, tensor<2x1xbf16>
func.func @lt(%x: tensor<2x3xbf16>, %y: tensor<2x1xbf16>) -> tensor<2x3xi1> {
  %0 = hamkaas.compare lt %x, %y : tensor<2x3xbf16>, tensor<2x1xbf16>
  return %0 : tensor<2x3xi1>
}

// CHECK-LABEL: func @le(
// CHECK:         hamkaas.compare le %{{.*}}, %{{.*}} : tensor<2x3xui64>, tensor<2x1xui64>
func.func @le(%x: tensor<2x3xui64>, %y: tensor<2x1xui64>) -> tensor<2x3xi1> {
  %0 = hamkaas.compare le %x, %y : tensor<2x3xui64>, tensor<2x1xui64>
  return %0 : tensor<2x3xi1>
}

// CHECK-LABEL: func @gt(
// CHECK:         hamkaas.compare gt %{{.*}}, %{{.*}} : tensor<2x3xi8>, tensor<2x1xi8>
func.func @gt(%x: tensor<2x3xi8>, %y: tensor<2x1xi8>) -> tensor<2x3xi1> {
  %0 = hamkaas.compare gt %x, %y : tensor<2x3xi8>, tensor<2x1xi8>
  return %0 : tensor<2x3xi1>
}

// CHECK-LABEL: func @ge(
// CHECK:         hamkaas.compare ge %{{.*}}, %{{.*}} : tensor<2x3xf64>, tensor<2x1xf64>
func.func @ge(%x: tensor<2x3xf64>, %y: tensor<2x1xf64>) -> tensor<2x3xi1> {
  %0 = hamkaas.compare ge %x, %y : tensor<2x3xf64>, tensor<2x1xf64>
  return %0 : tensor<2x3xi1>
}
