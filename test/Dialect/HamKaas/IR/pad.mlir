// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @around(
// CHECK:         hamkaas.pad %{{.*}} low [0, 1] high [2, 0] interior [1, 0] value 5.000000e+00 : f32 : tensor<2x3xf32>
func.func @around(%x: tensor<2x3xf32>) -> tensor<5x4xf32> {
  %0 = hamkaas.pad %x low [0, 1] high [2, 0] interior [1, 0] value 5.0 : f32 : tensor<2x3xf32>
  return %0 : tensor<5x4xf32>
}

// CHECK-LABEL: func @bytes(
// CHECK:         hamkaas.pad %{{.*}} low [1] high [0] interior [2] value 255 : ui8 : tensor<2xui8>
func.func @bytes(%x: tensor<2xui8>) -> tensor<5xui8> {
  %0 = hamkaas.pad %x low [1] high [0] interior [2] value 255 : ui8 : tensor<2xui8>
  return %0 : tensor<5xui8>
}

// CHECK-LABEL: func @booleans(
// CHECK:         hamkaas.pad %{{.*}} low [1] high [0] interior [0] value true : tensor<2xi1>
func.func @booleans(%x: tensor<2xi1>) -> tensor<3xi1> {
  %0 = hamkaas.pad %x low [1] high [0] interior [0] value true : tensor<2xi1>
  return %0 : tensor<3xi1>
}
