// RUN: hamkaas-opt %s -hamkaas-plan-memory=max-workspace=1024 -hamkaas-verify-planned | FileCheck %s
// RUN: not hamkaas-opt %s -hamkaas-plan-memory=max-workspace=512 2>&1 | FileCheck %s --check-prefix=SMALL

// The updates of both states are written to them at once. What is computed of
// the first one is read until then, and so computed again; what is computed of
// the second one is read later, and so kept.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[S:[a-z0-9]+]]: memref<1024xi8> {hamkaas.region = #hamkaas.region<state>}
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<1024xi8> {hamkaas.region = #hamkaas.region<workspace>}
// CHECK:         %[[FIRST:.*]] = memref.view %[[S]][%c0{{.*}}][] : memref<1024xi8> to memref<128xf32>
// CHECK:         call @cheap(%[[FIRST]], %{{[^)]*}}) {
// CHECK-NOT:     recomputed
// CHECK:         call @cheap(%[[FIRST]], %[[AGAIN:[^)]*]]) {{.*}}hamkaas.recomputed
// CHECK:         call @join(%[[AGAIN]],
// CHECK:         call @update(%{{.*}}, %[[FIRST]], %[[FIRST]])
// CHECK:         %[[SECOND:.*]] = memref.view %[[S]][%c512{{.*}}][] : memref<1024xi8> to memref<128xf32>
// CHECK:         call @cheap(%[[SECOND]], %[[KEPT:[^)]*]])
// CHECK:         call @update(%{{.*}}, %[[SECOND]], %[[SECOND]])
// CHECK-NOT:     recomputed
// CHECK:         call @join(%[[KEPT]],
// CHECK-NOT:     memref.copy
// CHECK:         return
// SMALL: expected a workspace of at most 512 bytes, got 1024, the least with results computed again
func.func private @cheap(%a: memref<128xf32>, %b: memref<128xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @large(%a: memref<128xf32>, %b: memref<128xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @join(%a: memref<128xf32>, %b: memref<128xf32>, %c: memref<128xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @update(%g: memref<128xf32>, %s: memref<128xf32> {hamkaas.inplace}, %new: memref<128xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%x: memref<128xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %s: memref<128xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %t: memref<128xf32> {hamkaas.name = "t", hamkaas.region = #hamkaas.region<state>},
                %y: memref<128xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>},
                %z: memref<128xf32> {hamkaas.name = "z", hamkaas.region = #hamkaas.region<output>}) {
  %a = memref.alloc() : memref<128xf32>
  %b = memref.alloc() : memref<128xf32>
  %c = memref.alloc() : memref<128xf32>
  %d = memref.alloc() : memref<128xf32>
  %s1 = memref.alloc() : memref<128xf32>
  %e = memref.alloc() : memref<128xf32>
  %t1 = memref.alloc() : memref<128xf32>
  call @cheap(%s, %a) {hamkaas.flops = 128} : (memref<128xf32>, memref<128xf32>) -> ()
  call @large(%a, %b) {hamkaas.flops = 100000} : (memref<128xf32>, memref<128xf32>) -> ()
  call @large(%b, %c) {hamkaas.flops = 100000} : (memref<128xf32>, memref<128xf32>) -> ()
  call @large(%c, %d) {hamkaas.flops = 100000} : (memref<128xf32>, memref<128xf32>) -> ()
  call @join(%a, %d, %y) : (memref<128xf32>, memref<128xf32>, memref<128xf32>) -> ()
  call @update(%x, %s, %s1) : (memref<128xf32>, memref<128xf32>, memref<128xf32>) -> ()
  call @cheap(%t, %e) {hamkaas.flops = 128} : (memref<128xf32>, memref<128xf32>) -> ()
  call @update(%e, %t, %t1) : (memref<128xf32>, memref<128xf32>, memref<128xf32>) -> ()
  call @join(%e, %t1, %z) : (memref<128xf32>, memref<128xf32>, memref<128xf32>) -> ()
  memref.copy %s1, %s : memref<128xf32> to memref<128xf32>
  memref.copy %t1, %t : memref<128xf32> to memref<128xf32>
  return
}
