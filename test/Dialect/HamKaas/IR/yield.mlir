// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @values(
// CHECK:           hamkaas.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<2xi64>
func.func @values(%x: tensor<4xf32>, %i: tensor<2xi64>) -> (tensor<4xf32>, tensor<2xi64>) {
  %0:2 = hamkaas.group movement(%x, %i) : (tensor<4xf32>, tensor<2xi64>) -> (tensor<4xf32>, tensor<2xi64>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<2xi64>):
    hamkaas.yield %a, %b : tensor<4xf32>, tensor<2xi64>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<2xi64>
}

// CHECK-LABEL: func @nothing(
// CHECK:           hamkaas.yield{{$}}
func.func @nothing() {
  hamkaas.group elementwise() : () -> () {
    hamkaas.yield
  }
  return
}
