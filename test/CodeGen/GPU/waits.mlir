// RUN: hamkaas-compile %s --target=cuda --emit=ptx --gpu-arch=compute_90 | FileCheck %s
// RUN: hamkaas-compile %s --target=cuda --emit=ptx --gpu-arch=compute_89 | FileCheck %s --check-prefix=OLD
// RUN: hamkaas-compile %s --target=cuda --emit=ptx --gpu-arch=sm_89,sm_90 | FileCheck %s --check-prefix=OLD

// OLD-NOT: griddepcontrol

func.func @main(%x: tensor<100x64xf32> {hamkaas.name = "x"}, %p: tensor<1xi64> {hamkaas.name = "p"}) -> (tensor<100x64xf32> {hamkaas.name = "a"}, tensor<64x100xf32> {hamkaas.name = "b"}) {

// Inputs and constants stay the same in a run, so any cache will do.

// CHECK-LABEL: .entry k0_checks(
// CHECK-NOT:     ld.global
// CHECK:         griddepcontrol.wait;
// CHECK-NEXT:    griddepcontrol.launch_dependents;
// CHECK:         ld.global
// CHECK-LABEL: .entry k0(
// CHECK-NOT:     ld.global
// CHECK:         griddepcontrol.wait;
// CHECK-NEXT:    griddepcontrol.launch_dependents;
// CHECK:         ld.global.b64
// CHECK:         ld.global.nc
// OLD-LABEL:   .entry k0(
// OLD:           ld.global.nc
  %a = hamkaas.sliced_softmax %x prefix(%p) : tensor<100x64xf32>

// The kernel before may still write what this one reads: that must not come from
// a cache that is not coherent.

// CHECK-LABEL: .entry k1(
// CHECK-NOT:     ld.global
// CHECK:         griddepcontrol.wait;
// CHECK-NEXT:    griddepcontrol.launch_dependents;
// CHECK-NOT:     ld.global.nc
// CHECK:         ld.global.b32
// CHECK-NOT:     ld.global.nc
// OLD-LABEL:   .entry k1(
// OLD:           ld.global.nc
  %b = hamkaas.permute %a[1, 0] : tensor<100x64xf32>
  return %a, %b : tensor<100x64xf32>, tensor<64x100xf32>
}
