//===- Gpu.h - The driver of NVIDIA GPUs --------------------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_BENCHMARKS_CUDA_GPU_H
#define HAMKAAS_BENCHMARKS_CUDA_GPU_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Opens the GPU of a device, "cuda" or "cuda:N"; its primary context is the
/// calling thread's then. Returns 0 and prints why there is none.
int openGpu(const char *device);

typedef struct GpuInfo {
  char name[256];
  int major, minor; /* of its architecture */
  int driver;       /* version of the driver, 1000 * major + 10 * minor */
  int multiprocessors;
} GpuInfo;

/// These and all below end the program if they fail.
GpuInfo describeGpu(void);
void *allocateOnGpu(uint64_t bytes);
void releaseOnGpu(void *memory);
void copyToGpu(void *to, const void *from, uint64_t bytes);
void copyFromGpu(void *to, const void *from, uint64_t bytes);

/// These only begin; `waitForGpu` returns when all is done.
void beginCopyOnGpu(void *to, const void *from, uint64_t bytes);
/// Multiplies and adds float32 numbers that stay in registers, on the whole
/// GPU; how many operations that are. `memory` holds two numbers, and takes a
/// third.
double beginArithmeticOnGpu(void *memory);
void waitForGpu(void);

#ifdef __cplusplus
}
#endif

#endif
