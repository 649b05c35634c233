//===- CountingDevice.h - A device that counts ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_RUNTIME_COUNTINGDEVICE_H
#define HAMKAAS_TEST_UNIT_RUNTIME_COUNTINGDEVICE_H

#include "HamKaas/Runtime/Core/Device.h"

#include <cstdint>

namespace hamkaas::test {

/// Counts of the calls to a device, which they outlive.
struct DeviceCounts {
  int64_t allocations = 0;
  int64_t releases = 0;
  int64_t allocatedBytes = 0;
  int64_t copies = 0;
  int64_t copiesToCaller = 0;
  int64_t zeroings = 0;
  int64_t kernels = 0;
  int64_t synchronisations = 0;
  int64_t destructions = 0;
  /// This allocation, counted from 0, returns null; negative: none does.
  int64_t failingAllocation = -1;
};

/// Counts, runs kernels on the caller, and owns nothing.
rt::Device makeCountingDevice(DeviceCounts &counts);

} // namespace hamkaas::test

#endif // HAMKAAS_TEST_UNIT_RUNTIME_COUNTINGDEVICE_H
