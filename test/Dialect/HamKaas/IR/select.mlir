// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s

// A choice for each element.

// CHECK-LABEL: func @select(
// CHECK:         hamkaas.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3xi1>, tensor<2x3xf16>, tensor<2x3xf16>
func.func @select(%c: tensor<2x3xi1>, %a: tensor<2x3xf16>, %b: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %0 = hamkaas.select %c, %a, %b : tensor<2x3xi1>, tensor<2x3xf16>, tensor<2x3xf16>
  return %0 : tensor<2x3xf16>
}
