// UNSUPPORTED: sanitizer
// The plug-in of a sanitized build needs a sanitized mlir-opt.

// RUN: mlir-opt %s --load-dialect-plugin=%build/lib/HamKaasPlugin.so \
// RUN:   --load-pass-plugin=%build/lib/HamKaasPlugin.so \
// RUN:   --pass-pipeline="builtin.module(hamkaas-form-groups)" | FileCheck %s

// CHECK: hamkaas.group contraction
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = hamkaas.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32>
  return %0 : tensor<4x16xf32>
}
