// RUN: hamkaas-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func @same(
// CHECK-NEXT:    return %arg0
func.func @same(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = hamkaas.bitcast %x : tensor<3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func @back(
// CHECK-NEXT:    return %arg0
func.func @back(%x: tensor<3xf16>) -> tensor<3xf16> {
  %0 = hamkaas.bitcast %x : tensor<3xf16> -> tensor<3xi16>
  %1 = hamkaas.bitcast %0 : tensor<3xi16> -> tensor<3xf16>
  return %1 : tensor<3xf16>
}

// CHECK-LABEL: func @other(
// CHECK:         hamkaas.bitcast
// CHECK:         hamkaas.bitcast
func.func @other(%x: tensor<3xf16>) -> tensor<3xbf16> {
  %0 = hamkaas.bitcast %x : tensor<3xf16> -> tensor<3xi16>
  %1 = hamkaas.bitcast %0 : tensor<3xi16> -> tensor<3xbf16>
  return %1 : tensor<3xbf16>
}
