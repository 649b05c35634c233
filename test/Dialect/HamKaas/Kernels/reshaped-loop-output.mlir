// RUN: hamkaas-opt %s -hamkaas-to-planned=target-cpu=x86-64-v3 | FileCheck %s
// RUN: hamkaas-run %s --check-against=reference --input=x=random --input=h=random | FileCheck %s --check-prefix=VALUES

// A loop writes its rows to the caller's buffer, also where the result has them
// in another shape, as that of an LSTM of ONNX.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %{{[a-z0-9]+}}: memref<160xi8>
// CHECK-SAME:    %[[OUT:[a-z0-9]+]]: memref<160xi8> {hamkaas.name = "y"
// CHECK-NOT:     memref.copy {{.*}}memref<40xf32>
// CHECK-NOT:     memref.copy {{.*}}memref<5x1x2x4xf32>
// CHECK:         %[[ROWS:.*]] = memref.view %[[OUT]][{{.*}}] : memref<160xi8> to memref<5x2x4xf32>
// CHECK:         hamkaas.repeat 5 of @loop0 {{.*}} outputs(%[[ROWS]])
// CHECK-NOT:     memref.copy
// CHECK:         return

// VALUES-NOT: error
// VALUES: agrees with reference
func.func @main(%x: tensor<5x2x4xf32> {hamkaas.name = "x"}, %h: tensor<2x4xf32> {hamkaas.name = "h"})
    -> (tensor<5x1x2x4xf32> {hamkaas.name = "y"}) {
  %0:2 = hamkaas.scan 5 from(%h) over(%x) with() : (tensor<2x4xf32>, tensor<5x2x4xf32>) -> (tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%state: tensor<2x4xf32>, %row: tensor<2x4xf32>):
    %1 = hamkaas.add %row, %state : tensor<2x4xf32>, tensor<2x4xf32>
    %2 = hamkaas.tanh %1 : tensor<2x4xf32>
    hamkaas.yield %2, %2 : tensor<2x4xf32>, tensor<2x4xf32>
  }
  %3 = hamkaas.reshape %0#1 : tensor<5x2x4xf32> -> tensor<5x1x2x4xf32>
  return %3 : tensor<5x1x2x4xf32>
}
