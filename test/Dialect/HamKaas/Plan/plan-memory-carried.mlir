// RUN: hamkaas-opt %s -split-input-file -hamkaas-plan-memory -hamkaas-verify-planned | FileCheck %s

// A step computes the next value of an iter arg in its place, if it reads each
// element before it writes it.

// CHECK-LABEL: func private @loop0(
// CHECK:         %[[CELL:.*]] = memref.view %arg1
// CHECK:         call @add(%{{.*}}, %[[CELL]], %[[CELL]])
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func private @add(%a: memref<4xf32>, %b: memref<4xf32> {hamkaas.inplace}, %c: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @loop0(%row: memref<4xf32> {hamkaas.name = "row", hamkaas.region = #hamkaas.region<input>},
                         %cell: memref<4xf32> {hamkaas.name = "cell", hamkaas.region = #hamkaas.region<state>}) attributes {hamkaas.loop} {
  %a = memref.alloc() : memref<4xf32>
  call @add(%row, %cell, %a) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %a, %cell : memref<4xf32> to memref<4xf32>
  return
}
func.func @main(%x: memref<8x4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}, %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  hamkaas.repeat 8 of @loop0 rows(%x) values() carried(%y) outputs() : (memref<8x4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Not if another call reads the old value later.

// CHECK-LABEL: func private @loop0(
// CHECK:         %[[CELL:.*]] = memref.view %arg1
// CHECK:         call @add(%{{.*}}, %[[CELL]], %[[NEXT:[^)]*]])
// CHECK:         call @add(%{{.*}}, %[[CELL]], %{{.*}})
// CHECK:         memref.copy %[[NEXT]], %[[CELL]]
func.func private @add(%a: memref<4xf32>, %b: memref<4xf32> {hamkaas.inplace}, %c: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @loop0(%row: memref<4xf32> {hamkaas.name = "row", hamkaas.region = #hamkaas.region<input>},
                         %cell: memref<4xf32> {hamkaas.name = "cell", hamkaas.region = #hamkaas.region<state>},
                         %out: memref<4xf32> {hamkaas.name = "out", hamkaas.region = #hamkaas.region<output>}) attributes {hamkaas.loop} {
  %a = memref.alloc() : memref<4xf32>
  call @add(%row, %cell, %a) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  call @add(%row, %cell, %out) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %a, %cell : memref<4xf32> to memref<4xf32>
  return
}
func.func @main(%x: memref<8x4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}, %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}, %z: memref<8x4xf32> {hamkaas.name = "z", hamkaas.region = #hamkaas.region<output>}) {
  hamkaas.repeat 8 of @loop0 rows(%x) values() carried(%y) outputs(%z) : (memref<8x4xf32>, memref<4xf32>, memref<8x4xf32>) -> ()
  return
}
