// Groups that an engine computes hold one call of it, others are dissolved.
// RUN: hamkaas-opt %s --pass-pipeline="builtin.module(hamkaas-use-engines{engines=sample:rows=2 verify=true path=%engines/hamkaas-engine-sample.so})" | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-attach-target=target=cpu "-hamkaas-run-phase=phase=kernels engine=sample verify-engines=true engine-path=%engines/hamkaas-engine-sample.so" | FileCheck %s --check-prefix=KERNELS
// RUN: hamkaas-opt %s --pass-pipeline="builtin.module(hamkaas-to-kernels{target=cpu engine=sample verify-engines=true engine-path=%engines/hamkaas-engine-sample.so})" | FileCheck %s --check-prefix=KERNELS

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<4x8xf32> {{.*}}, %[[S:[a-z0-9]+]]: tensor<1xi64>
func.func @main(%x: tensor<4x8xf32> {hamkaas.name = "x"}, %s: tensor<1xi64> {hamkaas.name = "s"}) -> (tensor<4x8xf32> {hamkaas.name = "y"}) {
  // CHECK-NEXT: %[[Y:.*]] = hamkaas.group  row(%[[X]])
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<4x8xf32>):
  // CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<4x8xf32>
  // CHECK-NEXT: %[[CALL:.*]] = hamkaas.engine_call <id = "sample", version = "1.0", library = "{{.*}}hamkaas-engine-sample.so", group = "hamkaas-group 1\0Ainput float32 4 8\0Anode sliced_softmax 0 : float32 4 8\0Aattribute static_prefix integer 8\0Ascript\0A{{.*}}", knobs = "rows=2", workspace = 0, packed = 0, packs = false> ins(%[[A]]) outs(%[[EMPTY]])
  // CHECK-NEXT: hamkaas.yield %[[CALL]]
  // KERNELS: hamkaas.engine_call <id = "sample"
  %0 = hamkaas.sliced_softmax %x static_prefix 8 : tensor<4x8xf32>
  // CHECK: hamkaas.sliced_softmax %[[Y]] prefix(%[[S]])
  // CHECK-NEXT: return
  %1 = hamkaas.sliced_softmax %0 prefix(%s) : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
