// RUN: hamkaas-opt %s -canonicalize -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// An op that takes over the work of its producer has the positions of both.

// CHECK-LABEL: func @reshape(
// CHECK:         hamkaas.reshape {{.*}} loc(fused["m.hk":1:1, "m.hk":2:1])
func.func @reshape(%x: tensor<2x12xf32>) -> tensor<24xf32> {
  %0 = hamkaas.reshape %x : tensor<2x12xf32> -> tensor<4x6xf32> loc("m.hk":1:1)
  %1 = hamkaas.reshape %0 : tensor<4x6xf32> -> tensor<24xf32> loc("m.hk":2:1)
  return %1 : tensor<24xf32>
}

// CHECK-LABEL: func @slice(
// CHECK:         hamkaas.slice {{.*}} loc(fused["m.hk":3:1, "m.hk":4:1])
func.func @slice(%x: tensor<8x2xf32>) -> tensor<1x2xf32> {
  %0 = hamkaas.slice %x[1, 7] : tensor<8x2xf32> loc("m.hk":3:1)
  %1 = hamkaas.slice %0[2, 3] : tensor<6x2xf32> loc("m.hk":4:1)
  return %1 : tensor<1x2xf32>
}

// CHECK-LABEL: func @permute(
// CHECK:         hamkaas.permute {{.*}} loc(fused["m.hk":5:1, "m.hk":6:1])
func.func @permute(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %0 = hamkaas.permute %x[2, 0, 1] : tensor<2x3x4xf32> loc("m.hk":5:1)
  %1 = hamkaas.permute %0[2, 0, 1] : tensor<4x2x3xf32> loc("m.hk":6:1)
  return %1 : tensor<3x4x2xf32>
}
