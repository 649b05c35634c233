// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @reversed(
// CHECK:         hamkaas.strided_slice %{{.*}} offsets [0, 3] sizes [2, 2] strides [2, -1] : tensor<4x5xf32>
func.func @reversed(%x: tensor<4x5xf32>) -> tensor<2x2xf32> {
  %0 = hamkaas.strided_slice %x offsets [0, 3] sizes [2, 2] strides [2, -1] : tensor<4x5xf32>
  return %0 : tensor<2x2xf32>
}

// CHECK-LABEL: func @scalar(
// CHECK:         hamkaas.strided_slice %{{.*}} offsets [] sizes [] strides [] : tensor<i1>
func.func @scalar(%x: tensor<i1>) -> tensor<i1> {
  %0 = hamkaas.strided_slice %x offsets [] sizes [] strides [] : tensor<i1>
  return %0 : tensor<i1>
}

// The stride of one element is of no interest.

// CHECK-LABEL: func @any_stride(
// CHECK:         strides [-9223372036854775808]
func.func @any_stride(%x: tensor<4xui8>) -> tensor<1xui8> {
  %0 = hamkaas.strided_slice %x offsets [3] sizes [1] strides [-9223372036854775808] : tensor<4xui8>
  return %0 : tensor<1xui8>
}
