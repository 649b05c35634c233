// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-cpu-emit-kernels | FileCheck %s

// Threads share a row that is the only one, and a small image.

// CHECK-LABEL: func.func private @one_row(
// CHECK-SAME:    hamkaas.tiles = 3 : i64
func.func private @one_row(%x: tensor<1x9001xf32>, %out: tensor<1x9013xf32>) -> tensor<1x9013xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %zero = arith.constant 0.0 : f32
  %a = tensor.pad %x low[0, 5] high[0, 7] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<1x9001xf32> to tensor<1x9013xf32>
  return %a : tensor<1x9013xf32>
}

// CHECK-LABEL: func.func private @image(
// CHECK-SAME:    hamkaas.tiles = 16 : i64
func.func private @image(%x: tensor<1x14x14x256xf32>, %out: tensor<1x16x16x256xf32>) -> tensor<1x16x16x256xf32>
    attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %zero = arith.constant 0.0 : f32
  %a = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x14x14x256xf32> to tensor<1x16x16x256xf32>
  return %a : tensor<1x16x16x256xf32>
}
