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

/// True after an error that ends all work of this process on the GPU.
int isGpuLost(void);

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
/// Takes all memory that is free, but for some kilobytes.
void *fillGpuMemory(void);
void releaseGpuMemory(void *filling);
void copyToGpu(void *to, const void *from, uint64_t bytes);
void copyFromGpu(void *to, const void *from, uint64_t bytes);

/// These only begin; `waitForGpu` returns when all is done.
void beginCopyOnGpu(void *to, const void *from, uint64_t bytes);
/// Multiplies and adds float32 numbers that stay in registers, on the whole
/// GPU; how many operations that are. `memory` holds two numbers, and takes a
/// third.
double beginArithmeticOnGpu(void *memory);
/// The same with 64 sums of a thread, whose factors are loaded from shared
/// memory in each step, as in a matrix product, or once.
double beginProductsOnGpu(void *memory, int loadsInSteps);
void waitForGpu(void);

/// Writes where no memory is, which ends the context. No error here.
void beginBadAccessOnGpu(void);

/// Pinned memory of the host, which is never released.
void *allocatePinned(uint64_t bytes);

/// Work that one launch puts on the GPU.
typedef struct GpuGraph GpuGraph;

/// So many kernels that do nothing, one after the other. If `zeros` is not
/// null, `bytes` there are set to zero first, and copied to `copied`, which is
/// pinned, last.
GpuGraph *makeKernelGraph(int kernels, void *zeros, void *copied,
                          uint64_t bytes);
/// True if kernels of a graph may begin before the one before them ends.
int canOverlap(void);
enum { OverlappingBlocks = 264, OverlappingNumbers = 256 * OverlappingBlocks };
/// So many of these, which do nothing else than wait; or, if `numbers` is not
/// null, set all OverlappingNumbers integers of one array by turns to 1 more
/// than the least of the first ones of the other array. An even number of
/// kernels ends with the first one.
GpuGraph *makeOverlappingGraph(int kernels, void *const *numbers);
/// Seconds between the events before and behind a kernel that does nothing, the
/// median of many: what the profile of any kernel has besides the kernel.
double measureEmptyKernel(void);
/// A copy within the GPU, of rows without space between them.
GpuGraph *makeCopyGraph(void *to, const void *from, uint64_t bytesOfRow,
                        uint64_t rows);
void beginGraphOnGpu(GpuGraph *graph);
void releaseGraph(GpuGraph *graph);

#ifdef __cplusplus
}
#endif

#endif
