// RUN: hamkaas-opt %s -hamkaas-raise | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-raise -hamkaas-move-layouts \
// RUN:   -hamkaas-raise-attention | FileCheck %s --check-prefix=ATTENTION

// As PyTorch's exporters write it: the root of the scale on both sides.

// CHECK-LABEL: func @both_sides(
// CHECK-SAME:    %[[Q:.*]]: tensor<1x2x6x8xf32>, %[[K:.*]]: tensor<1x2x6x8xf32>
// CHECK-DAG:     %[[Q3:.*]] = hamkaas.reshape %[[Q]]
// CHECK-DAG:     %[[K4:.*]] = hamkaas.permute %[[K]][0, 1, 3, 2]
// CHECK-DAG:     %[[K3:.*]] = hamkaas.reshape %[[K4]]
// CHECK-DAG:     %[[SCALE:.*]] = hamkaas.constant dense<2.500000e-01> : tensor<1x1x1xf32>
// CHECK:         %[[S:.*]] = hamkaas.matmul %[[Q3]], %[[K3]]
// CHECK:         %[[SCALED:.*]] = hamkaas.mul %[[S]], %[[SCALE]]
// CHECK:         hamkaas.sliced_softmax %[[SCALED]]
// ATTENTION-LABEL: func @both_sides(
// ATTENTION-NOT:   hamkaas.mul
// ATTENTION:       hamkaas.attention {{.*}} scale 2.500000e-01
func.func @both_sides(%q: tensor<1x2x6x8xf32>, %k: tensor<1x2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x6x8xf32> {
  %root = hamkaas.constant dense<0.5> : tensor<1x1x1x1xf32>
  %0 = hamkaas.mul %q, %root : tensor<1x2x6x8xf32>, tensor<1x1x1x1xf32>
  %1 = hamkaas.reshape %0 : tensor<1x2x6x8xf32> -> tensor<2x6x8xf32>
  %2 = hamkaas.permute %k [0, 1, 3, 2] : tensor<1x2x6x8xf32>
  %3 = hamkaas.mul %2, %root : tensor<1x2x8x6xf32>, tensor<1x1x1x1xf32>
  %4 = hamkaas.reshape %3 : tensor<1x2x8x6xf32> -> tensor<2x8x6xf32>
  %5 = hamkaas.matmul %1, %4 : tensor<2x6x8xf32>, tensor<2x8x6xf32>
  %6 = hamkaas.sliced_softmax %5 static_prefix 6 : tensor<2x6x6xf32>
  %7 = hamkaas.matmul %6, %v : tensor<2x6x6xf32>, tensor<2x6x8xf32>
  return %7 : tensor<2x6x8xf32>
}

// One side, twice, and before the keys are moved and repeated for groups.

// CHECK-LABEL: func @one_side(
// CHECK-DAG:     %[[SCALE:.*]] = hamkaas.constant dense<-1.500000e+00> : tensor<1x1x1xf32>
// CHECK:         hamkaas.broadcast %arg1
// CHECK:         %[[S:.*]] = hamkaas.matmul %arg0
// CHECK:         %[[SCALED:.*]] = hamkaas.mul %[[S]], %[[SCALE]]
// CHECK:         return %[[SCALED]]
func.func @one_side(%q: tensor<4x6x8xf32>, %k: tensor<1x6x8xf32>) -> tensor<4x6x6xf32> {
  %a = hamkaas.constant dense<3.0> : tensor<1x1x1xf32>
  %b = hamkaas.constant dense<-2.0> : tensor<1x6x8xf32>
  %0 = hamkaas.mul %k, %a : tensor<1x6x8xf32>, tensor<1x1x1xf32>
  %1 = hamkaas.div %0, %b : tensor<1x6x8xf32>, tensor<1x6x8xf32>
  %2 = hamkaas.broadcast %1 : tensor<1x6x8xf32> -> tensor<4x6x8xf32>
  %3 = hamkaas.permute %2 [0, 2, 1] : tensor<4x6x8xf32>
  %4 = hamkaas.matmul %q, %3 : tensor<4x6x8xf32>, tensor<4x8x6xf32>
  return %4 : tensor<4x6x6xf32>
}

// Products with other users stay, and so do zero, scales that could leave the
// range of float32 on their own, other types and single matrices.

// CHECK-LABEL: func @others(
// CHECK-COUNT-6: hamkaas.mul
// CHECK-NOT:     hamkaas.mul
func.func @others(%q: tensor<2x6x8xf32>, %k: tensor<2x8x6xf32>, %h: tensor<2x8x6xf16>, %m: tensor<6x8xf32>) -> (tensor<2x6x8xf32>, tensor<2x6x6xf32>, tensor<2x6x6xf32>, tensor<2x8x8xf16>, tensor<6x6xf32>) {
  %two = hamkaas.constant dense<2.0> : tensor<1x1x1xf32>
  %zero = hamkaas.constant dense<0.0> : tensor<1x1x1xf32>
  %small = hamkaas.constant dense<1.0e-30> : tensor<1x1x1xf32>
  %half = hamkaas.constant dense<2.0> : tensor<1x1x1xf16>
  %single = hamkaas.constant dense<2.0> : tensor<1x1xf32>
  %0 = hamkaas.mul %q, %two : tensor<2x6x8xf32>, tensor<1x1x1xf32>
  %1 = hamkaas.mul %k, %zero : tensor<2x8x6xf32>, tensor<1x1x1xf32>
  %2 = hamkaas.matmul %0, %1 : tensor<2x6x8xf32>, tensor<2x8x6xf32>
  %3 = hamkaas.mul %q, %small : tensor<2x6x8xf32>, tensor<1x1x1xf32>
  %4 = hamkaas.mul %k, %small : tensor<2x8x6xf32>, tensor<1x1x1xf32>
  %5 = hamkaas.matmul %3, %4 : tensor<2x6x8xf32>, tensor<2x8x6xf32>
  %6 = hamkaas.mul %h, %half : tensor<2x8x6xf16>, tensor<1x1x1xf16>
  %7 = hamkaas.permute %h [0, 2, 1] : tensor<2x8x6xf16>
  %8 = hamkaas.matmul %6, %7 : tensor<2x8x6xf16>, tensor<2x6x8xf16>
  %9 = hamkaas.mul %m, %single : tensor<6x8xf32>, tensor<1x1xf32>
  %10 = hamkaas.permute %m [1, 0] : tensor<6x8xf32>
  %11 = hamkaas.matmul %9, %10 : tensor<6x8xf32>, tensor<8x6xf32>
  return %0, %2, %5, %8, %11 : tensor<2x6x8xf32>, tensor<2x6x6xf32>, tensor<2x6x6xf32>, tensor<2x8x8xf16>, tensor<6x6xf32>
}
