// RUN: hamkaas-opt %s -hamkaas-plan-memory=max-workspace=1024 -hamkaas-verify-planned | FileCheck %s
// RUN: hamkaas-opt %s -hamkaas-plan-memory=max-workspace=2048 -hamkaas-verify-planned | FileCheck %s --check-prefix=FREE
// RUN: not hamkaas-opt %s -hamkaas-plan-memory=max-workspace=512 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: hamkaas-opt %s -hamkaas-plan-memory='max-workspace=512 may-exceed=true' -hamkaas-verify-planned | FileCheck %s

// A plan that fits is left alone.

// FREE-NOT: hamkaas.recomputed

// The least is taken where it may exceed the limit.

// The result of the cheap kernel is computed again in front of its late reader,
// from a view of the input.

// CHECK-LABEL: func @main(
// CHECK:         call @cheap(%[[X:.*]], %{{.*}}) {hamkaas.call_index = 0 : i64, hamkaas.flops = 128 : i64}
// CHECK-NOT:     recomputed
// CHECK:         call @large(
// CHECK-NOT:     recomputed
// CHECK:         call @cheap(%[[X]], %{{.*}}) {{.*}}hamkaas.recomputed
// CHECK:         %[[A:.*]] = memref.view %arg4[%c0][] : memref<1024xi8> to memref<128xf32>
// CHECK:         call @join(%[[A]],
// SMALL: expected a workspace of at most 512 bytes, got 1024, the least with results computed again: the result of this kernel takes 512 bytes
func.func private @cheap(%a: memref<8x16xf32>, %b: memref<8x16xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @large(%a: memref<8x16xf32>, %b: memref<8x16xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @join(%a: memref<128xf32>, %b: memref<8x16xf32>, %c: memref<8x16xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%x: memref<128xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %y: memref<8x16xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %in = memref.expand_shape %x [[0, 1]] output_shape [8, 16] : memref<128xf32> into memref<8x16xf32>
  %a = memref.alloc() : memref<8x16xf32>
  %b = memref.alloc() : memref<8x16xf32>
  %c = memref.alloc() : memref<8x16xf32>
  %d = memref.alloc() : memref<8x16xf32>
  call @cheap(%in, %a) {hamkaas.flops = 128} : (memref<8x16xf32>, memref<8x16xf32>) -> ()
  call @large(%a, %b) {hamkaas.flops = 100000} : (memref<8x16xf32>, memref<8x16xf32>) -> ()
  call @large(%b, %c) {hamkaas.flops = 100000} : (memref<8x16xf32>, memref<8x16xf32>) -> ()
  call @large(%c, %d) {hamkaas.flops = 100000} : (memref<8x16xf32>, memref<8x16xf32>) -> ()
  %flat = memref.collapse_shape %a [[0, 1]] : memref<8x16xf32> into memref<128xf32>
  call @join(%flat, %d, %y) : (memref<128xf32>, memref<8x16xf32>, memref<8x16xf32>) -> ()
  return
}
