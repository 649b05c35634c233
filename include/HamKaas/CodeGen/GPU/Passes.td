//===- Passes.td - Passes that turn kernels into GPU code -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_GPU_PASSES
#define HAMKAAS_CODEGEN_GPU_PASSES

include "mlir/Pass/PassBase.td"

def UseCublasLt : Pass<"hamkaas-gpu-use-cublaslt", "mlir::ModuleOp"> {
  let summary = "mark the products of matrices that cuBLASLt can compute";
  let description = [{
    Gives groups that are a product of float32 matrices, with a bias, a residual
    and then an activation (`relu`, or `gelu` that approximates by `tanh`) the
    attribute `hamkaas.matmul`, which `hamkaas-outline-kernels` hands on. Their
    right sides are not packed. Others are left as they are, for kernels of ours.

    Run it after `hamkaas-form-groups`, on operations of GRAPH.
  }];
  let dependentDialects = ["hamkaas::HamKaasDialect"];
}

def EmitDeviceKernels
    : Pass<"hamkaas-gpu-emit-kernels", "mlir::func::FuncOp"> {
  let summary = "turn kernels into loops for blocks of threads";
  let description = [{
    Emits what single warps are slow at. `hamkaas-cpu-emit-kernels`, which is to
    run afterwards, emits the rest.

    The iterations of the loop over the tiles are the warps of all blocks;
    `hamkaas.block_warps` in a row are a block. They have memory of the address
    space `workgroup` together and meet at `gpu.barrier`s.

    * Contractions of eight rows or more, convolutions among them: both sides are
      copied to that memory, asynchronously, for all warps of the block.
    * Contractions of fewer rows: each warp adds the products of a part of the
      depth, and the sums are added up in that memory.

    Unless the precision of the target is `exact`, the first ones are multiplied
    by `nvvm.mma.sync` on tensor cores, which round the factors.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
    "mlir::gpu::GPUDialect", "mlir::LLVM::LLVMDialect",
    "mlir::memref::MemRefDialect", "mlir::nvgpu::NVGPUDialect",
    "mlir::NVVM::NVVMDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect", "mlir::vector::VectorDialect",
  ];
}

def DistributeToThreads
    : Pass<"hamkaas-gpu-distribute-to-threads", "mlir::func::FuncOp"> {
  let summary = "give each thread of a warp one lane of a kernel's vectors";
  let description = [{
    Before: a kernel for a GPU after bufferization, on vectors of at
    most 32 lanes, or of 64 or 128. After: the same on scalars, run by the 32
    threads of a warp. The thread of number `gpu.lane_id` holds its lane of each
    vector; a vector of fewer lanes leaves the others without meaning; of more, a
    thread has two or four neighbouring elements, as a vector, which it moves at
    once where they are aligned. What is a scalar before has
    the same value in all threads, so that loops and branches are taken by all of
    them.

    Vectors in memory become an element a thread, at the index of the first plus
    the lane. Threads that have no element, or are masked out, read another one,
    and write nothing; scalars are written by the first thread. Lanes get at what
    others hold by `gpu.shuffle` of 32 bits. Where a thread reads or overwrites
    memory that another one has written or read, `nvvm.bar.warp.sync` stands
    between.

    What is of the dialects `llvm` and `nvvm` is that of a thread before, as is a
    `memref.store` with `hamkaas.lane_store`.

    A kernel without vectors is left as it is, for threads that run a tile each.
    The function has a `hamkaas.tile_runner` afterwards.

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
  let summary = "move kernels to a gpu.module";
  let description = [{
    Before: kernels whose lanes are distributed. After: each is a `gpu.func` of
    the module `@device`, and a declaration in the place where it was, with
    `hamkaas.device_kernel`, the numbers of its functions in the module.

    The function takes the kernel's arguments, then `failure`, five numbers in
    the device's memory, and the number of the call. A warp, or a thread, runs one
    tile; the warps of a block are few where tiles are. The launch is in
    `known_block_size` and `known_grid_size`, and in `hamkaas.shared_bytes`, which
    is the dynamic shared memory that holds the scratch memory of the warps.

    A kernel with checks has a second function `<name>_checks` for one thread,
    to be launched before it with the same arguments: a check that fails writes
    its values to `failure`, behind 1 + the call, unless one failed before. Where
    a program has checks, its kernels do nothing after one that failed.

    Kernels with `hamkaas.matmul` are declarations with `hamkaas.device_matmul`,
    their number, and the alignment of their arguments; a library computes them.
    It does not know of checks that failed. So where a program has checks, kernels
    that write a state are functions.

    Constants that the host's functions or kernels refer to are copied to the
    module. Arguments have the attributes of LLVM that hold in all calls: their
    alignment, and whether they share memory with what the kernel writes.
    Accesses of several elements tell how they are aligned.
    Asynchronous copies of several elements become copies of one where the
    alignment is not enough.
  }];
  let dependentDialects = [
    "hamkaas::HamKaasDialect", "mlir::arith::ArithDialect",
    "mlir::gpu::GPUDialect", "mlir::memref::MemRefDialect",
    "mlir::nvgpu::NVGPUDialect", "mlir::scf::SCFDialect",
  ];
}

def LowerDeviceCode
    : Pass<"hamkaas-gpu-lower-device-code", "mlir::gpu::GPUModuleOp"> {
  let summary = "lower the functions of a gpu.module to the NVVM dialect";
  let description = [{
    Buffers become addresses, indices 64 bits wide. Of the functions of the
    `math` dialect those with an instruction become one; all others are called in
    NVIDIA's library libdevice, by the names `__nv_...`, which are declared.
    16-bit floats of the upper half of 32 bits are integers in memory and are
    converted by arithmetic, as on the CPU.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect",
    "mlir::LLVM::LLVMDialect", "mlir::NVVM::NVVMDialect",
  ];
}

def EmulateDeviceCode : Pass<"hamkaas-gpu-emulate", "mlir::ModuleOp"> {
  let summary = "turn kernels of a GPU into code of the CPU for one thread";
  let description = [{
    Before: `gpu.module`s whose functions are kernels, of memrefs of static shape
    and numbers, with memory of the workgroup and of the thread. After: for each
    kernel a function `(ptr arguments, ptr thread)` that is an
    `emulation::EmulatedFunction`, to be lowered by `hamkaas-kernels-to-llvm`, and
    the global `@hamkaas_device_image`, an `emulation::EmulatedImage`, in place of
    PTX. The modules are gone.

    Barriers, syncs of warps, shuffles and asynchronous copies become calls of the
    emulator, which `lib/Emulation` is; with `check-accesses` it is told of each
    load and store, too. Memory spaces vanish: all addresses are those of the
    process. `nvvm.mma.sync` multiplies what tensor cores would, of tf32 and bf16,
    and adds the products of one in float64.

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
