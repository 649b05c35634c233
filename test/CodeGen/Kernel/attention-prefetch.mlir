// RUN: hamkaas-opt %s -hamkaas-to-kernels=target-cpu=x86-64-v4 | hamkaas-opt -hamkaas-cpu-emit-kernels | FileCheck %s

// A step of decoding with large caches. Scores of a vector of keys, if one of
// them is seen, prefetch the lines of the keys four vectors ahead, and of the
// values that belong to these: 64 and 64 of float32, or 32 and 32 of float16.

// CHECK-LABEL:    func.func private @k0(
// CHECK:            scf.if
// CHECK:            else
// CHECK-COUNT-128:  memref.prefetch {{.*}}, read, locality<2>, data : memref<107520xf32>
// CHECK-NOT:        memref.prefetch
// CHECK-LABEL:    func.func private @k1(
// CHECK:            scf.if
// CHECK:            else
// CHECK-COUNT-64:   memref.prefetch {{.*}}, read, locality<2>, data : memref<107520xf16>
// CHECK-NOT:        memref.prefetch
func.func @main(%q: tensor<3x2x64xf32> {hamkaas.name = "q"}, %k: tensor<3x560x64xf32> {hamkaas.name = "k"}, %v: tensor<3x560x64xf32> {hamkaas.name = "v"}, %l: tensor<3x560x64xf16> {hamkaas.name = "l"}, %w: tensor<3x560x64xf16> {hamkaas.name = "w"}, %m: tensor<1x1x560xi1> {hamkaas.name = "m"}) -> (tensor<3x2x64xf32> {hamkaas.name = "y"}, tensor<3x2x64xf32> {hamkaas.name = "z"}) {
  %y = hamkaas.attention %q, %k, %v mask %m scale 0.25 : tensor<3x2x64xf32>, tensor<3x560x64xf32>, tensor<3x560x64xf32> mask tensor<1x1x560xi1>
  %wideL = hamkaas.cast %l : tensor<3x560x64xf16> -> tensor<3x560x64xf32>
  %wideW = hamkaas.cast %w : tensor<3x560x64xf16> -> tensor<3x560x64xf32>
  %z = hamkaas.attention %q, %wideL, %wideW mask %m scale 0.25 : tensor<3x2x64xf32>, tensor<3x560x64xf32>, tensor<3x560x64xf32> mask tensor<1x1x560xi1>
  return %y, %z : tensor<3x2x64xf32>, tensor<3x2x64xf32>
}
