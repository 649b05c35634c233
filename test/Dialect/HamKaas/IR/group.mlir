// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @elementwise(
// CHECK:         hamkaas.group elementwise(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<4xf32>):
// CHECK-NEXT:      %[[Y:.*]] = hamkaas.relu %[[A]]
// CHECK-NEXT:      hamkaas.yield %[[Y]] : tensor<4xf32>
func.func @elementwise(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hamkaas.group elementwise(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = hamkaas.relu %a : tensor<4xf32>
    hamkaas.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @updated(
// CHECK:         hamkaas.group movement(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {updated = 0 : i64}
func.func @updated(%x: tensor<4xf32>, %r: tensor<1xf32>, %b: tensor<1xi64>, %e: tensor<1xi64>) -> tensor<4xf32> {
  %0 = hamkaas.group movement(%x, %r, %b, %e) {updated = 0 : i64}
      : (tensor<4xf32>, tensor<1xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32> {
  ^bb0(%t: tensor<4xf32>, %s: tensor<1xf32>, %begin: tensor<1xi64>, %end: tensor<1xi64>):
    %1 = hamkaas.replace_slice %t, %s, %begin, %end : tensor<4xf32>, tensor<1xf32>
    hamkaas.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
