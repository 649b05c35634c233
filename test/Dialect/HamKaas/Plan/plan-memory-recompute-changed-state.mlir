// RUN: hamkaas-opt %s -hamkaas-plan-memory=max-workspace=1536 -hamkaas-verify-planned | FileCheck %s
// RUN: not hamkaas-opt %s -hamkaas-plan-memory=max-workspace=1024 2>&1 | FileCheck %s --check-prefix=SMALL

// A value of a state cannot be computed again behind the state's update, which
// is written to it at once. To keep the old contents would take as much.

// CHECK-LABEL: func @main(
// CHECK:         call @cheap(%[[S:[^,]*]], %[[A:[^)]*]])
// CHECK:         call @update(%{{.*}}, %[[S]], %[[S]])
// CHECK:         call @join(%[[A]],
// CHECK-NOT:     memref.copy
// CHECK:         return
// SMALL: expected a workspace of at most 1024 bytes, got 1536: the result of this kernel takes 512 bytes
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
func.func @main(%s: memref<128xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %y: memref<128xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %a = memref.alloc() : memref<128xf32>
  %b = memref.alloc() : memref<128xf32>
  %c = memref.alloc() : memref<128xf32>
  %d = memref.alloc() : memref<128xf32>
  %new = memref.alloc() : memref<128xf32>
  call @cheap(%s, %a) {hamkaas.flops = 128} : (memref<128xf32>, memref<128xf32>) -> ()
  call @large(%a, %b) {hamkaas.flops = 100000} : (memref<128xf32>, memref<128xf32>) -> ()
  call @update(%b, %s, %new) : (memref<128xf32>, memref<128xf32>, memref<128xf32>) -> ()
  call @large(%b, %c) {hamkaas.flops = 100000} : (memref<128xf32>, memref<128xf32>) -> ()
  call @large(%c, %d) {hamkaas.flops = 100000} : (memref<128xf32>, memref<128xf32>) -> ()
  call @join(%a, %d, %y) : (memref<128xf32>, memref<128xf32>, memref<128xf32>) -> ()
  memref.copy %new, %s : memref<128xf32> to memref<128xf32>
  return
}
