// RUN: hamkaas-opt %s -hamkaas-lower-program -split-input-file -verify-diagnostics

// A module that is not PLANNED is refused before anything is changed.

// expected-error @below {{expected a function @main}}
module {
}

// -----

// expected-error @below {{expected argument 0 of @main to be bytes, got 'tensor<4xf32>'}}
func.func @main(%x: tensor<4xf32> {hamkaas.name = "x", hamkaas.region = #hamkaas.region<input>}) {
  return
}

// -----

// expected-error @below {{expected a function @main}}
module {
  func.func private @main(memref<4xi8>)
}

// -----

func.func @main(%workspace: memref<256xi8> {hamkaas.region = #hamkaas.region<workspace>})
    attributes {hamkaas.workspace_lower_bound = 0 : i64, hamkaas.buffers = []} {
  // expected-error @below {{expected a call of a kernel, a loop, a copy or a view of a region, got memref.alloc}}
  %0 = memref.alloc() : memref<64xf32>
  return
}
