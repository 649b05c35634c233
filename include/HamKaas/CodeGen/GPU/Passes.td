//===- Passes.td - Passes that turn kernels into GPU code -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_GPU_PASSES
#define HAMKAAS_CODEGEN_GPU_PASSES

include "mlir/Pass/PassBase.td"

def RoundFactors : Pass<"hamkaas-gpu-round-factors", "mlir::ModuleOp"> {
  let summary = "round factors of tensor cores in memory";
  let description = [{
    Before: groups of linalg operations. After: groups of their own have rounded
    factors of contractions by tensor cores, those of parameters when the
    program is loaded.

    * `tf32`: parameters, which stay float32. Tensor cores truncate others.
    * `bf16`: both factors of a large contraction become bfloat16, which
      `linalg.generic`s in its group widen again. The result is the same, since
      it rounds its factors anyway, but a block of threads reads half as much.
      Both must be worth it: a parameter, or a tensor that is large and read
      often.

    Other precisions stay as they are. Run it before `hamkaas-cpu-pack-parameters` and `hamkaas-hoist-parameters`.
  }];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::arith::ArithDialect",
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect",
  ];
}

def EmitDeviceKernels
    : Pass<"hamkaas-gpu-emit-kernels", "mlir::func::FuncOp"> {
  let summary = "emit kernels for thread blocks";
  let description = [{
    Emits what a single warp computes slowly. `hamkaas-cpu-emit-kernels`, which
    is to run afterwards, emits all others.

    The iterations of the tile loop are the warps of all blocks;
    `hamkaas.block_warps` consecutive ones are a block. They share memory of the
    address space `workgroup` and synchronize at `gpu.barrier`s.

    * Shared-memory GEMM, for contractions of eight rows or more, convolutions
      among them: both sides are copied to shared memory, asynchronously, for
      all warps of the block.
    * Split-K, for contractions of fewer rows: each warp sums a chunk of the
      depth, and shared memory adds up the sums.

    Unless the precision of the target is `exact`, the former use tensor cores
    by `nvvm.mma.sync`, which round the factors.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
    "mlir::gpu::GPUDialect", "mlir::LLVM::LLVMDialect",
    "mlir::memref::MemRefDialect", "mlir::nvgpu::NVGPUDialect",
    "mlir::NVVM::NVVMDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect", "mlir::vector::VectorDialect",
  ];
}

def FuseCalls : Pass<"hamkaas-gpu-fuse-calls", "mlir::ModuleOp"> {
  let summary = "run independent calls in one launch";
  let description = [{
    Horizontal fusion in the form PLANNED. Calls of a run that use nothing
    another one writes become one call of a kernel whose body is calls of
    theirs, with `hamkaas.fused_calls`: the numbers of their arguments. The
    result is in the form PLANNED again, but only for GPUs: the launch has the
    blocks of all of them, which run in any order.

    A call joins a launch before it, or one that can be delayed until then. It
    needs thread blocks of the same size, unless any size will do. At most one
    kernel of a launch may fill a GPU. Calls with run-time checks run together
    only if they check the same; others keep their order. What lasts after a run
    is written neither earlier nor later than the checks allow.

    Small copies join launches, too, as kernels. Others stay copies.

    Run it after `hamkaas-plan-memory` and before lanes are distributed.
  }];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect",
  ];
}

def DistributeToThreads
    : Pass<"hamkaas-gpu-distribute-to-threads", "mlir::func::FuncOp"> {
  let summary = "distribute vectors over the threads of a warp";
  let description = [{
    SIMT distribution. Before: a bufferized GPU kernel, on vectors of at most
    32 lanes, or of 64 or 128. After: the same on scalars, run by the 32
    threads of a warp. Thread `gpu.lane_id` holds its lane of each vector. A
    vector of fewer lanes leaves the other threads without a meaningful value;
    with more lanes, a thread has two or four neighbouring elements as a
    vector, which it moves at once where they are aligned. Scalars have the
    same value in all threads, so loops and branches are uniform.

    Memory: a vector access becomes an element per thread, at the first index
    plus the lane. Threads without an element, or masked out, read another one
    and write nothing; the first thread writes scalars. Lanes exchange values
    by `gpu.shuffle` of 32 bits. `nvvm.bar.warp.sync` separates conflicting
    accesses of two threads.

    Operations of `llvm` and `nvvm`, and a `memref.store` with
    `hamkaas.lane_store`, are per thread already. A kernel without vectors
    stays as it is, for threads that run a tile each. Afterwards the function
    has `hamkaas.tile_runner`.

    Fails, with an error at the operation, on one that has no such form.
  }];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::NVVM::NVVMDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect",
  ];
}

def OutlineDeviceCode
    : Pass<"hamkaas-gpu-outline-device-code", "mlir::ModuleOp"> {
  let summary = "outline kernels to a gpu.module";
  let description = [{
    Before: kernels after SIMT distribution. After: each is a `gpu.func` of the
    module `@device`. In its place stands a declaration with
    `hamkaas.device_kernel`, the numbers of its functions in the module.

    The function takes the kernel's arguments, then `failure`, five numbers in
    device memory, and the number of the call. A warp, or a thread, runs one
    tile; blocks have few warps where there are few tiles. `known_block_size`
    and `known_grid_size` are the launch. `hamkaas.shared_bytes` is the dynamic
    shared memory for the scratch memory of the warps.

    A kernel with checks has a second function `<name>_checks` for one thread,
    to be launched before it with the same arguments. A failed check writes its
    values to `failure`, behind 1 + the call, unless one failed before. In a
    program with checks, kernels do nothing after a failed one.

    A kernel with `hamkaas.fused_calls` is one function, whose blocks are those
    of its kernels, one after the other, all with the threads of the largest.
    Kernels without other calls have no function then.

    Kernels of `hamkaas.engine_call` stay as they are.

    Constants that host functions or kernels refer to are copied to the module.
    Arguments have the LLVM attributes that hold in all calls: alignment, and
    whether they alias what the kernel writes. Accesses of several elements
    state their alignment; asynchronous copies are split where it is too small.
  }];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::memref::MemRefDialect",
    "mlir::nvgpu::NVGPUDialect", "mlir::scf::SCFDialect",
  ];
}

def LowerDeviceCode
    : Pass<"hamkaas-gpu-lower-device-code", "mlir::gpu::GPUModuleOp"> {
  let summary = "lower a gpu.module to the NVVM dialect";
  let description = [{
    Buffers become addresses, indices 64-bit integers. Functions of the `math`
    dialect with an instruction use it; others become calls to NVIDIA's
    libdevice, which are declared (`__nv_...`). bfloat16 values are integers in
    memory and are converted by arithmetic, as on the CPU.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::LLVM::LLVMDialect", "mlir::NVVM::NVVMDialect",
  ];
}

def EmulateDeviceCode : Pass<"hamkaas-gpu-emulate", "mlir::ModuleOp"> {
  let summary = "turn GPU kernels into CPU code for one thread";
  let description = [{
    Before: `gpu.module`s of kernels on numbers and memrefs of static shape,
    with workgroup and private memory. After: for each kernel a function `(ptr
    arguments, ptr thread)`, an `emulation::EmulatedFunction`, to be lowered by
    `hamkaas-kernels-to-llvm`. The global `@hamkaas_device_image`, an
    `emulation::EmulatedImage`, takes the place of PTX, and the modules are
    gone.

    Barriers, warp syncs, shuffles and asynchronous copies become calls of the
    emulator, `lib/Emulation`; with `check-accesses`, so does each load and
    store. Memory spaces vanish: all addresses are those of the process.
    `nvvm.mma.sync` on tf32 and bf16 adds its products in float64.

    Fails, with an error at the operation, on one that has no emulation.
  }];
  let options = [
    Option<"checkAccesses", "check-accesses", "bool", /*default=*/"true",
           "Tell the emulator of each access to memory">,
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
  ];
}

#endif // HAMKAAS_CODEGEN_GPU_PASSES
