// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v3 -hamkaas-to-kernels -hamkaas-cpu-emit-kernels | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-attach-target=target-cpu=x86-64-v4 -hamkaas-to-kernels -hamkaas-cpu-emit-kernels | FileCheck %s --check-prefix=LINE

// The matrices lie 4 KB apart, so that their lines evict each other: both
// vectors of a line of x are read, and of each row of results written, in turn.
// A vector of x86-64-v4 is a line.

// CHECK-LABEL: func.func private @k0(
// CHECK:         vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %[[FIRST:[^ ]*]]]
// CHECK-COUNT-3: vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %[[FIRST]]]
// CHECK:         vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %[[SECOND:[^ ]*]]]
// CHECK-COUNT-3: vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %[[SECOND]]]
// CHECK:         vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %[[FIRST]]]
// CHECK-COUNT-4: vector.transfer_write %{{.*}}, %[[FIRST]]]
// CHECK-COUNT-4: vector.transfer_write %{{.*}}, %[[SECOND]]]
// CHECK-COUNT-4: vector.transfer_write %{{.*}}, %[[FIRST]]]
// LINE-LABEL:  func.func private @k0(
// LINE-COUNT-16: vector.transfer_read
// LINE-NOT:      vector.transfer_read
// LINE:          return

// Rows beyond the result are written over its last one, before that.

// CHECK-LABEL: func.func private @k1(
// CHECK:         %[[LAST:.*]] = arith.minui %{{.*}}, %c2 : index
// CHECK-NEXT:    vector.transfer_write %{{.*}}[%{{.*}}, %[[LAST]], %{{.*}}, %{{.*}}]
// CHECK:         %[[LAST:.*]] = arith.minui %{{.*}}, %c2 : index
// CHECK-NEXT:    vector.transfer_write %{{.*}}[%{{.*}}, %[[LAST]], %{{.*}}, %{{.*}}]
// CHECK-NOT:     arith.minui
// CHECK:         vector.transfer_write
// CHECK-NOT:     arith.minui
// CHECK:         vector.transfer_write
// CHECK:         return

// However many channels there are.

// CHECK-LABEL: func.func private @k2(
// CHECK:         vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %[[FIRST:[^ ]*]]]
// CHECK-COUNT-3: vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %[[FIRST]]]
// CHECK:         vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %[[SECOND:[^ ]*]]]
// CHECK-COUNT-3: vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %[[SECOND]]]
// CHECK:         vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %[[FIRST]]]
// CHECK-COUNT-4: vector.transfer_write %{{.*}}, %[[FIRST]]]
// CHECK-COUNT-4: vector.transfer_write %{{.*}}, %[[SECOND]]]
func.func @main(%x: tensor<1x18x18x16xf32> {hamkaas.name = "x"}, %y: tensor<4x4x1x2x2x16xf32> {hamkaas.name = "y"}, %z: tensor<1x6x6x512xf32> {hamkaas.name = "z"}) -> (tensor<4x4x1x8x8x16xf32> {hamkaas.name = "a"}, tensor<1x3x4x16xf32> {hamkaas.name = "b"}, tensor<4x4x1x2x2x512xf32> {hamkaas.name = "c"}) {
  %0 = hamkaas.winograd_input %x tile 2 : tensor<1x18x18x16xf32>
  %1 = hamkaas.winograd_output %y to [3, 4] : tensor<4x4x1x2x2x16xf32>
  %2 = hamkaas.winograd_input %z tile 2 : tensor<1x6x6x512xf32>
  return %0, %1, %2 : tensor<4x4x1x8x8x16xf32>, tensor<1x3x4x16xf32>, tensor<4x4x1x2x2x512xf32>
}
