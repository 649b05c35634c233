//===- Pipelines.h - Pipelines for GPU kernels ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_GPU_PIPELINES_H
#define HAMKAAS_CODEGEN_GPU_PIPELINES_H

#include "mlir/Pass/PassManager.h"

namespace hamkaas {

/// Adds the passes that turn the kernels of a PLANNED program of the level
/// "warp" into functions of a `gpu.module`, for threads, but in no instruction
/// set yet.
void buildOutlineKernelsPipeline(mlir::OpPassManager &manager);

/// Adds the passes that lower these functions to the NVVM dialect.
void buildLowerDevicePipeline(mlir::OpPassManager &manager);

/// Registers the pipelines as `hamkaas-gpu-outline-kernels` and
/// `hamkaas-gpu-lower-device`.
void registerGPUPipelines();

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_GPU_PIPELINES_H
