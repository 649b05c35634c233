// RUN: hamkaas-opt %s -hamkaas-nest-concats | FileCheck %s

// A concatenation that one kernel can do stays.

// CHECK-LABEL: func @join32(
// CHECK:         hamkaas.concat
// CHECK-NOT:     hamkaas.concat
// CHECK:         return
func.func @join32(%x: tensor<1x2xf32>) -> tensor<1x64xf32> {
  %0 = hamkaas.concat
    %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x,
    %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x
    dim 1 :
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
  return %0 : tensor<1x64xf32>
}

// More is joined in as few parts as can be, of about equal size.

// CHECK-LABEL: func @join70(
// CHECK:         %[[A:.*]] = hamkaas.concat
// CHECK:         %[[B:.*]] = hamkaas.concat
// CHECK:         %[[C:.*]] = hamkaas.concat
// CHECK:         %[[ALL:.*]] = hamkaas.concat %[[A]], %[[B]], %[[C]] dim 1 : tensor<1x46xf32>, tensor<1x46xf32>, tensor<1x48xf32>
// CHECK:         return %[[ALL]] : tensor<1x140xf32>
func.func @join70(%x: tensor<1x2xf32>) -> tensor<1x140xf32> {
  %0 = hamkaas.concat
    %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x,
    %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x,
    %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x,
    %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x
    dim 1 :
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>,
    tensor<1x2xf32>, tensor<1x2xf32>
  return %0 : tensor<1x140xf32>
}
