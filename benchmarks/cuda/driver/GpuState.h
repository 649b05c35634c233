//===- GpuState.h - The GPU that is open ------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_BENCHMARKS_CUDA_GPUSTATE_H
#define HAMKAAS_BENCHMARKS_CUDA_GPUSTATE_H

#include "HamKaas/Runtime/Gpu/CudaDriver.h"

/// Set by openGpu.
namespace gpu {

extern const hamkaas::rt::CudaDriver *driver;
extern hamkaas::rt::cuda::CUcontext context;
extern hamkaas::rt::cuda::CUstream stream;

/// Ends the program after an error of the driver.
void check(const char *what, hamkaas::rt::cuda::CUresult result);

/// A kernel of PTX, which is never unloaded.
hamkaas::rt::cuda::CUfunction loadKernel(const char *code, const char *name);

} // namespace gpu

#endif
