//===- Buffer.cpp - Memory of a benchmark -----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffer.h"
#include "HamKaas/Runtime/Core/Device.h"
#include "llvm/Support/ErrorHandling.h"

using namespace hamkaas::benchmarks;

static const hamkaas::rt::Device &getDevice() {
  static const hamkaas::rt::Device device = [] {
    hamkaas::rt::Device created;
    if (hamkaas::rt::createCpuDevice(/*threads=*/1, created))
      llvm::report_fatal_error("cannot create the CPU device");
    return created;
  }();
  return device;
}

void FreeBuffer::operator()(void *memory) const {
  getDevice().release(getDevice().context, memory);
}

Buffer hamkaas::benchmarks::allocateBuffer(size_t bytes) {
  const hamkaas::rt::Device &device = getDevice();
  hamkaas::rt::Error reason;
  void *memory = device.allocate(device.context, bytes, reason);
  if (!memory)
    llvm::report_bad_alloc_error("a benchmark's buffer");
  // Cannot fail on the processor.
  (void)device.zero(device.context, memory, bytes);
  return Buffer(memory);
}
