// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics -hamkaas-plan-memory=max-workspace=1024

// The error is at the largest of the buffers in use at the peak, the notes are
// at the others.

func.func private @k0(%a: memref<100xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @k1(%a: memref<100xf32>, %b: memref<200xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<row>} {
  return
}
func.func @main() {
  %a = memref.alloc() : memref<100xf32>
  %b = memref.alloc() : memref<200xf32>
  %c = memref.alloc() : memref<100xf32>
  // expected-note @below {{at the same time the result of this relu takes 400 bytes}}
  call @k0(%a) {hamkaas.ops = "relu"} : (memref<100xf32>) -> ()
  // expected-error @below {{expected a workspace of at most 1024 bytes, got 1536: the result of this rms_norm+mul takes 800 bytes}}
  call @k1(%a, %b) {hamkaas.ops = "rms_norm+mul"} : (memref<100xf32>, memref<200xf32>) -> ()
  call @k1(%c, %b) : (memref<100xf32>, memref<200xf32>) -> ()
  return
}

// -----

// No kernel runs again once a state that it read is overwritten, nor one that
// checks values.

func.func private @k1(%a: memref<128xf32>, %b: memref<128xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @k2(%a: memref<128xf32>, %b: memref<128xf32>, %c: memref<128xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%s: memref<128xf32> {hamkaas.name = "s", hamkaas.region = #hamkaas.region<state>},
                %y: memref<128xf32> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>}) {
  %a = memref.alloc() : memref<128xf32>
  %b = memref.alloc() : memref<128xf32>
  %c = memref.alloc() : memref<128xf32>
  // expected-error @below {{expected a workspace of at most 1024 bytes, got 1536: the result of this kernel takes 512 bytes}}
  call @k1(%s, %a) : (memref<128xf32>, memref<128xf32>) -> ()
  // expected-note @below {{at the same time}}
  call @k1(%y, %b) : (memref<128xf32>, memref<128xf32>) -> ()
  memref.copy %y, %s : memref<128xf32> to memref<128xf32>
  // expected-note @below {{at the same time}}
  call @k1(%b, %c) : (memref<128xf32>, memref<128xf32>) -> ()
  call @k2(%a, %c, %y) : (memref<128xf32>, memref<128xf32>, memref<128xf32>) -> ()
  return
}

// -----

// Within the limit.

func.func private @k0(%a: memref<256xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main() {
  %a = memref.alloc() : memref<256xf32>
  call @k0(%a) : (memref<256xf32>) -> ()
  return
}

// -----

func.func private @k0(%a: memref<4x2xf32, strided<[?, ?], offset: ?>>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%x: memref<4x4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}) {
  %0 = memref.subview %x[0, 0] [4, 2] [1, 1] : memref<4x4xf32> to memref<4x2xf32, strided<[4, 1]>>
  %1 = memref.cast %0 : memref<4x2xf32, strided<[4, 1]>> to memref<4x2xf32, strided<[?, ?], offset: ?>>
  // expected-error @below {{expected operand 0 to be a dense part of a buffer, got strides [4, 1] for sizes [4, 2]}}
  call @k0(%1) : (memref<4x2xf32, strided<[?, ?], offset: ?>>) -> ()
  return
}

// -----

func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}, %i: index {hamkaas.name = "i", hamkaas.region = #hamkaas.region<input>}) { // expected-error {{expected a dense buffer of static shape below 2^63 bytes, got 'index'}}
  return
}

// -----

func.func @main(%x: memref<4xf32> {hamkaas.name = "x"}) { // expected-error {{expected argument 0 of @main to have a region and a name}}
  return
}

// -----

func.func @main(%x: memref<4xf32> {hamkaas.region = #hamkaas.region<constants>}) { // expected-error {{expected a buffer with an index in the constants region as argument 0 of @main}}
  return
}

// -----

func.func @main(%x: memref<4xf32> {hamkaas.region = #hamkaas.region<constants>, hamkaas.index = 0 : i64}) { // expected-error {{expected constant 0 to be 'memref<8xf32>' everywhere, got 'memref<4xf32>' in @main}}
  return
}
func.func @prepare(%x: memref<8xf32> {hamkaas.region = #hamkaas.region<constants>, hamkaas.index = 0 : i64}) {
  return
}

// -----

func.func @main(%x: memref<9223372036854775807xi8> {hamkaas.region = #hamkaas.region<state>, hamkaas.name = "s"}) { // expected-error {{expected a region of less than 2^63 bytes, with 'tensor<9223372036854775807xi8>' it is larger}}
  return
}

// -----

func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}) -> memref<4xf32> {
  // expected-error @below {{expected a call of a kernel, a loop, a copy, an allocation or a view, got func.return with operands}}
  return %x : memref<4xf32>
}

// -----

func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected a call of a kernel, a loop, a copy, an allocation or a view, got memref.load with operands}}
  %0 = memref.load %x[%c0] : memref<4xf32>
  return
}

// -----

func.func private @k0(%a: memref<4xf32>) -> memref<4xf32> attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return %a : memref<4xf32>
}
func.func @main(%x: memref<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}) {
  // expected-error @below {{expected a kernel without results, got 'memref<4xf32>'}}
  %0 = call @k0(%x) : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

func.func private @k0(%a: index) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected operand 0 to be a buffer, got 'index'}}
  call @k0(%c0) : (index) -> ()
  return
}

// -----

memref.global "private" constant @positions : memref<2xi64> = dense<3>
func.func private @k0(%a: memref<1xi64, strided<[?], offset: ?>>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main() {
  %0 = memref.get_global @positions : memref<2xi64>
  %1 = memref.subview %0[1] [1] [1] : memref<2xi64> to memref<1xi64, strided<[1], offset: 1>>
  %2 = memref.cast %1 : memref<1xi64, strided<[1], offset: 1>> to memref<1xi64, strided<[?], offset: ?>>
  // expected-error @below {{expected operand 0 to be a whole global}}
  call @k0(%2) : (memref<1xi64, strided<[?], offset: ?>>) -> ()
  return
}

// -----

func.func private @k0(%a: memref<4xf32, strided<[?], offset: ?>>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%x: memref<8xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}) {
  %i = arith.constant 2 : index
  // expected-error @below {{expected a view at an offset known at compile time}}
  %0 = memref.subview %x[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
  %1 = memref.cast %0 : memref<4xf32, strided<[1], offset: ?>> to memref<4xf32, strided<[?], offset: ?>>
  call @k0(%1) : (memref<4xf32, strided<[?], offset: ?>>) -> ()
  return
}

// -----

func.func private @loop0(memref<16xi8>)

func.func @main(%x: memref<5x4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}) {
  // expected-error @below {{expected a loop that comes before @main, got @loop0}}
  hamkaas.repeat 5 of @loop0 rows(%x) values() carried() outputs() : (memref<5x4xf32>) -> ()
  return
}
