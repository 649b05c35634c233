// RUN: hamkaas-opt %s -hamkaas-split-permutes -split-input-file | FileCheck %s

// Pixels that are the last channels of a convolution become a row of their
// image: rows are contiguous before they are interleaved.

// CHECK-LABEL: func @pixels(
// CHECK-SAME:    %[[X:.*]]: tensor<2x8x9x12xf32>
// CHECK:         %[[P:.*]] = hamkaas.permute %[[X]][0, 3, 1, 2] : tensor<2x8x9x12xf32>
// CHECK-NEXT:    %[[R:.*]] = hamkaas.reshape %[[P]] : tensor<2x12x8x9xf32> -> tensor<2x2x2x3x8x9xf32>
// CHECK-NEXT:    %[[I:.*]] = hamkaas.permute %[[R]][0, 3, 4, 1, 5, 2] : tensor<2x2x2x3x8x9xf32>
// CHECK-NEXT:    return %[[I]]
func.func @pixels(%x: tensor<2x8x9x12xf32>) -> tensor<2x3x8x2x9x2xf32> {
  %0 = hamkaas.reshape %x : tensor<2x8x9x12xf32> -> tensor<2x8x9x2x2x3xf32>
  %1 = hamkaas.permute %0 [0, 5, 1, 3, 2, 4] : tensor<2x8x9x2x2x3xf32>
  return %1 : tensor<2x3x8x2x9x2xf32>
}

// -----

// Contiguous rows, a transposed matrix, and more than a few elements stay.

// CHECK-LABEL: func @others(
// CHECK:         hamkaas.permute %{{.*}}[0, 2, 3, 1]
// CHECK:         hamkaas.permute %{{.*}}[1, 0]
// CHECK:         hamkaas.permute %{{.*}}[0, 3, 1, 2]
// CHECK-NOT:     hamkaas.permute
func.func @others(%x: tensor<2x2x8x9xf32>, %y: tensor<4x100xf32>, %z: tensor<2x8x5x3xf32>) -> (tensor<2x8x9x2xf32>, tensor<100x4xf32>, tensor<2x3x8x5xf32>) {
  %0 = hamkaas.permute %x [0, 2, 3, 1] : tensor<2x2x8x9xf32>
  %1 = hamkaas.permute %y [1, 0] : tensor<4x100xf32>
  %2 = hamkaas.permute %z [0, 3, 1, 2] : tensor<2x8x5x3xf32>
  return %0, %1, %2 : tensor<2x8x9x2xf32>, tensor<100x4xf32>, tensor<2x3x8x5xf32>
}
