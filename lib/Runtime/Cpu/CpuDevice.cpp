//===- CpuDevice.cpp - The processor this runs on -------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Core/Device.h"
#include "HamKaas/Runtime/Cpu/SharedThreads.h"
#include "HamKaas/Runtime/Cpu/ThreadPool.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace hamkaas::rt;

static constexpr uint64_t hugePage = uint64_t(2) << 20;

static void *allocate(void *, uint64_t bytes, Error &) {
  constexpr uint64_t mask = HAMKAAS_REGION_ALIGNMENT - 1;
  // Whole lines of the alignment, so that vectors may read past the last
  // element without leaving the region.
  if (bytes > SIZE_MAX / 2)
    return nullptr;
  bytes = (bytes + mask) & ~mask;
  // Weights are read from end to end, where the hardware stops fetching ahead
  // at every page.
  bool isLarge = bytes >= hugePage;
  void *memory = nullptr;
  if (posix_memalign(&memory, isLarge ? hugePage : HAMKAAS_REGION_ALIGNMENT,
                     bytes) != 0)
    return nullptr;
  // Only the range of whole huge pages, so that none extends beyond the region.
  // A system without free huge pages keeps small ones.
  if (isLarge)
    madvise(memory, bytes / hugePage * hugePage, MADV_HUGEPAGE);
  return memory;
}

static void release(void *, void *memory) { free(memory); }

static Error copy(void *, void *to, const void *from, uint64_t bytes) {
  memcpy(to, from, bytes);
  return Error();
}

static Error zero(void *, void *memory, uint64_t bytes) {
  memset(memory, 0, bytes);
  return Error();
}

static int32_t runKernel(void *context, HamKaasKernelFunction kernel,
                         void *const *arguments, int64_t tiles,
                         int64_t *values) {
  return static_cast<ThreadPool *>(context)->run(kernel, arguments, tiles,
                                                 values);
}

// A kernel has run when runKernel returns.
static Error synchronise(void *) { return Error(); }

static void destroy(void *context) {
  ThreadPool::destroy(static_cast<ThreadPool *>(context));
}

static int32_t runShared(void *context, HamKaasKernelFunction kernel,
                         void *const *arguments, int64_t tiles,
                         int64_t *values) {
  return static_cast<SharedThreads *>(context)->run(kernel, arguments, tiles,
                                                    values);
}

static void destroyShared(void *context) {
  SharedThreads::release(static_cast<SharedThreads *>(context));
}

// But for its threads.
static Device describeCpu() {
  Device device = {};
  device.name = "cpu";
  device.allocate = allocate;
  device.release = release;
  device.copy = copy;
  device.copyToCaller = copy;
  device.zero = zero;
  device.synchronise = synchronise;
  // For accesses that are aligned as elements are, LLVM chooses instructions of
  // x86 that take any address.
  device.readsMisaligned = true;
  return device;
}

Error hamkaas::rt::createCpuDevice(int32_t threads, Device &device) {
  ThreadPool *pool = nullptr;
  if (Error error = ThreadPool::create(threads, pool))
    return error;
  device = describeCpu();
  device.context = pool;
  device.runKernel = runKernel;
  device.destroy = destroy;
  return Error();
}

Error hamkaas::rt::createSharedCpuDevice(int32_t threads, Device &device) {
  SharedThreads *shared = nullptr;
  if (Error error = SharedThreads::acquire(threads, shared))
    return error;
  device = describeCpu();
  device.context = shared;
  device.runKernel = runShared;
  device.destroy = destroyShared;
  return Error();
}
