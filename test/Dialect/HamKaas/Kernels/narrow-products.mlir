// RUN: hamkaas-opt %s -hamkaas-narrow-products -split-input-file | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-narrow-products -hamkaas-pad-convolutions -hamkaas-form-groups=narrow-products=true -split-input-file | FileCheck %s --check-prefix=GROUPS
// RUN: hamkaas-opt %s -hamkaas-narrow-products -hamkaas-pad-convolutions -hamkaas-form-groups -split-input-file | FileCheck %s --check-prefix=OTHER

// Bytes less a zero point that is a byte are 16-bit integers. So is a constant
// of such numbers. The product widens them again, in its kernel.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<4x6xui8>, %[[Z:.*]]: tensor<1x1xui8>, %[[W:.*]]: tensor<6x8xi8>
// CHECK-DAG:     %[[XS:.*]] = hamkaas.cast %[[X]] : tensor<4x6xui8> -> tensor<4x6xi16>
// CHECK-DAG:     %[[ZS:.*]] = hamkaas.cast %[[Z]] : tensor<1x1xui8> -> tensor<1x1xi16>
// CHECK:         %[[L:.*]] = hamkaas.sub %[[XS]], %[[ZS]] : tensor<4x6xi16>, tensor<1x1xi16>
// CHECK:         %[[R:.*]] = hamkaas.cast %[[W]] : tensor<6x8xi8> -> tensor<6x8xi16>
// CHECK:         %[[LW:.*]] = hamkaas.cast %[[L]] : tensor<4x6xi16> -> tensor<4x6xi32>
// CHECK:         %[[RW:.*]] = hamkaas.cast %[[R]] : tensor<6x8xi16> -> tensor<6x8xi32>
// CHECK:         hamkaas.matmul %[[LW]], %[[RW]]

// GROUPS-LABEL: func.func @main(
// GROUPS:         hamkaas.group elementwise{{.*}}hamkaas.ops = "cast+sub"{{.*}} -> tensor<4x6xi16>
// GROUPS:         hamkaas.group contraction{{.*}}hamkaas.ops = "cast+cast+matmul+add"{{.*}}(tensor<4x6xi16>, tensor<6x8xi16>) -> tensor<4x8xi32>

// OTHER-LABEL: func.func @main(
// OTHER-NOT:     hamkaas.group contraction
func.func @main(%x: tensor<4x6xui8>, %z: tensor<1x1xui8>, %w: tensor<6x8xi8>) -> tensor<4x8xi32> {
  %0 = hamkaas.cast %x : tensor<4x6xui8> -> tensor<4x6xi32>
  %1 = hamkaas.cast %z : tensor<1x1xui8> -> tensor<1x1xi32>
  %2 = hamkaas.sub %0, %1 : tensor<4x6xi32>, tensor<1x1xi32>
  %3 = hamkaas.cast %w : tensor<6x8xi8> -> tensor<6x8xi32>
  %4 = hamkaas.matmul %2, %3 : tensor<4x6xi32>, tensor<6x8xi32>
  %5 = hamkaas.add %4, %4 : tensor<4x8xi32>, tensor<4x8xi32>
  return %5 : tensor<4x8xi32>
}

// -----

// A padded copy has 16 bits, too. Constants that fit are 16-bit ones.

// CHECK-LABEL: func.func @main(
// CHECK:         hamkaas.constant dense<-300> : tensor<3x3x2x8xi16>
// CHECK:         hamkaas.conv {{.*}} : tensor<1x5x6x2xi32>, tensor<3x3x2x8xi32>
// GROUPS-LABEL: func.func @main(
// GROUPS:         hamkaas.group movement{{.*}}hamkaas.ops = "pad"{{.*}}(tensor<1x5x12xi16>) -> tensor<1x7x16xi16>
// GROUPS:         hamkaas.group contraction
func.func @main(%x: tensor<1x5x6x2xi16>) -> tensor<1x5x6x8xi32> {
  %0 = hamkaas.cast %x : tensor<1x5x6x2xi16> -> tensor<1x5x6x2xi32>
  %w = hamkaas.constant dense<-300> : tensor<3x3x2x8xi32>
  %1 = hamkaas.conv %0, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x5x6x2xi32>, tensor<3x3x2x8xi32>
  return %1 : tensor<1x5x6x8xi32>
}

// -----

// Numbers that may need more than 16 bits stay, and so does the product.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     xi16>
// GROUPS-LABEL: func.func @main(
// GROUPS:         hamkaas.group reduction
func.func @main(%x: tensor<4x6xui16>, %w: tensor<6x8xi8>) -> tensor<4x8xi32> {
  %0 = hamkaas.cast %x : tensor<4x6xui16> -> tensor<4x6xi32>
  %1 = hamkaas.cast %w : tensor<6x8xi8> -> tensor<6x8xi32>
  %2 = hamkaas.matmul %0, %1 : tensor<4x6xi32>, tensor<6x8xi32>
  return %2 : tensor<4x8xi32>
}

// -----

// One channel a group: float32 has the sums of 9 such products, but not those
// of 900.

// CHECK-LABEL: func.func @main(
// CHECK:         hamkaas.conv {{.*}} groups 8 : tensor<1x5x6x8xf32>, tensor<3x3x1x8xf32>
// CHECK:         hamkaas.cast %{{.*}} : tensor<1x3x4x8xf32> -> tensor<1x3x4x8xi32>
// CHECK:         hamkaas.conv {{.*}} groups 8 : tensor<1x30x30x8xi32>, tensor<30x30x1x8xi32>
func.func @main(%x: tensor<1x5x6x8xui8>, %w: tensor<3x3x1x8xi8>, %y: tensor<1x30x30x8xui8>, %v: tensor<30x30x1x8xi8>) -> (tensor<1x3x4x8xi32>, tensor<1x1x1x8xi32>) {
  %0 = hamkaas.cast %x : tensor<1x5x6x8xui8> -> tensor<1x5x6x8xi32>
  %1 = hamkaas.cast %w : tensor<3x3x1x8xi8> -> tensor<3x3x1x8xi32>
  %2 = hamkaas.conv %0, %1 strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 8 : tensor<1x5x6x8xi32>, tensor<3x3x1x8xi32>
  %3 = hamkaas.cast %y : tensor<1x30x30x8xui8> -> tensor<1x30x30x8xi32>
  %4 = hamkaas.cast %v : tensor<30x30x1x8xi8> -> tensor<30x30x1x8xi32>
  %5 = hamkaas.conv %3, %4 strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 8 : tensor<1x30x30x8xi32>, tensor<30x30x1x8xi32>
  return %2, %5 : tensor<1x3x4x8xi32>, tensor<1x1x1x8xi32>
}
