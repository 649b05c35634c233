// RUN: hamkaas-opt %s -hamkaas-plan-memory=max-workspace=1024 -hamkaas-verify-planned | FileCheck %s

// The source of a copy is computed again behind it, too. Both lie in one
// place, as the first ones do, so that no copy is left.

// CHECK-LABEL: func @main(
// CHECK-NOT:     memref.copy
// CHECK:         call @cheap(%[[X:.*]], %{{.*}}) {hamkaas.call_index = 0 : i64, hamkaas.flops = 128 : i64}
// CHECK-NOT:     memref.copy
// CHECK:         call @large(
// CHECK:         call @cheap(%[[X]], %[[A:.*]]) {{.*}}hamkaas.recomputed
// CHECK-NOT:     memref.copy
// CHECK:         call @join(%[[A]],
func.func private @cheap(%a: memref<8x16xf32>, %b: memref<8x16xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @large(%a: memref<8x16xf32>, %b: memref<8x16xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @join(%a: memref<8x16xf32>, %b: memref<8x16xf32>, %c: memref<8x16xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%x: memref<8x16xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %y: memref<8x16xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %a = memref.alloc() : memref<8x16xf32>
  %copy = memref.alloc() : memref<8x16xf32>
  %b = memref.alloc() : memref<8x16xf32>
  %c = memref.alloc() : memref<8x16xf32>
  %d = memref.alloc() : memref<8x16xf32>
  call @cheap(%x, %a) {hamkaas.flops = 128} : (memref<8x16xf32>, memref<8x16xf32>) -> ()
  memref.copy %a, %copy : memref<8x16xf32> to memref<8x16xf32>
  call @large(%copy, %b) {hamkaas.flops = 100000} : (memref<8x16xf32>, memref<8x16xf32>) -> ()
  call @large(%b, %c) {hamkaas.flops = 100000} : (memref<8x16xf32>, memref<8x16xf32>) -> ()
  call @large(%c, %d) {hamkaas.flops = 100000} : (memref<8x16xf32>, memref<8x16xf32>) -> ()
  call @join(%copy, %d, %y) : (memref<8x16xf32>, memref<8x16xf32>, memref<8x16xf32>) -> ()
  return
}
