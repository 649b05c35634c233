//===- Passes.td - Passes that turn kernels into GPU code --*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_GPU_PASSES
#define HAMKAAS_CODEGEN_GPU_PASSES

include "mlir/Pass/PassBase.td"

def GPUEmulate : Pass<"hamkaas-gpu-emulate", "mlir::ModuleOp"> {
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
    process. What a tensor core would do is not emulated.

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
