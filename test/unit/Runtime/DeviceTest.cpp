//===- DeviceTest.cpp - Devices, and instances on a counting one ----------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CountingDevice.h"
#include "FakeProgram.h"
#include "HamKaas/Runtime/Instance/CreateInstance.h"
#include "Text.h"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

using namespace hamkaas::rt;
using namespace hamkaas::test;

TEST(Device, UnknownNameIsAnError) {
  Device device;
  FakeProgram fake;
  EXPECT_EQ(textOf(createDevice("tpu", {1}, fake.program, device)),
            "unknown device 'tpu', this runtime offers 'cpu' 'cuda' 'cuda:N' "
            "'best'");
}

TEST(Device, CpuMemoryIsAlignedAndZeroes) {
  Device device;
  ASSERT_EQ(textOf(createCpuDevice(1, device)), "");
  for (uint64_t bytes : {1, 255, 256, 257, 100000, 5000000}) {
    Error reason;
    char *memory =
        static_cast<char *>(device.allocate(device.context, bytes, reason));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % HAMKAAS_REGION_ALIGNMENT,
              0u);
    EXPECT_EQ(textOf(device.zero(device.context, memory, bytes)), "");
    EXPECT_EQ(memory[bytes - 1], 0);
    EXPECT_EQ(textOf(device.copy(device.context, memory, "x", 1)), "");
    EXPECT_EQ(memory[0], 'x');
    device.release(device.context, memory);
  }
  device.destroy(device.context);
}

TEST(Device, CpuRefusesHugeSizes) {
  Device device;
  ASSERT_EQ(textOf(createCpuDevice(1, device)), "");
  for (uint64_t bytes :
       {UINT64_MAX, UINT64_MAX - 255, UINT64_MAX / 2, uint64_t{1} << 62}) {
    Error reason;
    EXPECT_EQ(device.allocate(device.context, bytes, reason), nullptr);
  }
  device.destroy(device.context);
}

namespace {
struct CountingInstance : ::testing::Test {
  HamKaasInstanceOptions optionsOf(FakeParameters &parameters) {
    HamKaasInstanceOptions options = {};
    options.structSize = sizeof(options);
    options.parameters = parameters.named;
    options.parameterCount = 2;
    return options;
  }

  FakeProgram fake;
  FakeParameters parameters;
  HamKaasInstanceOptions options = optionsOf(parameters);
  DeviceCounts counts;
  HamKaasInstance *instance = nullptr;
};
} // namespace

TEST_F(CountingInstance, DoesAllOnItsDevice) {
  ASSERT_EQ(textOf(createInstance(fake.program, options,
                                  makeCountingDevice(counts), instance)),
            "");
  // Constants, workspace and state; the preparation's workspace is back.
  EXPECT_EQ(counts.allocations, 4);
  EXPECT_EQ(counts.releases, 1);
  EXPECT_EQ(counts.zeroings, 1);
  EXPECT_EQ(counts.kernels, 3);
  EXPECT_EQ(counts.copies, 0);

  FakeRun run(instance);
  int64_t synchronisations = counts.synchronisations;
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(counts.kernels, 5);
  EXPECT_EQ(counts.allocations, 4);
  EXPECT_EQ(counts.synchronisations, synchronisations + 1);

  EXPECT_EQ(takeText(HamKaasInstanceResetState(instance)), "");
  EXPECT_EQ(counts.zeroings, 2);

  HamKaasInstanceDestroy(instance);
  EXPECT_EQ(counts.releases, counts.allocations);
  EXPECT_EQ(counts.destructions, 1);
}

TEST_F(CountingInstance, EachFailedAllocationIsAnErrorAndLeavesNothing) {
  const char *expected[] = {
      "model 'fake': cannot allocate 4100 bytes for its constants",
      "model 'fake': cannot allocate 4000 bytes for its preparation workspace",
      "model 'fake': cannot allocate 4000 bytes for its workspace",
      "model 'fake': cannot allocate 8 bytes for its state"};
  for (int64_t failing = 0; failing < 4; ++failing) {
    counts = {};
    counts.failingAllocation = failing;
    EXPECT_EQ(textOf(createInstance(fake.program, options,
                                    makeCountingDevice(counts), instance)),
              expected[failing]);
    EXPECT_EQ(instance, nullptr);
    EXPECT_EQ(counts.releases, counts.allocations);
    EXPECT_EQ(counts.destructions, 1);
  }
}

TEST_F(CountingInstance, CopiesMisalignedParameters) {
  std::vector<char> bytes(sizeof(parameters.scale) + 1);
  memcpy(bytes.data() + 1, parameters.scale, sizeof(parameters.scale));
  parameters.named[0].data = bytes.data() + 1;
  ASSERT_EQ(textOf(createInstance(fake.program, options,
                                  makeCountingDevice(counts), instance)),
            "");
  EXPECT_EQ(counts.copies, 1);
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(run.y[10], 20.5f);
  HamKaasInstanceDestroy(instance);
  EXPECT_EQ(counts.releases, counts.allocations);
}

TEST_F(CountingInstance, CopiesNothingForKernelsThatReadAnyAddress) {
  std::vector<char> bytes(sizeof(parameters.scale) + 1);
  memcpy(bytes.data() + 1, parameters.scale, sizeof(parameters.scale));
  parameters.named[0].data = bytes.data() + 1;
  hamkaas::rt::Device device = makeCountingDevice(counts);
  device.readsMisaligned = true;
  ASSERT_EQ(textOf(createInstance(fake.program, options, device, instance)),
            "");
  EXPECT_EQ(counts.copies, 0);
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(run.y[10], 20.5f);
  HamKaasInstanceDestroy(instance);
}
