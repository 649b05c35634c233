// RUN: hamkaas-opt %s -hamkaas-raise | FileCheck %s

// Rotary positions: pairs of numbers are turned by an angle of each pair.

// CHECK-LABEL: func @rotation(
// CHECK-SAME:    %[[X:.*]]: tensor<4x3x2xf32>, %[[COS:.*]]: tensor<1x3xf32>, %[[SIN:.*]]: tensor<1x3xf32>
// CHECK-DAG:     %[[C:.*]] = hamkaas.reshape %[[COS]] : tensor<1x3xf32> -> tensor<1x3x1xf32>
// CHECK-DAG:     %[[S:.*]] = hamkaas.reshape %[[SIN]] : tensor<1x3xf32> -> tensor<1x3x1xf32>
// CHECK:         %[[F:.*]] = hamkaas.concat %[[C]], %[[S]] dim 2
// CHECK:         %[[Y:.*]] = hamkaas.complex_mul %[[X]], %[[F]] : tensor<4x3x2xf32>, tensor<1x3x2xf32>
// CHECK:         return %[[Y]]
func.func @rotation(%x: tensor<4x3x2xf32>, %cos: tensor<1x3xf32>, %sin: tensor<1x3xf32>) -> tensor<4x3x2xf32> {
  %0 = hamkaas.strided_slice %x offsets [0, 0, 0] sizes [4, 3, 1] strides [1, 1, 1] : tensor<4x3x2xf32>
  %1 = hamkaas.reshape %0 : tensor<4x3x1xf32> -> tensor<4x3xf32>
  %2 = hamkaas.strided_slice %x offsets [0, 0, 1] sizes [4, 3, 1] strides [1, 1, 1] : tensor<4x3x2xf32>
  %3 = hamkaas.reshape %2 : tensor<4x3x1xf32> -> tensor<4x3xf32>
  %4 = hamkaas.mul %1, %cos : tensor<4x3xf32>, tensor<1x3xf32>
  %5 = hamkaas.mul %3, %sin : tensor<4x3xf32>, tensor<1x3xf32>
  %6 = hamkaas.sub %4, %5 : tensor<4x3xf32>, tensor<4x3xf32>
  %7 = hamkaas.mul %1, %sin : tensor<4x3xf32>, tensor<1x3xf32>
  %8 = hamkaas.mul %3, %cos : tensor<4x3xf32>, tensor<1x3xf32>
  %9 = hamkaas.add %7, %8 : tensor<4x3xf32>, tensor<4x3xf32>
  %10 = hamkaas.reshape %6 : tensor<4x3xf32> -> tensor<4x3x1xf32>
  %11 = hamkaas.reshape %9 : tensor<4x3xf32> -> tensor<4x3x1xf32>
  %12 = hamkaas.concat %10, %11 dim 2 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  return %12 : tensor<4x3x2xf32>
}

// In the other order, and without reshapes.

// CHECK-LABEL: func @turned_round(
// CHECK-SAME:    %[[X:.*]]: tensor<4x3x2xf32>, %[[C:.*]]: tensor<4x3x1xf32>, %[[S:.*]]: tensor<4x3x1xf32>
// CHECK:         %[[F:.*]] = hamkaas.concat %[[C]], %[[S]] dim 2
// CHECK:         hamkaas.complex_mul %[[X]], %[[F]] : tensor<4x3x2xf32>, tensor<4x3x2xf32>
func.func @turned_round(%x: tensor<4x3x2xf32>, %c: tensor<4x3x1xf32>, %s: tensor<4x3x1xf32>) -> tensor<4x3x2xf32> {
  %0 = hamkaas.strided_slice %x offsets [0, 0, 0] sizes [4, 3, 1] strides [1, 1, 1] : tensor<4x3x2xf32>
  %1 = hamkaas.strided_slice %x offsets [0, 0, 1] sizes [4, 3, 1] strides [1, 1, 1] : tensor<4x3x2xf32>
  %2 = hamkaas.mul %c, %0 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %3 = hamkaas.mul %s, %1 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %4 = hamkaas.sub %2, %3 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %5 = hamkaas.mul %c, %1 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %6 = hamkaas.mul %0, %s : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %7 = hamkaas.add %5, %6 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %8 = hamkaas.concat %4, %7 dim 2 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  return %8 : tensor<4x3x2xf32>
}

// By the conjugate; with the parts the other way round; of parts that are
// repeated; of a part of the numbers; of numbers in another order; in a rank of
// their own.

// CHECK-LABEL: func @others(
// CHECK-NOT:     hamkaas.complex_mul
// CHECK:         return
func.func @others(%x: tensor<4x3x2xf32>, %y: tensor<1x3x2xf32>, %z: tensor<4x3x4xf32>, %c: tensor<4x3x1xf32>, %s: tensor<4x3x1xf32>) -> (tensor<4x3x2xf32>, tensor<4x3x2xf32>, tensor<4x3x2xf32>, tensor<4x3x2xf32>, tensor<4x3x2xf32>, tensor<4x3x2xf32>) {
  %0 = hamkaas.strided_slice %x offsets [0, 0, 0] sizes [4, 3, 1] strides [1, 1, 1] : tensor<4x3x2xf32>
  %1 = hamkaas.strided_slice %x offsets [0, 0, 1] sizes [4, 3, 1] strides [1, 1, 1] : tensor<4x3x2xf32>
  %ac = hamkaas.mul %0, %c : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %bs = hamkaas.mul %1, %s : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %as = hamkaas.mul %0, %s : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %bc = hamkaas.mul %1, %c : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %2 = hamkaas.add %ac, %bs : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %3 = hamkaas.sub %bc, %as : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %conjugate = hamkaas.concat %2, %3 dim 2 : tensor<4x3x1xf32>, tensor<4x3x1xf32>

  %4 = hamkaas.sub %ac, %bs : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %5 = hamkaas.add %as, %bc : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %swapped = hamkaas.concat %5, %4 dim 2 : tensor<4x3x1xf32>, tensor<4x3x1xf32>

  %6 = hamkaas.strided_slice %y offsets [0, 0, 0] sizes [1, 3, 1] strides [1, 1, 1] : tensor<1x3x2xf32>
  %7 = hamkaas.strided_slice %y offsets [0, 0, 1] sizes [1, 3, 1] strides [1, 1, 1] : tensor<1x3x2xf32>
  %8 = hamkaas.mul %c, %6 : tensor<4x3x1xf32>, tensor<1x3x1xf32>
  %9 = hamkaas.mul %s, %7 : tensor<4x3x1xf32>, tensor<1x3x1xf32>
  %10 = hamkaas.sub %8, %9 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %11 = hamkaas.mul %s, %6 : tensor<4x3x1xf32>, tensor<1x3x1xf32>
  %12 = hamkaas.mul %c, %7 : tensor<4x3x1xf32>, tensor<1x3x1xf32>
  %13 = hamkaas.add %11, %12 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %repeated = hamkaas.concat %10, %13 dim 2 : tensor<4x3x1xf32>, tensor<4x3x1xf32>

  %14 = hamkaas.strided_slice %z offsets [0, 0, 0] sizes [4, 3, 1] strides [1, 1, 1] : tensor<4x3x4xf32>
  %15 = hamkaas.strided_slice %z offsets [0, 0, 1] sizes [4, 3, 1] strides [1, 1, 1] : tensor<4x3x4xf32>
  %16 = hamkaas.mul %14, %c : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %17 = hamkaas.mul %15, %s : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %18 = hamkaas.sub %16, %17 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %19 = hamkaas.mul %14, %s : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %20 = hamkaas.mul %15, %c : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %21 = hamkaas.add %19, %20 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %part = hamkaas.concat %18, %21 dim 2 : tensor<4x3x1xf32>, tensor<4x3x1xf32>

  %22 = hamkaas.strided_slice %x offsets [3, 0, 0] sizes [4, 3, 1] strides [-1, 1, 1] : tensor<4x3x2xf32>
  %23 = hamkaas.strided_slice %x offsets [3, 0, 1] sizes [4, 3, 1] strides [-1, 1, 1] : tensor<4x3x2xf32>
  %24 = hamkaas.mul %22, %c : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %25 = hamkaas.mul %23, %s : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %26 = hamkaas.sub %24, %25 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %27 = hamkaas.mul %22, %s : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %28 = hamkaas.mul %23, %c : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %29 = hamkaas.add %27, %28 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  %reversed = hamkaas.concat %26, %29 dim 2 : tensor<4x3x1xf32>, tensor<4x3x1xf32>

  %c4 = hamkaas.reshape %c : tensor<4x3x1xf32> -> tensor<4x3x1x1xf32>
  %s4 = hamkaas.reshape %s : tensor<4x3x1xf32> -> tensor<4x3x1x1xf32>
  %30 = hamkaas.reshape %0 : tensor<4x3x1xf32> -> tensor<4x3x1x1xf32>
  %31 = hamkaas.reshape %1 : tensor<4x3x1xf32> -> tensor<4x3x1x1xf32>
  %32 = hamkaas.mul %30, %c4 : tensor<4x3x1x1xf32>, tensor<4x3x1x1xf32>
  %33 = hamkaas.mul %31, %s4 : tensor<4x3x1x1xf32>, tensor<4x3x1x1xf32>
  %34 = hamkaas.sub %32, %33 : tensor<4x3x1x1xf32>, tensor<4x3x1x1xf32>
  %35 = hamkaas.mul %30, %s4 : tensor<4x3x1x1xf32>, tensor<4x3x1x1xf32>
  %36 = hamkaas.mul %31, %c4 : tensor<4x3x1x1xf32>, tensor<4x3x1x1xf32>
  %37 = hamkaas.add %35, %36 : tensor<4x3x1x1xf32>, tensor<4x3x1x1xf32>
  %38 = hamkaas.reshape %34 : tensor<4x3x1x1xf32> -> tensor<4x3x1xf32>
  %39 = hamkaas.reshape %37 : tensor<4x3x1x1xf32> -> tensor<4x3x1xf32>
  %ranked = hamkaas.concat %38, %39 dim 2 : tensor<4x3x1xf32>, tensor<4x3x1xf32>
  return %conjugate, %swapped, %repeated, %part, %reversed, %ranked : tensor<4x3x2xf32>, tensor<4x3x2xf32>, tensor<4x3x2xf32>, tensor<4x3x2xf32>, tensor<4x3x2xf32>, tensor<4x3x2xf32>
}
