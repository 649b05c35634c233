// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics -hamkaas-verify-planned

// A module in this form, with a buffer that replaces another.

func.func private @k0(%a: memref<64xf32>, %out: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%x: memref<256xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>},
                %constants: memref<0xi8> {hamkaas.region = #hamkaas.region<constants>},
                %state: memref<0xi8> {hamkaas.region = #hamkaas.region<state>},
                %workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 1>,
                                   #hamkaas.buffer<offset = 0, bytes = 256, first = 1, last = 1>]} {
  %c0 = arith.constant 0 : index
  %0 = memref.view %x[%c0][] : memref<256xi8> to memref<64xf32>
  %1 = memref.view %workspace[%c0][] : memref<256xi8> to memref<64xf32>
  call @k0(%0, %1) {hamkaas.call_index = 0 : i64} : (memref<64xf32>, memref<64xf32>) -> ()
  call @k0(%1, %1) {hamkaas.call_index = 1 : i64} : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// -----

// expected-error @below {{expected a function @main}}
module {
}

// -----

// expected-error @below {{expected argument 0 of @main to be bytes, got 'memref<64xf32>'}}
func.func @main(%x: memref<64xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}) {
  return
}

// -----

// expected-error @below {{expected argument 0 of @main to have a region}}
func.func @main(%x: memref<64xi8> {hamkaas.name = "x"}) {
  return
}

// -----

// expected-error @below {{expected argument 0 of @main to have a name and a type}}
func.func @main(%x: memref<64xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}) {
  return
}

// -----

// expected-error @below {{expected argument 0 of @main to hold 'tensor<64xf32>', got 64 bytes}}
func.func @main(%x: memref<64xi8> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>, hamkaas.type = tensor<64xf32>}) {
  return
}

// -----

// expected-error @below {{expected @main to have the attributes 'hamkaas.buffers' and 'hamkaas.workspace_lower_bound'}}
func.func @main(%workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>}) {
  return
}

// -----

// expected-error @below {{expected a buffer within the workspace of 256 bytes, got #hamkaas.buffer<offset = 256, bytes = 256, first = 0, last = 0>}}
func.func @main(%workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.buffers = [#hamkaas.buffer<offset = 256, bytes = 256, first = 0, last = 0>]} {
  return
}

// -----

func.func private @k0(%a: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
// expected-error @below {{expected buffers in use at step 0 not to overlap, got offsets 0 and 128}}
func.func @main(%workspace: memref<512xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 0>,
                                   #hamkaas.buffer<offset = 128, bytes = 256, first = 0, last = 0>]} {
  %c0 = arith.constant 0 : index
  %0 = memref.view %workspace[%c0][] : memref<512xi8> to memref<64xf32>
  call @k0(%0) {hamkaas.call_index = 0 : i64} : (memref<64xf32>) -> ()
  return
}

// -----

func.func private @k0(%a: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 256 : i64,
                hamkaas.buffers = [#hamkaas.buffer<offset = 0, bytes = 256, first = 0, last = 0>]} {
  %c0 = arith.constant 0 : index
  %0 = memref.view %workspace[%c0][] : memref<256xi8> to memref<64xf32>
  call @k0(%0) {hamkaas.call_index = 0 : i64} : (memref<64xf32>) -> ()
  // expected-error @below {{expected bytes 0 to 256 of the workspace to lie in a buffer in use at step 1}}
  call @k0(%0) {hamkaas.call_index = 1 : i64} : (memref<64xf32>) -> ()
  return
}

// -----

func.func @main(%workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  %c4 = arith.constant 4 : index
  // expected-error @below {{expected a view within the region of 256 bytes, got offset 4 and 256 bytes}}
  %0 = memref.view %workspace[%c4][] : memref<256xi8> to memref<64xf32>
  return
}

// -----

func.func @main(%workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  %c2 = arith.constant 2 : index
  // expected-error @below {{expected an offset that is a multiple of 4, got 2}}
  %0 = memref.view %workspace[%c2][] : memref<256xi8> to memref<8xf32>
  return
}

// -----

func.func private @f(%a: memref<64xf32>) {
  return
}
func.func @main(%workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  %c0 = arith.constant 0 : index
  %0 = memref.view %workspace[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-error @below {{expected @f to be a kernel}}
  call @f(%0) {hamkaas.call_index = 0 : i64} : (memref<64xf32>) -> ()
  return
}

// -----

func.func private @k0(%a: memref<256xi8>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  // expected-error @below {{expected the operands to be views of regions}}
  call @k0(%workspace) {hamkaas.call_index = 0 : i64} : (memref<256xi8>) -> ()
  return
}

// -----

func.func @main(%workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  // expected-error @below {{expected a call of a kernel, a loop, a copy or a view of a region, got memref.alloc}}
  %0 = memref.alloc() : memref<64xf32>
  return
}

// -----

func.func private @k0(%x: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>}, %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  %c0 = arith.constant 0 : index
  %0 = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-error @below {{expected hamkaas.call_index 0 on this call, got none}}
  call @k0(%0) : (memref<64xf32>) -> ()
  return
}

// -----

func.func private @k0(%x: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func @main(%y: memref<256xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<64xf32>}, %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  %c0 = arith.constant 0 : index
  %0 = memref.view %y[%c0][] : memref<256xi8> to memref<64xf32>
  call @k0(%0) {hamkaas.call_index = 0} : (memref<64xf32>) -> ()
  // expected-error @below {{expected hamkaas.call_index 1 on this call, got 0}}
  call @k0(%0) {hamkaas.call_index = 0} : (memref<64xf32>) -> ()
  return
}

// -----

// A loop that two places repeat would give its calls two numbers.

func.func private @k0(%x: memref<4xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
func.func private @loop0(%row: memref<16xi8> {hamkaas.name = "row0", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<4xf32>}, %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.loop, hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  %c0 = arith.constant 0 : index
  %0 = memref.view %row[%c0][] : memref<16xi8> to memref<4xf32>
  // expected-error @below {{expected hamkaas.call_index 1 on this call, got 0}}
  call @k0(%0) {hamkaas.call_index = 0} : (memref<4xf32>) -> ()
  return
}
func.func @main(%y: memref<32xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<2x4xf32>}, %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  %c0 = arith.constant 0 : index
  %0 = memref.view %y[%c0][] : memref<32xi8> to memref<2x4xf32>
  %1 = memref.view %workspace[%c0][] : memref<0xi8> to memref<0xi8>
  hamkaas.repeat 2 of @loop0 rows() values() carried() outputs(%0) workspace(%1) : (memref<2x4xf32>, memref<0xi8>) -> ()
  hamkaas.repeat 2 of @loop0 rows() values() carried() outputs(%0) workspace(%1) : (memref<2x4xf32>, memref<0xi8>) -> ()
  return
}

// -----

// Loops stand before who repeats them, so none repeats itself.

func.func @main(%y: memref<32xi8> {hamkaas.name = "y", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<2x4xf32>}, %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  %c0 = arith.constant 0 : index
  %0 = memref.view %y[%c0][] : memref<32xi8> to memref<2x4xf32>
  %1 = memref.view %workspace[%c0][] : memref<0xi8> to memref<0xi8>
  // expected-error @below {{expected the body of @loop0 before @main}}
  hamkaas.repeat 2 of @loop0 rows() values() carried() outputs(%0) workspace(%1) : (memref<2x4xf32>, memref<0xi8>) -> ()
  return
}
func.func private @loop0(%row: memref<16xi8> {hamkaas.name = "row0", hamkaas.region = #hamkaas.region<output>, hamkaas.type = tensor<4xf32>}, %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.loop, hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  return
}
