// RUN: hamkaas-opt %s -split-input-file -hamkaas-plan-memory=alignment=64 -hamkaas-verify-planned | FileCheck %s

// On a GPU an engine does not know that a check has failed, not even one of an
// input. So its result is copied to a state, by what does know it.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[S:[a-z0-9]+]]: memref<64xi8> {hamkaas.region = #hamkaas.region<state>}
// CHECK:         call @product(%{{.*}}, %[[RESULT:[^)]*]])
// CHECK:         %[[STATE:.*]] = memref.view %[[S]]
// CHECK:         memref.copy %[[RESULT]], %[[STATE]]
func.func private @check(%i: memref<1xi64>, %y: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : i64
  %0 = memref.load %i[%c0] : memref<1xi64>
  %ok = arith.cmpi slt, %0, %c4 : i64
  hamkaas.check %ok, "expected an index below 4, got {0}"(%0) : i64
  return
}
func.func private @product(%x: memref<4xf32>, %y: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  hamkaas.engine_call <id = "engine", version = "1", library = "/lib/engine.so", group = "hamkaas-group 1\0Adevice cuda\0Ainput float32 4\0A", knobs = "", workspace = 0, packed = 0, packs = false> ins(%x) outs(%y) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %i: memref<1xi64> {hamkaas.name = "i", hamkaas.region = #hamkaas.region<input>},
                %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %r = memref.alloc() : memref<4xf32>
  call @check(%i, %y) : (memref<1xi64>, memref<4xf32>) -> ()
  call @product(%x, %r) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %r, %s : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Without checks it writes the state itself.

// CHECK-LABEL: func @main(
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func private @product(%x: memref<4xf32>, %y: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  hamkaas.engine_call <id = "engine", version = "1", library = "/lib/engine.so", group = "hamkaas-group 1\0Adevice cuda\0Ainput float32 4\0A", knobs = "", workspace = 0, packed = 0, packs = false> ins(%x) outs(%y) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>}) {
  %r = memref.alloc() : memref<4xf32>
  call @product(%x, %r) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %r, %s : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Nor does one on the CPU run after a check that failed.

// CHECK-LABEL: func @main(
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func private @check(%i: memref<1xi64>, %y: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : i64
  %0 = memref.load %i[%c0] : memref<1xi64>
  %ok = arith.cmpi slt, %0, %c4 : i64
  hamkaas.check %ok, "expected an index below 4, got {0}"(%0) : i64
  return
}
func.func private @product(%x: memref<4xf32>, %y: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  hamkaas.engine_call <id = "engine", version = "1", library = "/lib/engine.so", group = "hamkaas-group 1\0Ainput float32 4\0A", knobs = "", workspace = 0, packed = 0, packs = false> ins(%x) outs(%y) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %i: memref<1xi64> {hamkaas.name = "i", hamkaas.region = #hamkaas.region<input>},
                %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %r = memref.alloc() : memref<4xf32>
  call @check(%i, %y) : (memref<1xi64>, memref<4xf32>) -> ()
  call @product(%x, %r) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %r, %s : memref<4xf32> to memref<4xf32>
  return
}

// -----

// A loop with such an engine gets a copy of the state that it would change in
// place.

// CHECK-LABEL: func @main(
// CHECK:         memref.copy
// CHECK:         hamkaas.repeat
// CHECK:         memref.copy
// CHECK-NEXT:    return
func.func private @check(%i: memref<1xi64>, %y: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : i64
  %0 = memref.load %i[%c0] : memref<1xi64>
  %ok = arith.cmpi slt, %0, %c4 : i64
  hamkaas.check %ok, "expected an index below 4, got {0}"(%0) : i64
  return
}
func.func private @product(%x: memref<4xf32>, %y: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  hamkaas.engine_call <id = "engine", version = "1", library = "/lib/engine.so", group = "hamkaas-group 1\0Adevice cuda\0Ainput float32 4\0A", knobs = "", workspace = 0, packed = 0, packs = false> ins(%x) outs(%y) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func private @loop0(%row: memref<4xf32> {hamkaas.name = "row", hamkaas.region = #hamkaas.region<input>},
                         %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>}) attributes {hamkaas.loop} {
  call @product(%row, %s) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func @main(%x: memref<3x4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %i: memref<1xi64> {hamkaas.name = "i", hamkaas.region = #hamkaas.region<input>},
                %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  call @check(%i, %y) : (memref<1xi64>, memref<4xf32>) -> ()
  hamkaas.repeat 3 of @loop0 rows(%x) values() carried(%s) outputs() : (memref<3x4xf32>, memref<4xf32>) -> ()
  return
}
