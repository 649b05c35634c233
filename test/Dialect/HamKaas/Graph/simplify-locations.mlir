// RUN: hamkaas-opt %s -hamkaas-simplify -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// An operation that takes over the work of another has the positions of both.

// CHECK-LABEL: func @casts(
// CHECK:         hamkaas.cast {{.*}} loc(fused["m.hk":1:1, "m.hk":2:1])
func.func @casts(%x: tensor<2xi8>) -> tensor<2xf32> {
  %0 = hamkaas.cast %x : tensor<2xi8> -> tensor<2xi32> loc("m.hk":1:1)
  %1 = hamkaas.cast %0 : tensor<2xi32> -> tensor<2xf32> loc("m.hk":2:1)
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func @difference(
// CHECK:         hamkaas.sub {{.*}} loc(fused["m.hk":3:1, "m.hk":4:1])
func.func @difference(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = hamkaas.neg %y : tensor<2xf32> loc("m.hk":3:1)
  %1 = hamkaas.add %x, %0 : tensor<2xf32>, tensor<2xf32> loc("m.hk":4:1)
  return %1 : tensor<2xf32>
}
