// Maxima and minima hand on NaN in one instruction beside a constant, and with
// one masked move more otherwise, whose mask a loop computes once. Beside a
// constant, zeros are ordered as the interpreter orders them.

// RUN: hamkaas-compile %s --target-cpu=x86-64-v4 --emit=asm -o - | FileCheck %s

// CHECK-LABEL: {{^}}k0:
// CHECK-NOT:   vcmp
// CHECK:       vmaxps {{.*}}%zmm
// CHECK-NOT:   vcmp
// CHECK:       vminps {{.*}}%zmm
// CHECK-NOT:   vcmp
// CHECK-LABEL: {{^}}k1:
// CHECK-COUNT-1: vcmp
// CHECK-NOT:   vcmp
// CHECK:       vmaxps {{.*}}%zmm
// CHECK-NEXT:  vmovaps {{.*}} {%k{{[0-9]}}}
// CHECK-NOT:   vcmp
// CHECK-LABEL: {{^}}k2:
// CHECK:       vcmpnleps

// RUN: rm -rf %t && mkdir -p %t
// RUN: %python -c "import numpy as np; x = np.float32([np.nan, -0.0, 0.0, -1, 3, 7, np.inf, -np.inf] * 8); np.save('%t/x.npy', x); np.save('%t/1.npy', np.float32([1])); np.save('%t/nan.npy', np.float32([np.nan]))"
// DEFINE: %{lo} =
// DEFINE: %{run} = hamkaas-run %s --input=x=%t/x.npy --input=lo=%t/%{lo}.npy --digest
// DEFINE: %{shorten} = sed "s/ on [^:]*:/:/"
// REDEFINE: %{lo} = 1
// RUN: %{run} | %{shorten} > %t/cpu
// RUN: %{run} --device=reference | %{shorten} > %t/reference
// RUN: cmp %t/cpu %t/reference
// RUN: FileCheck %s --check-prefix=DIGEST < %t/cpu
// DIGEST-COUNT-4: digest of
// REDEFINE: %{lo} = nan
// RUN: %{run} | %{shorten} > %t/cpu
// RUN: %{run} --device=reference | %{shorten} > %t/reference
// RUN: cmp %t/cpu %t/reference
func.func @main(%x: tensor<64xf32> {hamkaas.name = "x"}, %lo: tensor<1xf32> {hamkaas.name = "lo"})
    -> (tensor<64xf32> {hamkaas.name = "clamped"}, tensor<64xf32> {hamkaas.name = "above"}, tensor<64xf32> {hamkaas.name = "positive"}, tensor<64xf32> {hamkaas.name = "negative"}) {
  %one = hamkaas.constant dense<1.0> : tensor<64xf32>
  %six = hamkaas.constant dense<6.0> : tensor<64xf32>
  %zero = hamkaas.constant dense<0.0> : tensor<64xf32>
  %minus = hamkaas.constant dense<-0.0> : tensor<64xf32>
  %0 = hamkaas.max %x, %one : tensor<64xf32>, tensor<64xf32>
  %1 = hamkaas.min %0, %six : tensor<64xf32>, tensor<64xf32>
  %2 = hamkaas.max %x, %lo : tensor<64xf32>, tensor<1xf32>
  %3 = hamkaas.max %x, %zero : tensor<64xf32>, tensor<64xf32>
  %4 = hamkaas.min %x, %minus : tensor<64xf32>, tensor<64xf32>
  return %1, %2, %3, %4 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
