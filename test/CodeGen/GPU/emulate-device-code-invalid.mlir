// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics -hamkaas-gpu-emulate

gpu.module @device {
  // expected-error @below {{expected dense memrefs of static shape and numbers as arguments, got 'memref<?xf32>'}}
  gpu.func @dynamic(%x: memref<?xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @device {
  // expected-error @below {{expected dense memory of static shape for a block or a thread, got 'memref<?xf32, #gpu.address_space<workgroup>>'}}
  gpu.func @dynamic() workgroup(%x: memref<?xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @device {
  // expected-error @below {{expected kernels and constants, got 'gpu.func'}}
  gpu.func @function() {
    gpu.return
  }
}

// -----

gpu.module @device {
  // expected-error @below {{expected a constant}}
  memref.global @variable : memref<4xf32> = uninitialized
}

// -----

gpu.module @device {
  gpu.func @print() kernel {
    // expected-error @below {{expected an operation that can be emulated, got 'gpu.printf'}}
    gpu.printf "x"
    gpu.return
  }
}

// -----

gpu.module @device {
  gpu.func @numbered() kernel {
    %id = arith.constant 1 : i32
    // expected-error @below {{expected an operation that can be emulated, got 'nvvm.barrier'}}
    nvvm.barrier id = %id
    gpu.return
  }
}

// -----

gpu.module @device {
  // expected-error @below {{expected dense memrefs of static shape and numbers as arguments, got 'vector<4xf32>'}}
  gpu.func @vector(%x: vector<4xf32>, %n: i32) kernel {
    gpu.return
  }
}

// -----

gpu.module @device {
  gpu.func @shuffle(%x: memref<1xf32>) kernel {
    %n = arith.constant 32 : i32
    %v = arith.constant dense<0.0> : vector<4xf32>
    // expected-error @below {{expected a number of at most 64 bits, got 'vector<4xf32>'}}
    %0, %1 = gpu.shuffle xor %v, %n, %n : vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @device {
  gpu.func @copy(%x: memref<4xf32>, %y: memref<4xf32>) kernel {
    // expected-error @below {{expected an access whose elements are known, got 'memref.copy'}}
    memref.copy %x, %y : memref<4xf32> to memref<4xf32>
    gpu.return
  }
}

// -----

gpu.module @device {
  gpu.func @truncate(%x: f32) kernel {
    // expected-error @below {{expected a conversion that rounds to the nearest, ties away from zero}}
    %0 = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rz>}
    gpu.return
  }
}

// -----

gpu.module @device {
  gpu.func @truncate(%x: f32) kernel {
    // expected-error @below {{expected a conversion that rounds to the nearest, ties to even}}
    %0 = nvvm.convert.f32x2.to.bf16x2 %x, %x {rnd = #nvvm.fp_rnd_mode<rz>} : vector<2xbf16>
    gpu.return
  }
}

// -----

gpu.module @device {
  gpu.func @small(%a: i32, %c: f32) kernel {
    // expected-error @below {{expected a product of 16 x 8 x 8 tf32 or of 16 x 8 x 16 bf16, with sums of float32}}
    %0 = nvvm.mma.sync A[%a, %a] B[%a] C[%c, %c, %c, %c] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, k = 4>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    gpu.return
  }
}
