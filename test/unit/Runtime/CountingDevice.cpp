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

static void *allocate(void *context, uint64_t bytes, rt::Error &) {
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

static rt::Error copy(void *context, void *to, const void *from,
                      uint64_t bytes) {
  ++countsOf(context).copies;
  memcpy(to, from, bytes);
  return rt::Error();
}

static rt::Error copyToCaller(void *context, void *to, const void *from,
                              uint64_t bytes) {
  ++countsOf(context).copiesToCaller;
  memcpy(to, from, bytes);
  return rt::Error();
}

static rt::Error zero(void *context, void *memory, uint64_t bytes) {
  ++countsOf(context).zeroings;
  memset(memory, 0, bytes);
  return rt::Error();
}

static int32_t runKernel(void *context, HamKaasKernelFunction kernel,
                         void *const *arguments, int64_t tiles,
                         int64_t *values) {
  ++countsOf(context).kernels;
  return kernel(arguments, 0, tiles, values);
}

static rt::Error synchronise(void *context) {
  ++countsOf(context).synchronisations;
  return rt::Error();
}

static void destroy(void *context) { ++countsOf(context).destructions; }

rt::Device hamkaas::test::makeCountingDevice(DeviceCounts &counts) {
  rt::Device device = {};
  device.name = "counting";
  device.context = &counts;
  device.allocate = allocate;
  device.release = release;
  device.copy = copy;
  device.copyToCaller = copyToCaller;
  device.zero = zero;
  device.runKernel = runKernel;
  device.synchronise = synchronise;
  device.destroy = destroy;
  return device;
}
