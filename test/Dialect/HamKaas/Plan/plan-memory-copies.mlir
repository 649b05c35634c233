// RUN: hamkaas-opt %s -split-input-file -hamkaas-plan-memory=alignment=64 -hamkaas-verify-planned | FileCheck %s

// A kernel whose result is copied to a part of a buffer writes there, and the
// copy is gone. Of two copies the first counts.

// CHECK-NOT:   func private @copy(
// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<40xi8>
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<64xi8> {hamkaas.region = #hamkaas.region<workspace>}
// CHECK-SAME:    hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 40, first = 0, last = 2>]
// CHECK:         %[[A:.*]] = memref.view %[[W]][%c0{{.*}}][] : memref<64xi8> to memref<3xf32>
// CHECK:         call @make(%[[A]])
// CHECK:         %[[B:.*]] = memref.view %[[W]][%c12{{.*}}][] : memref<64xi8> to memref<7xf32>
// CHECK:         call @make7(%[[A]], %[[B]])
// CHECK:         call @use
// CHECK-NEXT:    return
func.func private @make(%a: memref<3xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @make7(%a: memref<3xf32>, %b: memref<7xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @copy(%a: memref<3xf32, strided<[?], offset: ?>>, %b: memref<3xf32, strided<[?], offset: ?>>) attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  return
}
func.func private @use(%a: memref<10xf32>, %b: memref<10xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%y: memref<10xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %a = memref.alloc() : memref<3xf32>
  %b = memref.alloc() : memref<7xf32>
  %ab = memref.alloc() : memref<10xf32>
  %a1 = memref.cast %a : memref<3xf32> to memref<3xf32, strided<[?], offset: ?>>
  %0 = memref.subview %ab[0] [3] [1] : memref<10xf32> to memref<3xf32, strided<[1]>>
  %1 = memref.cast %0 : memref<3xf32, strided<[1]>> to memref<3xf32, strided<[?], offset: ?>>
  %2 = memref.subview %ab[3] [7] [1] : memref<10xf32> to memref<7xf32, strided<[1], offset: 3>>
  call @make(%a) : (memref<3xf32>) -> ()
  call @make7(%a, %b) : (memref<3xf32>, memref<7xf32>) -> ()
  call @copy(%a1, %1) {hamkaas.copy} : (memref<3xf32, strided<[?], offset: ?>>, memref<3xf32, strided<[?], offset: ?>>) -> ()
  memref.copy %b, %2 : memref<7xf32> to memref<7xf32, strided<[1], offset: 3>>
  call @use(%ab, %y) : (memref<10xf32>, memref<10xf32>) -> ()
  return
}

// -----

// Copies to a copy: all lie in the output, except what is copied twice.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<24xi8>
// CHECK-SAME:    memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>}
// CHECK:         %[[A:.*]] = memref.view %[[Y]][%c8{{.*}}][] : memref<24xi8> to memref<2xf32>
// CHECK:         call @make(%[[A]])
// CHECK:         %[[AGAIN:.*]] = memref.view %[[Y]][%c16{{.*}}][] : memref<24xi8> to memref<2xf32>
// CHECK:         memref.copy %[[A]], %[[AGAIN]]
// CHECK:         %[[FIRST:.*]] = memref.view %[[Y]][%c0{{.*}}][] : memref<24xi8> to memref<2xf32>
// CHECK:         call @make(%[[FIRST]])
// CHECK-NEXT:    return
func.func private @make(%a: memref<2xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%y: memref<6xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %a = memref.alloc() : memref<2xf32>
  %aa = memref.alloc() : memref<4xf32>
  call @make(%a) : (memref<2xf32>) -> ()
  %0 = memref.subview %aa[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  %1 = memref.subview %aa[2] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 2>>
  memref.copy %a, %0 : memref<2xf32> to memref<2xf32, strided<[1]>>
  memref.copy %a, %1 : memref<2xf32> to memref<2xf32, strided<[1], offset: 2>>
  %2 = memref.subview %y[2] [4] [1] : memref<6xf32> to memref<4xf32, strided<[1], offset: 2>>
  memref.copy %aa, %2 : memref<4xf32> to memref<4xf32, strided<[1], offset: 2>>
  %3 = memref.subview %y[0] [2] [1] : memref<6xf32> to memref<2xf32, strided<[1]>>
  %4 = memref.cast %3 : memref<2xf32, strided<[1]>> to memref<2xf32>
  call @make(%4) : (memref<2xf32>) -> ()
  return
}

// -----

// A copy of an output is read where it was made; also one of a copy.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<24xi8>
// CHECK-SAME:    memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>}
// CHECK:         %[[A:.*]] = memref.view %[[Y]][%c8{{.*}}][] : memref<24xi8> to memref<4xf32>
// CHECK:         call @make(%[[A]])
// CHECK-NOT:     memref.copy
// CHECK:         %[[B:.*]] = memref.view %[[Y]][%c16{{.*}}][] : memref<24xi8> to memref<2xf32>
// CHECK:         call @use(%[[B]], %{{.*}})
// CHECK-NEXT:    return
func.func private @make(%a: memref<4xf32, strided<[?], offset: ?>>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @use(%a: memref<2xf32>, %b: memref<2xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%y: memref<6xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>},
                %z: memref<2xf32> {hamkaas.name = "z", hamkaas.region = #hamkaas.region<output>}) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<2xf32>
  %0 = memref.subview %y[2] [4] [1] : memref<6xf32> to memref<4xf32, strided<[1], offset: 2>>
  %1 = memref.cast %0 : memref<4xf32, strided<[1], offset: 2>> to memref<4xf32, strided<[?], offset: ?>>
  call @make(%1) : (memref<4xf32, strided<[?], offset: ?>>) -> ()
  memref.copy %0, %a : memref<4xf32, strided<[1], offset: 2>> to memref<4xf32>
  %2 = memref.subview %a[2] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 2>>
  memref.copy %2, %b : memref<2xf32, strided<[1], offset: 2>> to memref<2xf32>
  call @use(%b, %z) : (memref<2xf32>, memref<2xf32>) -> ()
  return
}

// -----

// The source is written to while the copy is still read, so is the copy, and the
// source is a state, which is written late.

// CHECK-LABEL: func @main(
// CHECK-COUNT-3: memref.copy
// CHECK:         return
func.func private @make(%a: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @both(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>},
                %z: memref<4xf32> {hamkaas.name = "z", hamkaas.region = #hamkaas.region<output>},
                %u: memref<4xf32> {hamkaas.name = "u", hamkaas.region = #hamkaas.region<output>}) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %c = memref.alloc() : memref<4xf32>
  call @make(%y) : (memref<4xf32>) -> ()
  memref.copy %y, %a : memref<4xf32> to memref<4xf32>
  call @make(%y) : (memref<4xf32>) -> ()
  call @both(%a, %u) : (memref<4xf32>, memref<4xf32>) -> ()
  call @make(%z) : (memref<4xf32>) -> ()
  memref.copy %z, %b : memref<4xf32> to memref<4xf32>
  call @make(%b) : (memref<4xf32>) -> ()
  call @both(%b, %u) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %s, %c : memref<4xf32> to memref<4xf32>
  call @both(%c, %u) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// The part is read before the copy, is written to after it while the source is
// still read, the source is written to after it, the target is a state of a run
// that may still fail.

// CHECK-LABEL: func @main(
// CHECK:         call @make
// CHECK-COUNT-4: memref.copy
// CHECK:         return
func.func private @make(%a: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @both(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @check(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  %c0 = arith.constant 0 : index
  %0 = memref.load %a[%c0] : memref<4xf32>
  %ok = arith.cmpf ord, %0, %0 : f32
  hamkaas.check %ok, "expected a number"()
  return
}
func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>},
                %z: memref<4xf32> {hamkaas.name = "z", hamkaas.region = #hamkaas.region<output>},
                %u: memref<4xf32> {hamkaas.name = "u", hamkaas.region = #hamkaas.region<output>},
                %v: memref<4xf32> {hamkaas.name = "v", hamkaas.region = #hamkaas.region<output>}) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %c = memref.alloc() : memref<4xf32>
  %d = memref.alloc() : memref<4xf32>
  call @make(%y) : (memref<4xf32>) -> ()
  call @make(%a) : (memref<4xf32>) -> ()
  call @both(%y, %v) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %a, %y : memref<4xf32> to memref<4xf32>
  call @make(%b) : (memref<4xf32>) -> ()
  memref.copy %b, %z : memref<4xf32> to memref<4xf32>
  call @make(%z) : (memref<4xf32>) -> ()
  call @both(%b, %v) : (memref<4xf32>, memref<4xf32>) -> ()
  call @make(%c) : (memref<4xf32>) -> ()
  memref.copy %c, %u : memref<4xf32> to memref<4xf32>
  call @make(%c) : (memref<4xf32>) -> ()
  call @both(%c, %v) : (memref<4xf32>, memref<4xf32>) -> ()
  call @make(%d) : (memref<4xf32>) -> ()
  call @check(%y, %v) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %d, %s : memref<4xf32> to memref<4xf32>
  return
}

// -----

// In the first part from the start, the result would be in use beside the large
// buffer: it takes 128 bytes, the source 64.

// CHECK-LABEL: func @main(
// CHECK-SAME:    memref<1088xi8> {hamkaas.region = #hamkaas.region<workspace>}
// CHECK:         memref.copy
func.func private @make(%a: memref<16xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @large(%a: memref<256xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @use(%a: memref<32xf32>, %b: memref<32xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%y: memref<32xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %a = memref.alloc() : memref<16xf32>
  %large = memref.alloc() : memref<256xf32>
  %aa = memref.alloc() : memref<32xf32>
  call @make(%a) : (memref<16xf32>) -> ()
  call @large(%large) : (memref<256xf32>) -> ()
  %0 = memref.subview %aa[0] [16] [1] : memref<32xf32> to memref<16xf32, strided<[1]>>
  memref.copy %a, %0 : memref<16xf32> to memref<16xf32, strided<[1]>>
  call @use(%aa, %y) : (memref<32xf32>, memref<32xf32>) -> ()
  return
}
