//===- Pipelines.h - Pipelines for CPU kernels ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_CPU_PIPELINES_H
#define HAMKAAS_CODEGEN_CPU_PIPELINES_H

#include "mlir/Pass/PassManager.h"

namespace hamkaas {

/// Adds the passes that lower bufferized, distributed kernels of a module to
/// `llvm.func`s of the type HamKaasKernelFunction. Functions that are not
/// kernels are left alone.
void buildLowerKernelsPipeline(mlir::OpPassManager &manager);

/// Registers the pipeline as `hamkaas-lower-kernels`.
void registerCPUPipelines();

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_CPU_PIPELINES_H
