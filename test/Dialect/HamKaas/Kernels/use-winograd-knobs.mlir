// RUN: hamkaas-opt %s -hamkaas-use-winograd | FileCheck %s
// RUN: not hamkaas-opt %s -hamkaas-use-winograd=max-error=1e-7 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: expected --winograd-error to be at least 7.000000e-07 for knob 'winograd' of 2, got 1.000000e-07

// A knob takes precedence over the sizes that pay off, and goes on to the
// product. What does not fit stays as it is, and has no such knob.

// CHECK-LABEL: func @knobs(
// CHECK:         hamkaas.conv {{.*}} {hamkaas.knobs = {winograd = "off"}}
// CHECK:         hamkaas.winograd_input %{{.*}} tile 2
// CHECK-NEXT:    hamkaas.reshape
// CHECK-NEXT:    hamkaas.matmul {{.*}} {hamkaas.knobs = {rows = 3 : i64, winograd = "2"}}
// CHECK:         hamkaas.conv {{.*}} {hamkaas.knobs = {rows = 3 : i64}}
// CHECK:         hamkaas.winograd_input %{{.*}} tile 2
// CHECK:         hamkaas.winograd_gradient
// CHECK:         hamkaas.matmul {{.*}} {hamkaas.knobs = {winograd = "2"}}
func.func @knobs(%x: tensor<1x28x28x32xf32>, %w: tensor<3x3x32x64xf32>, %y: tensor<1x6x6x2xf32>, %v: tensor<3x3x2x5xf32>, %z: tensor<1x5x6x2xf32>, %g: tensor<4x4x1x3xf32>) -> (tensor<1x28x28x64xf32>, tensor<1x6x6x5xf32>, tensor<1x5x6x5xf32>, tensor<2x3x3x3xf32>) {
  %0 = hamkaas.conv %x, %w strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 {hamkaas.knobs = {winograd = "off"}} : tensor<1x28x28x32xf32>, tensor<3x3x32x64xf32>
  %1 = hamkaas.conv %y, %v strides [1, 1] dilations [1, 1] pad [1, 1] to [1, 1] groups 1 {hamkaas.knobs = {rows = 3, winograd = "2"}} : tensor<1x6x6x2xf32>, tensor<3x3x2x5xf32>
  %2 = hamkaas.conv %z, %v strides [1, 1] dilations [2, 2] pad [2, 2] to [2, 2] groups 1 {hamkaas.knobs = {rows = 3, winograd = "2"}} : tensor<1x5x6x2xf32>, tensor<3x3x2x5xf32>
  %data = hamkaas.permute %y[3, 1, 2, 0] : tensor<1x6x6x2xf32>
  %3 = hamkaas.conv %data, %g strides [1, 1] dilations [1, 1] pad [0, 0] to [0, 0] groups 1 {hamkaas.knobs = {winograd = "2"}} : tensor<2x6x6x1xf32>, tensor<4x4x1x3xf32>
  return %0, %1, %2, %3 : tensor<1x28x28x64xf32>, tensor<1x6x6x5xf32>, tensor<1x5x6x5xf32>, tensor<2x3x3x3xf32>
}
