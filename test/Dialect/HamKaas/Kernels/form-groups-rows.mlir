// RUN: hamkaas-opt %s -hamkaas-form-groups=compute-rows=true -split-input-file | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-form-groups -split-input-file | FileCheck %s --check-prefix=STORED --implicit-check-not=norm+matmul --implicit-check-not=mul+matmul

// A product of one row takes the norm of the row, and an epilogue as ever.

// CHECK-LABEL: func @norm(
// CHECK-SAME:    %[[X:.*]]: tensor<1x96xf32>, %[[G:.*]]: tensor<96xf32>, %[[W:.*]]: tensor<96x64xf32>, %[[B:.*]]: tensor<1x64xf32>
// CHECK:         hamkaas.group contraction(%[[X]], %[[G]], %[[W]], %[[B]]) {{.*}}hamkaas.ops = "rms_norm+matmul+add"
// CHECK-NOT:     hamkaas.group
// STORED-LABEL: func @norm(
// STORED:        hamkaas.group row
// STORED:        hamkaas.group contraction
func.func @norm(%x: tensor<1x96xf32>, %g: tensor<96xf32>, %w: tensor<96x64xf32>, %b: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %0 = hamkaas.rms_norm %x, %g epsilon 1.0e-5 : tensor<1x96xf32>, tensor<96xf32>
  %1 = hamkaas.matmul %0, %w : tensor<1x96xf32>, tensor<96x64xf32>
  %2 = hamkaas.add %1, %b : tensor<1x64xf32>, tensor<1x64xf32>
  return %2 : tensor<1x64xf32>
}

// -----

// Elementwise operations, also those before the norm.

// CHECK-LABEL: func @elementwise(
// CHECK:         hamkaas.group contraction({{.*}}hamkaas.ops = "silu+mul+matmul"
// CHECK:         hamkaas.group contraction({{.*}}hamkaas.ops = "mul+rms_norm+relu+matmul"
// CHECK-NOT:     hamkaas.group
func.func @elementwise(%x: tensor<1x96xf32>, %y: tensor<1x96xf32>, %g: tensor<96xf32>, %w: tensor<96x64xf32>) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
  %0 = hamkaas.silu %x : tensor<1x96xf32>
  %1 = hamkaas.mul %0, %y : tensor<1x96xf32>, tensor<1x96xf32>
  %2 = hamkaas.matmul %1, %w : tensor<1x96xf32>, tensor<96x64xf32>
  %3 = hamkaas.mul %x, %y : tensor<1x96xf32>, tensor<1x96xf32>
  %4 = hamkaas.rms_norm %3, %g epsilon 1.0e-5 : tensor<1x96xf32>, tensor<96xf32>
  %5 = hamkaas.relu %4 : tensor<1x96xf32>
  %6 = hamkaas.matmul %5, %w : tensor<1x96xf32>, tensor<96x64xf32>
  return %2, %6 : tensor<1x64xf32>, tensor<1x64xf32>
}

// -----

// The epilogue of another product stays there, where it is computed once; also
// in front of a norm.

// CHECK-LABEL: func @epilogue(
// CHECK:         hamkaas.group contraction({{.*}}hamkaas.ops = "matmul+add+relu"
// CHECK:         hamkaas.group contraction({{.*}}hamkaas.ops = "matmul+relu"
// CHECK:         hamkaas.group contraction({{.*}}hamkaas.ops = "rms_norm+matmul"
// CHECK-NOT:     hamkaas.group
func.func @epilogue(%x: tensor<1x96xf32>, %g: tensor<96xf32>, %v: tensor<96x96xf32>, %w: tensor<96x64xf32>) -> tensor<1x64xf32> {
  %0 = hamkaas.matmul %x, %v : tensor<1x96xf32>, tensor<96x96xf32>
  %1 = hamkaas.add %0, %x : tensor<1x96xf32>, tensor<1x96xf32>
  %2 = hamkaas.relu %1 : tensor<1x96xf32>
  %3 = hamkaas.matmul %2, %v : tensor<1x96xf32>, tensor<96x96xf32>
  %4 = hamkaas.relu %3 : tensor<1x96xf32>
  %5 = hamkaas.rms_norm %4, %g epsilon 1.0e-5 : tensor<1x96xf32>, tensor<96xf32>
  %6 = hamkaas.matmul %5, %w : tensor<1x96xf32>, tensor<96x64xf32>
  return %6 : tensor<1x64xf32>
}

// -----

// Not: what others read, too; more rows than one; rows of no whole vectors;
// narrow products, which other kernels compute.

// CHECK-LABEL: func @others(
// CHECK-COUNT-4: hamkaas.ops = "rms_norm"
// CHECK-NOT:     rms_norm+
// CHECK:         return
func.func @others(%x: tensor<1x96xf32>, %g: tensor<96xf32>, %w: tensor<96x64xf32>, %x2: tensor<2x96xf32>, %x72: tensor<1x72xf32>, %g72: tensor<72xf32>, %w72: tensor<72x64xf32>, %w8: tensor<96x8xf32>) -> (tensor<1x64xf32>, tensor<1x96xf32>, tensor<2x64xf32>, tensor<1x64xf32>, tensor<1x8xf32>) {
  %0 = hamkaas.rms_norm %x, %g epsilon 1.0e-5 : tensor<1x96xf32>, tensor<96xf32>
  %1 = hamkaas.matmul %0, %w : tensor<1x96xf32>, tensor<96x64xf32>
  %2 = hamkaas.rms_norm %x2, %g epsilon 1.0e-5 : tensor<2x96xf32>, tensor<96xf32>
  %3 = hamkaas.matmul %2, %w : tensor<2x96xf32>, tensor<96x64xf32>
  %4 = hamkaas.rms_norm %x72, %g72 epsilon 1.0e-5 : tensor<1x72xf32>, tensor<72xf32>
  %5 = hamkaas.matmul %4, %w72 : tensor<1x72xf32>, tensor<72x64xf32>
  %6 = hamkaas.rms_norm %x, %g epsilon 1.0e-6 : tensor<1x96xf32>, tensor<96xf32>
  %7 = hamkaas.matmul %6, %w8 : tensor<1x96xf32>, tensor<96x8xf32>
  return %1, %0, %3, %5, %7 : tensor<1x64xf32>, tensor<1x96xf32>, tensor<2x64xf32>, tensor<1x64xf32>, tensor<1x8xf32>
}
