// RUN: hamkaas-opt %s -pass-pipeline='builtin.module(gpu.module(hamkaas-gpu-lower-device-code))' -verify-diagnostics

gpu.module @device {
  gpu.func @function_of_integers(%x: memref<4xi64>) kernel {
    %c0 = arith.constant 0 : index
    %i = memref.load %x[%c0] : memref<4xi64>
    // expected-error @below {{failed to legalize operation 'math.ipowi'}}
    %p = math.ipowi %i, %i : i64
    memref.store %p, %x[%c0] : memref<4xi64>
    gpu.return
  }
}
