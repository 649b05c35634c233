// RUN: hamkaas-opt %s -hamkaas-narrow-products -hamkaas-multiply-bytes -split-input-file | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-narrow-products -hamkaas-multiply-bytes -hamkaas-pad-convolutions -hamkaas-form-groups=narrow-products=true -split-input-file | FileCheck %s --check-prefix=GROUPS

// A constant zero point: its product with the sums of the columns is
// subtracted. Floats are read from the bytes.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x6xui8>
// CHECK-DAG:     %[[W:.*]] = ml_program.global_load_const @w : tensor<6x8xi8>
// CHECK:         %[[L:.*]] = hamkaas.cast %[[X]] : tensor<4x6xui8> -> tensor<4x6xi32>
// CHECK:         %[[R:.*]] = hamkaas.cast %[[W]] : tensor<6x8xi8> -> tensor<6x8xi32>
// CHECK:         %[[Y:.*]] = hamkaas.matmul %[[L]], %[[R]]
// CHECK:         %[[I:.*]] = hamkaas.cast %[[W]] : tensor<6x8xi8> -> tensor<6x8xi32>
// CHECK:         %[[S:.*]] = hamkaas.reduce  sum %[[I]] over [0] : tensor<6x8xi32>
// CHECK:         %[[C:.*]] = hamkaas.reshape %[[S]] : tensor<8xi32> -> tensor<1x8xi32>
// CHECK:         %[[N:.*]] = hamkaas.constant dense<3> : tensor<1x1xi32>
// CHECK:         %[[Z:.*]] = hamkaas.mul %[[C]], %[[N]]
// CHECK:         %[[D:.*]] = hamkaas.sub %[[Y]], %[[Z]] : tensor<4x8xi32>, tensor<1x8xi32>
// CHECK:         %[[F:.*]] = hamkaas.cast %[[X]] : tensor<4x6xui8> -> tensor<4x6xf32>
// CHECK:         %[[E:.*]] = hamkaas.sub %[[F]], %{{.*}} : tensor<4x6xf32>, tensor<1x1xf32>
// CHECK:         return %[[D]], %[[E]]
// GROUPS-LABEL: func.func @main(
// GROUPS:         hamkaas.group contraction{{.*}}hamkaas.ops = "cast+cast+matmul+sub"{{.*}} : (tensor<4x6xui8>, tensor<6x8xi8>, tensor<1x8xi32>) -> tensor<4x8xi32>
ml_program.global private @w(#ml_program.extern<tensor<6x8xi8>>) : tensor<6x8xi8>
func.func @main(%x: tensor<4x6xui8>) -> (tensor<4x8xi32>, tensor<4x6xf32>) {
  %z = hamkaas.constant dense<3> : tensor<1x1xi16>
  %w = ml_program.global_load_const @w : tensor<6x8xi8>
  %0 = hamkaas.cast %x : tensor<4x6xui8> -> tensor<4x6xi16>
  %1 = hamkaas.sub %0, %z : tensor<4x6xi16>, tensor<1x1xi16>
  %2 = hamkaas.cast %1 : tensor<4x6xi16> -> tensor<4x6xi32>
  %3 = hamkaas.cast %w : tensor<6x8xi8> -> tensor<6x8xi32>
  %4 = hamkaas.matmul %2, %3 : tensor<4x6xi32>, tensor<6x8xi32>
  %5 = hamkaas.cast %1 : tensor<4x6xi16> -> tensor<4x6xf32>
  return %4, %5 : tensor<4x8xi32>, tensor<4x6xf32>
}

// -----

// Signed bytes, moved: as unsigned ones, of which the zero point is 128 more.

// GROUPS-LABEL: func.func @main(
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<6x4xi8>
// CHECK-DAG:     %[[N:.*]] = hamkaas.constant dense<128> : tensor<1x1xi16>
// CHECK-DAG:     %[[A:.*]] = hamkaas.cast %[[X]] : tensor<6x4xi8> -> tensor<6x4xi16>
// CHECK:         %[[B:.*]] = hamkaas.add %[[A]], %[[N]]
// CHECK:         %[[U:.*]] = hamkaas.cast %[[B]] : tensor<6x4xi16> -> tensor<6x4xui8>
// CHECK:         %[[T:.*]] = hamkaas.permute %[[U]][1, 0] : tensor<6x4xui8>
// CHECK:         %[[L:.*]] = hamkaas.cast %[[T]] : tensor<4x6xui8> -> tensor<4x6xi32>
// CHECK:         hamkaas.matmul %[[L]], %{{.*}}
// CHECK:         hamkaas.constant dense<133> : tensor<1x1xi32>
// CHECK:         hamkaas.sub
func.func @main(%x: tensor<6x4xi8>) -> tensor<4x8xi32> {
  %z = hamkaas.constant dense<5> : tensor<1x1xi32>
  %w = hamkaas.constant dense<-7> : tensor<6x8xi8>
  %0 = hamkaas.cast %x : tensor<6x4xi8> -> tensor<6x4xi32>
  %1 = hamkaas.sub %0, %z : tensor<6x4xi32>, tensor<1x1xi32>
  %2 = hamkaas.permute %1 [1, 0] : tensor<6x4xi32>
  %3 = hamkaas.cast %w : tensor<6x8xi8> -> tensor<6x8xi32>
  %4 = hamkaas.matmul %2, %3 : tensor<4x6xi32>, tensor<6x8xi32>
  return %4 : tensor<4x8xi32>
}

// -----

// A zero point of the run, and none. Weights less their zero point fit.

// GROUPS-LABEL: func.func @main(
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x6xui8>, %[[Z:[^:]*]]: tensor<1x1xui8>
// CHECK:         %[[I:.*]] = hamkaas.cast %{{.*}} : tensor<1x1xi16> -> tensor<1x1xi32>
// CHECK:         %[[P:.*]] = hamkaas.reshape %[[I]] : tensor<1x1xi32> -> tensor<1x1xi32>
// CHECK:         %[[Y:.*]] = hamkaas.matmul
// CHECK:         %[[S:.*]] = hamkaas.mul %{{.*}}, %[[P]] : tensor<1x8xi32>, tensor<1x1xi32>
// CHECK:         %[[D:.*]] = hamkaas.sub %[[Y]], %[[S]]
// CHECK:         %[[V:.*]] = hamkaas.matmul %{{.*}} : tensor<4x6xi32>, tensor<6x8xi32>
// CHECK:         return %[[D]], %[[V]]
ml_program.global private @w(#ml_program.extern<tensor<6x8xui8>>) : tensor<6x8xui8>
func.func @main(%x: tensor<4x6xui8>, %z: tensor<1x1xui8>) -> (tensor<4x8xi32>, tensor<4x8xi32>) {
  %w = ml_program.global_load_const @w : tensor<6x8xui8>
  %h = hamkaas.constant dense<128> : tensor<1x1xi32>
  %0 = hamkaas.cast %x : tensor<4x6xui8> -> tensor<4x6xi32>
  %1 = hamkaas.cast %z : tensor<1x1xui8> -> tensor<1x1xi32>
  %2 = hamkaas.sub %0, %1 : tensor<4x6xi32>, tensor<1x1xi32>
  %3 = hamkaas.cast %w : tensor<6x8xui8> -> tensor<6x8xi32>
  %4 = hamkaas.sub %3, %h : tensor<6x8xi32>, tensor<1x1xi32>
  %5 = hamkaas.matmul %2, %4 : tensor<4x6xi32>, tensor<6x8xi32>
  %6 = hamkaas.matmul %0, %4 : tensor<4x6xi32>, tensor<6x8xi32>
  return %5, %6 : tensor<4x8xi32>, tensor<4x8xi32>
}

// -----

// Padding is the zero point.

// CHECK-LABEL: func.func @main(
// CHECK:         hamkaas.group movement{{.*}}hamkaas.ops = "pad"{{.*}}(tensor<1x5x12xui8>) -> tensor<1x7x16xui8>
// CHECK:           arith.constant -56 : i8
// CHECK:         hamkaas.conv {{.*}} pad [0, 0] to [0, 0] groups 1 : tensor<1x7x8x2xi32>, tensor<3x3x2x8xi32>
// CHECK:         hamkaas.reduce  sum %{{.*}} over [0, 1, 2] : tensor<3x3x2x8xi32>
// GROUPS-LABEL: func.func @main(
// GROUPS:         hamkaas.group contraction{{.*}}(tensor<1x7x8x2xui8>, tensor<3x3x2x8xi8>, tensor<1x1x1x8xi32>)
func.func @main(%x: tensor<1x5x6x2xui8>) -> tensor<1x5x6x8xi32> {
  %z = hamkaas.constant dense<200> : tensor<1x1x1x1xi32>
  %w = hamkaas.constant dense<-100> : tensor<3x3x2x8xi32>
  %0 = hamkaas.cast %x : tensor<1x5x6x2xui8> -> tensor<1x5x6x2xi32>
  %1 = hamkaas.sub %0, %z : tensor<1x5x6x2xi32>, tensor<1x1x1x1xi32>
  %2 = hamkaas.conv %1, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 : tensor<1x5x6x2xi32>, tensor<3x3x2x8xi32>
  return %2 : tensor<1x5x6x8xi32>
}

// -----

// Weights that do not fit, weights of a run, left sides that are no bytes, and
// one zero point a row stay products of 16 bits.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     hamkaas.reduce
// CHECK-COUNT-4: hamkaas.matmul
// CHECK-NOT:     hamkaas.reduce
// GROUPS-LABEL: func.func @main(
// GROUPS-COUNT-4: hamkaas.group contraction{{.*}}(tensor<4x6xi16>
func.func @main(%x: tensor<4x6xui8>, %v: tensor<6x8xi8>, %y: tensor<4x6xi16>, %z: tensor<4x1xui8>) -> (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) {
  %w = hamkaas.constant dense<128> : tensor<6x8xi32>
  %s = hamkaas.constant dense<127> : tensor<6x8xi32>
  %0 = hamkaas.cast %x : tensor<4x6xui8> -> tensor<4x6xi32>
  %1 = hamkaas.matmul %0, %w : tensor<4x6xi32>, tensor<6x8xi32>
  %2 = hamkaas.cast %v : tensor<6x8xi8> -> tensor<6x8xi32>
  %3 = hamkaas.matmul %0, %2 : tensor<4x6xi32>, tensor<6x8xi32>
  %4 = hamkaas.cast %y : tensor<4x6xi16> -> tensor<4x6xi32>
  %5 = hamkaas.matmul %4, %s : tensor<4x6xi32>, tensor<6x8xi32>
  %6 = hamkaas.cast %z : tensor<4x1xui8> -> tensor<4x1xi32>
  %7 = hamkaas.sub %0, %6 : tensor<4x6xi32>, tensor<4x1xi32>
  %8 = hamkaas.matmul %7, %s : tensor<4x6xi32>, tensor<6x8xi32>
  return %1, %3, %5, %8 : tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>
}
