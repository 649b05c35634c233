// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @rows(
// CHECK:         hamkaas.replace_slice %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x2xf32>, tensor<1x2xf32>
func.func @rows(%x: tensor<4x2xf32>, %r: tensor<1x2xf32>, %b: tensor<1xi64>, %e: tensor<1xi64>) -> tensor<4x2xf32> {
  %0 = hamkaas.replace_slice %x, %r, %b, %e : tensor<4x2xf32>, tensor<1x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func @unchecked(
// CHECK:         hamkaas.replace_slice %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {unchecked} : tensor<4xi64>, tensor<4xi64>
func.func @unchecked(%x: tensor<4xi64>, %b: tensor<1xi64>, %e: tensor<1xi64>) -> tensor<4xi64> {
  %0 = hamkaas.replace_slice %x, %x, %b, %e {unchecked} : tensor<4xi64>, tensor<4xi64>
  return %0 : tensor<4xi64>
}
