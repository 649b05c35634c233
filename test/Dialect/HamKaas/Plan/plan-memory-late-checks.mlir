// RUN: hamkaas-opt %s -split-input-file -hamkaas-plan-memory=alignment=64 -hamkaas-verify-planned | FileCheck %s

// A run that may still fail does not write to a state in place: from that step
// on a copy stands for it, also for other views of it.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[S:[a-z0-9]+]]: memref<64xi8> {hamkaas.region = #hamkaas.region<state>}
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<128xi8> {hamkaas.region = #hamkaas.region<workspace>}
// CHECK-DAG:     %[[STATE:.*]] = memref.view %[[S]][%c0{{.*}}][] : memref<64xi8> to memref<4xf32>
// CHECK:         call @make(%[[STATE]], %[[INDEX:[^)]*]])
// CHECK:         %[[COPY:.*]] = memref.view %[[W]][%{{.*}}][] : memref<128xi8> to memref<4xf32>
// CHECK:         memref.copy %[[STATE]], %[[COPY]]
// CHECK:         call @update(%{{.*}}, %[[COPY]])
// CHECK:         %[[ROW:.*]] = memref.view %[[W]][%{{.*}}][] : memref<128xi8> to memref<1x4xf32>
// CHECK:         call @take(%[[INDEX]], %[[ROW]], %{{.*}})
// CHECK:         memref.copy %[[COPY]], %[[STATE]]
// CHECK-NEXT:    return
func.func private @make(%s: memref<4xf32>, %i: memref<1xi64>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @update(%i: memref<1xi64>, %s: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  return
}
func.func private @take(%i: memref<1xi64, strided<[?], offset: ?>>, %s: memref<1x4xf32>, %y: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : i64
  %view = memref.cast %i : memref<1xi64, strided<[?], offset: ?>> to memref<?xi64, strided<[?], offset: ?>>
  %0 = memref.load %view[%c0] : memref<?xi64, strided<[?], offset: ?>>
  %ok = arith.cmpi slt, %0, %c8 : i64
  hamkaas.check %ok, "expected an index below 8, got {0}"(%0) : i64
  return
}
func.func @main(%x: memref<1xi64> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %i = memref.alloc() : memref<1xi64>
  call @make(%s, %i) : (memref<4xf32>, memref<1xi64>) -> ()
  call @update(%x, %s) : (memref<1xi64>, memref<4xf32>) -> ()
  %0 = memref.cast %i : memref<1xi64> to memref<1xi64, strided<[?], offset: ?>>
  %1 = memref.expand_shape %s [[0, 1]] output_shape [1, 4] : memref<4xf32> into memref<1x4xf32>
  call @take(%0, %1, %y) : (memref<1xi64, strided<[?], offset: ?>>, memref<1x4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Two states are updated at a place that the run computes. The second update
// checks what the first has checked, so that it cannot fail. Nor can those that
// check an input, or a state that has been checked before a state is written.

// CHECK-LABEL: func @main(
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func private @next(%x: memref<1xi64>, %i: memref<1xi64>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @update(%i: memref<1xi64>, %s: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : i64
  %0 = memref.load %i[%c0] : memref<1xi64>
  %ok = arith.cmpi slt, %0, %c4 : i64
  hamkaas.check %ok, "expected an index below 4, got {0}"(%0) : i64
  return
}
func.func @main(%x: memref<1xi64> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %p: memref<1xi64> {hamkaas.name = "p", hamkaas.region = #hamkaas.region<state>},
                %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %t: memref<4xf32> {hamkaas.name = "t", hamkaas.region = #hamkaas.region<state>},
                %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %i = memref.alloc() : memref<1xi64>
  call @next(%x, %i) : (memref<1xi64>, memref<1xi64>) -> ()
  call @update(%p, %y) : (memref<1xi64>, memref<4xf32>) -> ()
  call @update(%i, %s) : (memref<1xi64>, memref<4xf32>) -> ()
  call @update(%i, %t) : (memref<1xi64>, memref<4xf32>) -> ()
  call @update(%x, %t) : (memref<1xi64>, memref<4xf32>) -> ()
  call @update(%p, %t) : (memref<1xi64>, memref<4xf32>) -> ()
  return
}

// -----

// Here the place has another value when it is checked again. Nothing fails
// behind the update of the second state.

// CHECK-LABEL: func @main(
// CHECK:         memref.copy %[[S:.*]], %[[COPY:[^ ]*]]
// CHECK:         call @update(%{{.*}}, %[[COPY]])
// CHECK-NOT:     memref.copy
// CHECK:         memref.copy %[[COPY]], %[[S]]
// CHECK-NEXT:    return
func.func private @next(%x: memref<1xi64>, %i: memref<1xi64>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @update(%i: memref<1xi64>, %s: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : i64
  %0 = memref.load %i[%c0] : memref<1xi64>
  %ok = arith.cmpi slt, %0, %c4 : i64
  hamkaas.check %ok, "expected an index below 4, got {0}"(%0) : i64
  return
}
func.func @main(%x: memref<1xi64> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %t: memref<4xf32> {hamkaas.name = "t", hamkaas.region = #hamkaas.region<state>}) {
  %i = memref.alloc() : memref<1xi64>
  call @next(%x, %i) : (memref<1xi64>, memref<1xi64>) -> ()
  call @update(%i, %s) : (memref<1xi64>, memref<4xf32>) -> ()
  call @next(%x, %i) : (memref<1xi64>, memref<1xi64>) -> ()
  call @update(%i, %t) : (memref<1xi64>, memref<4xf32>) -> ()
  return
}

// -----

// A loop checks in each of its steps, after it has written.

// CHECK-LABEL: func @main(
// CHECK:         memref.copy %[[S:.*]], %[[COPY:[^ ]*]]
// CHECK:         hamkaas.repeat 3 of @loop0 rows(%{{.*}}) values() carried(%[[COPY]])
// CHECK-NEXT:    memref.copy %[[COPY]], %[[S]]
// CHECK-NEXT:    return
func.func private @update(%i: memref<1xi64>, %s: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : i64
  %0 = memref.load %i[%c0] : memref<1xi64>
  %ok = arith.cmpi slt, %0, %c4 : i64
  hamkaas.check %ok, "expected an index below 4, got {0}"(%0) : i64
  return
}
func.func private @loop0(%row: memref<1xi64> {hamkaas.name = "row", hamkaas.region = #hamkaas.region<input>},
                         %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>}) attributes {hamkaas.loop} {
  call @update(%row, %s) : (memref<1xi64>, memref<4xf32>) -> ()
  return
}
func.func @main(%x: memref<3x1xi64> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>}) {
  hamkaas.repeat 3 of @loop0 rows(%x) values() carried(%s) outputs() : (memref<3x1xi64>, memref<4xf32>) -> ()
  return
}

// -----

// New contents lie in their states if they are made behind the last check.

// CHECK-LABEL: func @main(
// CHECK-SAME:    memref<64xi8> {hamkaas.region = #hamkaas.region<workspace>}
// CHECK:         call @make(%[[EARLY:[^)]*]])
// CHECK:         call @take
// CHECK:         %[[T:.*]] = memref.view %{{.*}}[%c64{{.*}}][] : memref<{{.*}}xi8> to memref<4xf32>
// CHECK:         call @make(%[[T]])
// CHECK-NEXT:    %[[S:.*]] = memref.view %{{.*}}[%c0{{.*}}][] : memref<{{.*}}xi8> to memref<4xf32>
// CHECK-NEXT:    memref.copy %[[EARLY]], %[[S]]
// CHECK-NEXT:    return
func.func private @make(%s: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @take(%x: memref<4xf32>, %y: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %c0 = arith.constant 0 : index
  %0 = memref.load %x[%c0] : memref<4xf32>
  %ok = arith.cmpf ord, %0, %0 : f32
  hamkaas.check %ok, "expected a number"()
  return
}
func.func @main(%s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %t: memref<4xf32> {hamkaas.name = "t", hamkaas.region = #hamkaas.region<state>},
                %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  call @make(%a) : (memref<4xf32>) -> ()
  call @take(%a, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  call @make(%b) : (memref<4xf32>) -> ()
  memref.copy %a, %s : memref<4xf32> to memref<4xf32>
  memref.copy %b, %t : memref<4xf32> to memref<4xf32>
  return
}
