// RUN: hamkaas-opt %s -split-input-file -hamkaas-plan-memory=alignment=64 -hamkaas-verify-planned | FileCheck %s

// An elementwise kernel writes the new contents of a state over those that it
// reads. Readers before it see the old ones, readers after it the new ones.

// CHECK-LABEL: func @main(
// CHECK-SAME:    memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>}
// CHECK:         call @apart(%[[X:[^,]*]], %[[S:[^,]*]], %[[Y:[^)]*]])
// CHECK:         call @update(%[[X]], %[[S]], %[[S]])
// CHECK:         call @apart(%[[Y]], %[[S]], %{{.*}})
// CHECK-NEXT:    return
func.func private @update(%g: memref<4xf32>, %s: memref<4xf32> {hamkaas.inplace}, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @apart(%g: memref<4xf32>, %s: memref<4xf32>, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @flat(%g: memref<4xf32>, %s: memref<2x2xf32> {hamkaas.inplace}, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>},
                %z: memref<4xf32> {hamkaas.name = "z", hamkaas.region = #hamkaas.region<output>}) {
  %new = memref.alloc() : memref<4xf32>
  call @apart(%x, %s, %y) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  call @update(%x, %s, %new) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  call @apart(%y, %new, %z) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %new, %s : memref<4xf32> to memref<4xf32>
  return
}

// -----

// A kernel that reads elements after it has written others needs a place apart.

// CHECK-LABEL: func @main(
// CHECK:         memref.copy %{{.*}}, %{{.*}}
// CHECK:         return
func.func private @update(%g: memref<4xf32>, %s: memref<4xf32> {hamkaas.inplace}, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @apart(%g: memref<4xf32>, %s: memref<4xf32>, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @flat(%g: memref<4xf32>, %s: memref<2x2xf32> {hamkaas.inplace}, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %new = memref.alloc() : memref<4xf32>
  call @apart(%x, %s, %new) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %new, %s : memref<4xf32> to memref<4xf32>
  return
}

// -----

// The state is an operand twice, and once not one that may be written over.

// CHECK-LABEL: func @main(
// CHECK:         memref.copy %{{.*}}, %{{.*}}
// CHECK:         return
func.func private @update(%g: memref<4xf32>, %s: memref<4xf32> {hamkaas.inplace}, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @apart(%g: memref<4xf32>, %s: memref<4xf32>, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @flat(%g: memref<4xf32>, %s: memref<2x2xf32> {hamkaas.inplace}, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %new = memref.alloc() : memref<4xf32>
  call @update(%s, %s, %new) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %new, %s : memref<4xf32> to memref<4xf32>
  return
}

// -----

// The old contents are read later.

// CHECK-LABEL: func @main(
// CHECK:         memref.copy %{{.*}}, %{{.*}}
// CHECK:         return
func.func private @update(%g: memref<4xf32>, %s: memref<4xf32> {hamkaas.inplace}, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @apart(%g: memref<4xf32>, %s: memref<4xf32>, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @flat(%g: memref<4xf32>, %s: memref<2x2xf32> {hamkaas.inplace}, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %new = memref.alloc() : memref<4xf32>
  call @update(%x, %s, %new) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  call @apart(%x, %s, %y) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %new, %s : memref<4xf32> to memref<4xf32>
  return
}

// -----

// The kernel reads the state in another shape, so perhaps in another order.

// CHECK-LABEL: func @main(
// CHECK:         memref.copy %{{.*}}, %{{.*}}
// CHECK:         return
func.func private @update(%g: memref<4xf32>, %s: memref<4xf32> {hamkaas.inplace}, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @apart(%g: memref<4xf32>, %s: memref<4xf32>, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @flat(%g: memref<4xf32>, %s: memref<2x2xf32> {hamkaas.inplace}, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %new = memref.alloc() : memref<4xf32>
  %square = memref.expand_shape %s [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  call @flat(%x, %square, %new) : (memref<4xf32>, memref<2x2xf32>, memref<4xf32>) -> ()
  memref.copy %new, %s : memref<4xf32> to memref<4xf32>
  return
}

// -----

// It reads another part of the state than it writes.

// CHECK-LABEL: func @main(
// CHECK:         memref.copy %{{.*}}, %{{.*}}
// CHECK:         return
func.func private @update(%g: memref<4xf32>, %s: memref<4xf32, strided<[1], offset: ?>> {hamkaas.inplace}, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @apart(%g: memref<4xf32>, %s: memref<4xf32>, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @flat(%g: memref<4xf32>, %s: memref<2x2xf32> {hamkaas.inplace}, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %s: memref<8xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %new = memref.alloc() : memref<4xf32>
  %right = memref.subview %s[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  %4 = memref.cast %right : memref<4xf32, strided<[1], offset: 4>> to memref<4xf32, strided<[1], offset: ?>>
  call @update(%x, %4, %new) : (memref<4xf32>, memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) -> ()
  %left = memref.subview %s[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  memref.copy %new, %left : memref<4xf32> to memref<4xf32, strided<[1], offset: 2>>
  return
}

// -----

// The run may still fail after the update, by a check of what it has computed.

// CHECK-LABEL: func @main(
// CHECK:         call @update(%{{[^,]*}}, %[[S:[^,]*]], %[[NEW:[^)]*]])
// CHECK:         call @check(%[[NEW]]
// CHECK:         memref.copy %[[NEW]], %[[S]]
// CHECK-NEXT:    return
func.func private @update(%g: memref<4xf32>, %s: memref<4xf32> {hamkaas.inplace}, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @apart(%g: memref<4xf32>, %s: memref<4xf32>, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @flat(%g: memref<4xf32>, %s: memref<2x2xf32> {hamkaas.inplace}, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
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
                %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %new = memref.alloc() : memref<4xf32>
  call @update(%x, %s, %new) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  call @check(%new, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %new, %s : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Two states swap their contents, each with a factor.

// CHECK-LABEL: func @main(
// CHECK:         call @apart(%{{[^,]*}}, %[[T:[^,]*]], %[[NEW:[^)]*]])
// CHECK:         call @apart(%{{[^,]*}}, %[[S:[^,]*]], %[[T]])
// CHECK:         memref.copy %[[NEW]], %[[S]]
// CHECK-NEXT:    return
func.func private @update(%g: memref<4xf32>, %s: memref<4xf32> {hamkaas.inplace}, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @apart(%g: memref<4xf32>, %s: memref<4xf32>, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<contraction>} {
  return
}
func.func private @flat(%g: memref<4xf32>, %s: memref<2x2xf32> {hamkaas.inplace}, %new: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>},
                %s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %y: memref<4xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>},
                %t: memref<4xf32> {hamkaas.name = "t", hamkaas.region = #hamkaas.region<state>}) {
  %new = memref.alloc() : memref<4xf32>
  %newt = memref.alloc() : memref<4xf32>
  call @apart(%x, %t, %new) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  call @apart(%x, %s, %newt) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  memref.copy %new, %s : memref<4xf32> to memref<4xf32>
  memref.copy %newt, %t : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Slices of an update are written into the state, though they are copied to
// another buffer at first. Each reads its part of the old contents.

// CHECK-LABEL: func @main(
// CHECK-SAME:    %{{.*}}: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>}
// CHECK:         %[[FIRST:.*]] = memref.view %[[S:.*]][%c0][] : memref<64xi8> to memref<2xf32>
// CHECK:         call @update(%[[FIRST]], %[[FIRST]])
// CHECK:         %[[SECOND:.*]] = memref.view %[[S]][%c8][] : memref<64xi8> to memref<2xf32>
// CHECK:         call @update(%[[SECOND]], %[[SECOND]])
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func private @update(%a: memref<2xf32, strided<[?], offset: ?>> {hamkaas.inplace}, %b: memref<2xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%s: memref<4xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>}) {
  %s0 = memref.subview %s[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  %s1 = memref.subview %s[2] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 2>>
  %old0 = memref.cast %s0 : memref<2xf32, strided<[1]>> to memref<2xf32, strided<[?], offset: ?>>
  %old1 = memref.cast %s1 : memref<2xf32, strided<[1], offset: 2>> to memref<2xf32, strided<[?], offset: ?>>
  %a = memref.alloc() : memref<2xf32>
  %b = memref.alloc() : memref<2xf32>
  %x = memref.alloc() : memref<4xf32>
  %x0 = memref.subview %x[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  %x1 = memref.subview %x[2] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 2>>
  call @update(%old0, %a) : (memref<2xf32, strided<[?], offset: ?>>, memref<2xf32>) -> ()
  call @update(%old1, %b) : (memref<2xf32, strided<[?], offset: ?>>, memref<2xf32>) -> ()
  memref.copy %a, %x0 : memref<2xf32> to memref<2xf32, strided<[1]>>
  memref.copy %b, %x1 : memref<2xf32> to memref<2xf32, strided<[1], offset: 2>>
  memref.copy %x, %s : memref<4xf32> to memref<4xf32>
  return
}
