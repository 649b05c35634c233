// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @columns(
// CHECK:         hamkaas.concat %{{.*}}, %{{.*}} dim 1 : tensor<2x3xf32>, tensor<2x4xf32>
func.func @columns(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) -> tensor<2x7xf32> {
  %0 = hamkaas.concat %a, %b dim 1 : tensor<2x3xf32>, tensor<2x4xf32>
  return %0 : tensor<2x7xf32>
}

// CHECK-LABEL: func @one(
// CHECK:         hamkaas.concat %{{.*}} dim 0 : tensor<2xi1>
func.func @one(%a: tensor<2xi1>) -> tensor<2xi1> {
  %0 = hamkaas.concat %a dim 0 : tensor<2xi1>
  return %0 : tensor<2xi1>
}
