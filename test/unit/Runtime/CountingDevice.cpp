//===- CountingDevice.cpp - A device that counts --------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CountingDevice.h"

#include <cstdlib>
#include <cstring>

using namespace hamkaas;
using namespace hamkaas::test;

static DeviceCounts &countsOf(void *context) {
  return *static_cast<DeviceCounts *>(context);
}

static void *allocate(void *context, uint64_t bytes) {
  DeviceCounts &counts = countsOf(context);
  if (counts.allocations == counts.failingAllocation)
    return nullptr;
  ++counts.allocations;
  counts.allocatedBytes += static_cast<int64_t>(bytes);
  void *memory = nullptr;
  return posix_memalign(&memory, HAMKAAS_REGION_ALIGNMENT, bytes) == 0
             ? memory
             : nullptr;
}

static void release(void *context, void *memory) {
  ++countsOf(context).releases;
  free(memory);
}

static void copy(void *context, void *to, const void *from, uint64_t bytes) {
  ++countsOf(context).copies;
  memcpy(to, from, bytes);
}

static void copyToCaller(void *context, void *to, const void *from,
                         uint64_t bytes) {
  ++countsOf(context).copiesToCaller;
  memcpy(to, from, bytes);
}

static void zero(void *context, void *memory, uint64_t bytes) {
  ++countsOf(context).zeroings;
  memset(memory, 0, bytes);
}

static int32_t runKernel(void *context, HamKaasKernelFunction kernel,
                         void *const *arguments, int64_t tiles,
                         int64_t *values) {
  ++countsOf(context).kernels;
  return kernel(arguments, 0, tiles, values);
}

static void synchronise(void *context) { ++countsOf(context).synchronisations; }

static void destroy(void *context) { ++countsOf(context).destructions; }

rt::Device hamkaas::test::makeCountingDevice(DeviceCounts &counts) {
  return {"counting",   &counts, allocate,  release,     copy,
          copyToCaller, zero,    runKernel, synchronise, destroy};
}
