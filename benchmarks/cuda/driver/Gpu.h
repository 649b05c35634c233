//===- Gpu.h - The driver of NVIDIA GPUs --------------------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_BENCHMARKS_CUDA_GPU_H
#define HAMKAAS_BENCHMARKS_CUDA_GPU_H

#include <stdint.h>

/// Opens the first GPU; its primary context is the calling thread's then.
/// Returns 0 and prints why there is none.
int openGpu(void);

typedef struct GpuInfo {
  char name[256];
  int major, minor; /* of its architecture */
  int driver;       /* version of the driver, 1000 * major + 10 * minor */
  int multiprocessors;
  uint64_t memory;
} GpuInfo;
GpuInfo describeGpu(void);

/// These end the program if they fail.
void *allocateOnGpu(uint64_t bytes);
void releaseOnGpu(void *memory);
void copyToGpu(void *to, const void *from, uint64_t bytes);
void copyFromGpu(void *to, const void *from, uint64_t bytes);
/// Copies within the GPU's memory so many times; returns the seconds of each.
double timeGpuCopies(void *to, const void *from, uint64_t bytes, int times);

#endif
