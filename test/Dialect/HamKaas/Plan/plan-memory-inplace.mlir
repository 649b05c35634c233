// RUN: hamkaas-opt %s -split-input-file -hamkaas-plan-memory -hamkaas-verify-planned | FileCheck %s

// Each result takes the place of the operand that dies.

func.func private @k0(%a: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @relu(%a: memref<64xf32> {hamkaas.inplace}, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}

// CHECK-LABEL: func @main(
// CHECK-SAME:    memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>}
// CHECK-SAME:    #hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 1>
// CHECK-SAME:    #hamkaas.buffer<offset = 0, bytes = 256, first = 1, last = 2>
// CHECK-SAME:    #hamkaas.buffer<offset = 0, bytes = 256, first = 2, last = 3>
// CHECK-SAME:    hamkaas.workspace_lower_bound = 256 : i64
func.func @main(%x: memref<64xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}, %out: memref<64xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %c = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %a = memref.alloc() : memref<64xf32>
  call @k0(%x, %a) : (memref<64xf32>, memref<64xf32>) -> ()
  call @relu(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  call @relu(%b, %c) : (memref<64xf32>, memref<64xf32>) -> ()
  call @k0(%c, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// -----

// Not if the operand is used later, nor if the kernel does not allow it.

func.func private @relu(%a: memref<64xf32> {hamkaas.inplace}, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @flip(%a: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<movement>} {
  return
}

// CHECK-LABEL: func @main(
// CHECK-SAME:    memref<768xi8> {hamkaas.region = #hamkaas.region<workspace>}
func.func @main(%x: memref<64xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}, %out: memref<64xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  call @relu(%x, %a) : (memref<64xf32>, memref<64xf32>) -> ()
  call @relu(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  call @flip(%b, %c) : (memref<64xf32>, memref<64xf32>) -> ()
  call @flip(%c, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  call @flip(%a, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// -----

// The buffer dies, but another operand reads it at other elements.

func.func private @add(%a: memref<64xf32> {hamkaas.inplace}, %b: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}

// CHECK-LABEL: func @main(
// CHECK-SAME:    memref<512xi8> {hamkaas.region = #hamkaas.region<workspace>}
func.func @main(%x: memref<64xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}, %out: memref<64xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  call @add(%x, %x, %a) : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  call @add(%a, %a, %b) : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  call @add(%b, %b, %out) : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  return
}

// -----

// Only a part of the buffer is read: the rest has no counterpart.

func.func private @k0(%a: memref<128xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @relu(%a: memref<64xf32> {hamkaas.inplace}, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}

// CHECK-LABEL: func @main(
// CHECK-SAME:    memref<768xi8> {hamkaas.region = #hamkaas.region<workspace>}
func.func @main(%out: memref<64xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %a = memref.alloc() : memref<128xf32>
  %b = memref.alloc() : memref<64xf32>
  call @k0(%a) : (memref<128xf32>) -> ()
  %0 = memref.subview %a[0] [64] [1] : memref<128xf32> to memref<64xf32>
  call @relu(%0, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  call @relu(%b, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// -----

// A copy to a buffer from one that dies is nothing: the two get one place.

func.func private @k0(%a: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}

// CHECK-LABEL: func @main(
// CHECK-SAME:    memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>}
// CHECK-SAME:    hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 1>]
// CHECK:         call @k0
// CHECK-NEXT:    call @k0
// CHECK-NEXT:    return
func.func @main() {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  call @k0(%a) : (memref<64xf32>) -> ()
  memref.copy %a, %b : memref<64xf32> to memref<64xf32>
  call @k0(%b) : (memref<64xf32>) -> ()
  return
}
