// RUN: hamkaas-compile %s --target=cuda --emit=ptx --gpu-arch=compute_90 | FileCheck %s
// RUN: hamkaas-compile %s --target=cuda --emit=ptx --gpu-arch=compute_89 | FileCheck %s --check-prefix=OLD
// RUN: hamkaas-compile %s --target=cuda --emit=ptx --gpu-arch=sm_89,sm_90 | FileCheck %s --check-prefix=OLD

// OLD-NOT: griddepcontrol

func.func @main(%x: tensor<100x64xf32> {hamkaas.name = "x"}, %p: tensor<1xi64> {hamkaas.name = "p"}) -> (tensor<100x64xf32> {hamkaas.name = "a"}, tensor<64x100xf32> {hamkaas.name = "b"}) {

// All that a kernel reads may be written by the kernel before.

// CHECK-LABEL: .entry k0_checks(
// CHECK-NOT:     ld.global
// CHECK:         griddepcontrol.wait;
// CHECK-NEXT:    griddepcontrol.launch_dependents;
// CHECK:         ld.global
// CHECK-LABEL: .entry k0(
// CHECK-NOT:     ld.global
// CHECK:         griddepcontrol.wait;
// CHECK-NEXT:    griddepcontrol.launch_dependents;
// CHECK:         ld.global
// OLD-LABEL:   .entry k0(
  %a = hamkaas.sliced_softmax %x prefix(%p) : tensor<100x64xf32>

// CHECK-LABEL: .entry k1(
// CHECK-NOT:     ld.global
// CHECK:         griddepcontrol.wait;
// CHECK-NEXT:    griddepcontrol.launch_dependents;
// CHECK:         ld.global.nc
// OLD-LABEL:   .entry k1(
  %b = hamkaas.permute %a[1, 0] : tensor<100x64xf32>
  return %a, %b : tensor<100x64xf32>, tensor<64x100xf32>
}
