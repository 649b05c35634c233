//===- Pipelines.h - Pipelines for GPU kernels ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_GPU_PIPELINES_H
#define HAMKAAS_CODEGEN_GPU_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace hamkaas {

/// Adds the passes that turn the kernels of a PLANNED program for a GPU into
/// functions of a `gpu.module`, for threads, but in no instruction set yet.
void buildOutlineKernelsPipeline(mlir::OpPassManager &manager);

/// Adds the passes that lower these functions to the NVVM dialect.
void buildLowerDevicePipeline(mlir::OpPassManager &manager);

struct EmulateOptions : mlir::PassPipelineOptions<EmulateOptions> {
  Option<bool> checkAccesses{
      *this, "check-accesses",
      llvm::cl::desc("Check each access to memory, and find races"),
      llvm::cl::init(true)};
};

/// Adds the passes that lower the `gpu.module`s of a module to functions of the
/// LLVM dialect that lib/Emulation runs. `hamkaas-link-kernels` joins them with
/// the image that refers to them.
void buildEmulatePipeline(mlir::OpPassManager &manager,
                          const EmulateOptions &options);

/// Registers the pipelines as `hamkaas-gpu-outline-kernels`,
/// `hamkaas-gpu-lower-device` and `hamkaas-emulate-kernels`.
void registerGPUPipelines();

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_GPU_PIPELINES_H
