// RUN: hamkaas-opt %s | hamkaas-opt | FileCheck %s
// RUN: hamkaas-opt %s -mlir-print-op-generic | hamkaas-opt | FileCheck %s

// CHECK-LABEL: func @plain(
// CHECK:         hamkaas.attention %{{.*}}, %{{.*}}, %{{.*}} scale 5.000000e-01 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>
func.func @plain(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>) -> tensor<2x3x6xf32> {
  %0 = hamkaas.attention %q, %k, %v scale 0.5 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>
  return %0 : tensor<2x3x6xf32>
}

// CHECK-LABEL: func @masked(
// CHECK:         hamkaas.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale 1.000000e+00 masked_score -1.000000e+09 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32> mask tensor<2x1x5xi1>
func.func @masked(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>, %m: tensor<2x1x5xi1>) -> tensor<2x3x6xf32> {
  %0 = hamkaas.attention %q, %k, %v mask %m scale 1.0 masked_score -1.0e9 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32> mask tensor<2x1x5xi1>
  return %0 : tensor<2x3x6xf32>
}

// CHECK-LABEL: func @biased(
// CHECK:         hamkaas.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} bias %{{.*}} scale 1.000000e+00 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32> mask tensor<1x3x1xi1> bias tensor<1x3x5xf32>
func.func @biased(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>, %m: tensor<1x3x1xi1>, %b: tensor<1x3x5xf32>) -> tensor<2x3x6xf32> {
  %0 = hamkaas.attention %q, %k, %v mask %m bias %b scale 1.0 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32> mask tensor<1x3x1xi1> bias tensor<1x3x5xf32>
  return %0 : tensor<2x3x6xf32>
}
