// RUN: hamkaas-opt %s -hamkaas-lower-device-program -split-input-file -verify-diagnostics

// A module that is not PLANNED is refused before anything is changed.

// expected-error @below {{expected a function @main}}
module {
}

// -----

// expected-error @below {{expected argument 0 to be the bytes of a region, got 'tensor<4xf32>'}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}) {
  return
}

// -----

// expected-error @below {{expected a function @main}}
module {
  func.func private @main(memref<4xi8>)
}

// -----

// So are kernels that are not in the device code.

func.func @main(%constants: memref<256xi8> {hamkaas.region = #hamkaas.region<constants>}, %state: memref<0xi8> {hamkaas.region = #hamkaas.region<state>}, %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  %c0 = arith.constant 0 : index
  %0 = memref.view %constants[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-error @below {{expected @k0 to be a kernel of the device code}}
  call @k0(%0) {hamkaas.call_index = 0 : i64} : (memref<64xf32>) -> ()
  return
}
func.func private @k0(%x: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}

// -----

// Nothing would name the call in an error of the run.

func.func @main(%constants: memref<256xi8> {hamkaas.region = #hamkaas.region<constants>}, %state: memref<0xi8> {hamkaas.region = #hamkaas.region<state>}, %workspace: memref<0xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  %c0 = arith.constant 0 : index
  %0 = memref.view %constants[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-error @below {{expected the attribute hamkaas.call_index on the call of @k0}}
  call @k0(%0) : (memref<64xf32>) -> ()
  return
}
func.func private @k0(memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>, hamkaas.device_kernel = #hamkaas.device_kernel<0>}
