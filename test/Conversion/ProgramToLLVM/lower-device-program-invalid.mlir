// RUN: hamkaas-opt %s -hamkaas-lower-device-program -split-input-file -verify-diagnostics

// What is not PLANNED is refused before anything is changed.

// expected-error @below {{expected a function @main}}
module {
}

// -----

// So are kernels that are not in the device code.

func.func @main(%constants: memref<256xi8> {hamkaas.region = "constants"}, %state: memref<0xi8> {hamkaas.region = "state"}, %workspace: memref<0xi8> {hamkaas.region = "workspace"})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  %c0 = arith.constant 0 : index
  %0 = memref.view %constants[%c0][] : memref<256xi8> to memref<64xf32>
  call @k0(%0) : (memref<64xf32>) -> ()
  return
}
// expected-error @below {{expected a kernel of the device code}}
func.func private @k0(%x: memref<64xf32>) attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>} {
  return
}
