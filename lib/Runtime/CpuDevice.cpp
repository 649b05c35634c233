//===- CpuDevice.cpp - The processor this runs on -------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Device.h"
#include "HamKaas/Runtime/ThreadPool.h"

#include <cstdlib>
#include <cstring>

using namespace hamkaas::rt;

static void *allocate(void *, uint64_t bytes) {
  constexpr uint64_t mask = HAMKAAS_REGION_ALIGNMENT - 1;
  // Whole lines of the alignment, so that vectors may read past the last
  // element without leaving the region.
  if (bytes > SIZE_MAX / 2)
    return nullptr;
  void *memory = nullptr;
  if (posix_memalign(&memory, HAMKAAS_REGION_ALIGNMENT,
                     (bytes + mask) & ~mask) != 0)
    return nullptr;
  return memory;
}

static void release(void *, void *memory) { free(memory); }

static void copy(void *, void *to, const void *from, uint64_t bytes) {
  memcpy(to, from, bytes);
}

static void zero(void *, void *memory, uint64_t bytes) {
  memset(memory, 0, bytes);
}

static int32_t runKernel(void *context, HamKaasKernelFunction kernel,
                         void *const *arguments, int64_t tiles,
                         int64_t *values) {
  return static_cast<ThreadPool *>(context)->run(kernel, arguments, tiles,
                                                 values);
}

// A kernel has run when runKernel returns.
static void synchronise(void *) {}

static void destroy(void *context) {
  ThreadPool::destroy(static_cast<ThreadPool *>(context));
}

Error hamkaas::rt::createCpuDevice(int32_t threads, Device &device) {
  ThreadPool *pool = nullptr;
  if (Error error = ThreadPool::create(threads, pool))
    return error;
  device = {pool, allocate,  release,     copy,
            zero, runKernel, synchronise, destroy};
  return Error();
}
