// RUN: hamkaas-opt %s -split-input-file -hamkaas-plan-memory=share-rows=true -hamkaas-verify-planned | FileCheck %s
// RUN: hamkaas-opt %s -split-input-file -hamkaas-plan-memory -hamkaas-verify-planned | FileCheck %s --check-prefix=FREE

// A step has read its row when it writes that of the result, which lies there.

// CHECK-LABEL: func @main(
// CHECK:         hamkaas.repeat 8 of @loop0 rows(%[[ROWS:.*]]) values() carried() outputs(%[[ROWS]])
// FREE-LABEL:  func @main(
// FREE:          %[[ROWS:.*]] = memref.view %arg3[%c0][]
// FREE:          %[[RESULT:.*]] = memref.view %arg3[%c{{[1-9][0-9]*}}][]
// FREE:          hamkaas.repeat 8 of @loop0 rows(%[[ROWS]]) values() carried() outputs(%[[RESULT]])
func.func private @make(%a: memref<8x4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @use(%a: memref<8x4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  return
}
func.func private @sum(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @pick(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @add(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @loop0(%row: memref<4xf32> {hamkaas.name = "row", hamkaas.region = #hamkaas.region<input>},
                         %out: memref<4xf32> {hamkaas.name = "out", hamkaas.region = #hamkaas.region<output>}) attributes {hamkaas.loop} {
  %a = memref.alloc() : memref<4xf32>
  call @sum(%row, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  call @pick(%a, %out) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func @main(%y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %0 = memref.alloc() : memref<8x4xf32>
  call @make(%0) : (memref<8x4xf32>) -> ()
  %1 = memref.alloc() : memref<8x4xf32>
  hamkaas.repeat 8 of @loop0 rows(%0) values() carried() outputs(%1) : (memref<8x4xf32>, memref<8x4xf32>) -> ()
  call @use(%1, %y) : (memref<8x4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Not if it reads the row later.

// CHECK-LABEL: func @main(
// CHECK:         %[[ROWS:.*]] = memref.view %arg3[%c0][]
// CHECK:         %[[RESULT:.*]] = memref.view %arg3[%c{{[1-9][0-9]*}}][]
// CHECK:         hamkaas.repeat 8 of @loop0 rows(%[[ROWS]]) values() carried() outputs(%[[RESULT]])
func.func private @make(%a: memref<8x4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @use(%a: memref<8x4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  return
}
func.func private @sum(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @pick(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @add(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @loop0(%row: memref<4xf32> {hamkaas.name = "row", hamkaas.region = #hamkaas.region<input>},
                         %out: memref<4xf32> {hamkaas.name = "out", hamkaas.region = #hamkaas.region<output>}) attributes {hamkaas.loop} {
  %a = memref.alloc() : memref<4xf32>
  call @sum(%row, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  call @pick(%a, %out) : (memref<4xf32>, memref<4xf32>) -> ()
  call @sum(%row, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func @main(%y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %0 = memref.alloc() : memref<8x4xf32>
  call @make(%0) : (memref<8x4xf32>) -> ()
  %1 = memref.alloc() : memref<8x4xf32>
  hamkaas.repeat 8 of @loop0 rows(%0) values() carried() outputs(%1) : (memref<8x4xf32>, memref<8x4xf32>) -> ()
  call @use(%1, %y) : (memref<8x4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Not if one call reads and writes.

// CHECK-LABEL: func @main(
// CHECK:         %[[ROWS:.*]] = memref.view %arg3[%c0][]
// CHECK:         %[[RESULT:.*]] = memref.view %arg3[%c{{[1-9][0-9]*}}][]
// CHECK:         hamkaas.repeat 8 of @loop0 rows(%[[ROWS]]) values() carried() outputs(%[[RESULT]])
func.func private @make(%a: memref<8x4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @use(%a: memref<8x4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  return
}
func.func private @sum(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @pick(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @add(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @loop0(%row: memref<4xf32> {hamkaas.name = "row", hamkaas.region = #hamkaas.region<input>},
                         %out: memref<4xf32> {hamkaas.name = "out", hamkaas.region = #hamkaas.region<output>}) attributes {hamkaas.loop} {
  call @sum(%row, %out) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func @main(%y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %0 = memref.alloc() : memref<8x4xf32>
  call @make(%0) : (memref<8x4xf32>) -> ()
  %1 = memref.alloc() : memref<8x4xf32>
  hamkaas.repeat 8 of @loop0 rows(%0) values() carried() outputs(%1) : (memref<8x4xf32>, memref<8x4xf32>) -> ()
  call @use(%1, %y) : (memref<8x4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Not if the call that writes needs nothing of the one that reads, so that they
// may change places.

// CHECK-LABEL: func @main(
// CHECK:         %[[ROWS:.*]] = memref.view %arg3[%c0][]
// CHECK:         %[[RESULT:.*]] = memref.view %arg3[%c{{[1-9][0-9]*}}][]
// CHECK:         hamkaas.repeat 8 of @loop0 rows(%[[ROWS]]) values() carried() outputs(%[[RESULT]])
func.func private @make(%a: memref<8x4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @use(%a: memref<8x4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  return
}
func.func private @sum(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @pick(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @add(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @loop0(%row: memref<4xf32> {hamkaas.name = "row", hamkaas.region = #hamkaas.region<input>},
                         %out: memref<4xf32> {hamkaas.name = "out", hamkaas.region = #hamkaas.region<output>}) attributes {hamkaas.loop} {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  call @sum(%row, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  call @sum(%b, %out) : (memref<4xf32>, memref<4xf32>) -> ()
  call @add(%a, %b, %a) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func @main(%y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %0 = memref.alloc() : memref<8x4xf32>
  call @make(%0) : (memref<8x4xf32>) -> ()
  %1 = memref.alloc() : memref<8x4xf32>
  hamkaas.repeat 8 of @loop0 rows(%0) values() carried() outputs(%1) : (memref<8x4xf32>, memref<8x4xf32>) -> ()
  call @use(%1, %y) : (memref<8x4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Not if both are elementwise: their tiles may take turns.

// CHECK-LABEL: func @main(
// CHECK:         %[[ROWS:.*]] = memref.view %arg3[%c0][]
// CHECK:         %[[RESULT:.*]] = memref.view %arg3[%c{{[1-9][0-9]*}}][]
// CHECK:         hamkaas.repeat 8 of @loop0 rows(%[[ROWS]]) values() carried() outputs(%[[RESULT]])
func.func private @make(%a: memref<8x4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @use(%a: memref<8x4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  return
}
func.func private @sum(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @pick(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @add(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @loop0(%row: memref<4xf32> {hamkaas.name = "row", hamkaas.region = #hamkaas.region<input>},
                         %out: memref<4xf32> {hamkaas.name = "out", hamkaas.region = #hamkaas.region<output>}) attributes {hamkaas.loop} {
  %a = memref.alloc() : memref<4xf32>
  call @pick(%row, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  call @pick(%a, %out) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func @main(%y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %0 = memref.alloc() : memref<8x4xf32>
  call @make(%0) : (memref<8x4xf32>) -> ()
  %1 = memref.alloc() : memref<8x4xf32>
  hamkaas.repeat 8 of @loop0 rows(%0) values() carried() outputs(%1) : (memref<8x4xf32>, memref<8x4xf32>) -> ()
  call @use(%1, %y) : (memref<8x4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Not if the loop reads the same rows twice.

// CHECK-LABEL: func @main(
// CHECK:         %[[ROWS:.*]] = memref.view %arg3[%c0][]
// CHECK:         %[[RESULT:.*]] = memref.view %arg3[%c{{[1-9][0-9]*}}][]
// CHECK:         hamkaas.repeat 8 of @loop0 rows(%[[ROWS]], %[[ROWS]]) values() carried() outputs(%[[RESULT]])
func.func private @make(%a: memref<8x4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @use(%a: memref<8x4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<reduction>} {
  return
}
func.func private @sum(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @pick(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @add(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @loop0(%row: memref<4xf32> {hamkaas.name = "row", hamkaas.region = #hamkaas.region<input>},
                         %other: memref<4xf32> {hamkaas.name = "other", hamkaas.region = #hamkaas.region<input>},
                         %out: memref<4xf32> {hamkaas.name = "out", hamkaas.region = #hamkaas.region<output>}) attributes {hamkaas.loop} {
  %a = memref.alloc() : memref<4xf32>
  call @sum(%row, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  call @pick(%a, %out) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func @main(%y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %0 = memref.alloc() : memref<8x4xf32>
  call @make(%0) : (memref<8x4xf32>) -> ()
  %1 = memref.alloc() : memref<8x4xf32>
  hamkaas.repeat 8 of @loop0 rows(%0, %0) values() carried() outputs(%1) : (memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>) -> ()
  call @use(%1, %y) : (memref<8x4xf32>, memref<4xf32>) -> ()
  return
}
