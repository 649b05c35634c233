//===- SharingTest.cpp - Instances that share constants and state ---------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CountingDevice.h"
#include "FakeProgram.h"
#include "HamKaas/Runtime/Instance/CreateInstance.h"
#include "Text.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace hamkaas::rt;
using namespace hamkaas::test;

namespace {
struct Sharing : ::testing::Test {
  void SetUp() override {
    options.structSize = sizeof(options);
    options.threads = 1;
    options.parameters = parameters.named;
    options.parameterCount = 2;
    ASSERT_EQ(create(fake, options, first), "");
    shared.structSize = sizeof(shared);
    shared.threads = 1;
  }
  ~Sharing() override {
    HamKaasInstanceDestroy(first);
    HamKaasInstanceDestroy(second);
  }

  static std::string create(const FakeProgram &fake,
                            const HamKaasInstanceOptions &options,
                            HamKaasInstance *&instance) {
    return takeText(HamKaasInstanceCreate(&fake.program, &options, &instance));
  }
  std::string createSecond() { return create(fake, shared, second); }

  /// The result of a run for an `x` of 2, or an error.
  static std::string runAt(HamKaasInstance *instance, int64_t i, float &y) {
    FakeRun run(instance);
    std::string error = takeText(run());
    y = run.y[i];
    return error;
  }

  FakeProgram fake;
  FakeProgram other; // another program of the same tables
  FakeParameters parameters;
  HamKaasInstanceOptions options = {};
  HamKaasInstanceOptions shared = {}; // without parameters
  HamKaasInstance *first = nullptr, *second = nullptr;
  float y = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

TEST_F(Sharing, ConstantsAreSharedStateIsNot) {
  // A program is prepared once.
  fake.program.prepare = [](HamKaasExecution *, const void *const *, void *,
                            void *) -> int32_t { return 1; };
  shared.constantsOf = first;
  ASSERT_EQ(createSecond(), "");
  EXPECT_EQ(runAt(first, 7, y), "");
  EXPECT_EQ(y, 14.5f);
  EXPECT_EQ(runAt(first, 7, y), "");
  EXPECT_EQ(y, 15.5f);
  EXPECT_EQ(runAt(second, 7, y), "");
  EXPECT_EQ(y, 14.5f);
}

TEST_F(Sharing, ConstantsLiveUntilTheLastInstance) {
  shared.constantsOf = first;
  ASSERT_EQ(createSecond(), "");
  HamKaasInstanceDestroy(first);
  EXPECT_EQ(runAt(second, 7, y), "");
  EXPECT_EQ(y, 14.5f);
  // Of one that shares them itself.
  shared.constantsOf = second;
  ASSERT_EQ(create(fake, shared, first), "");
  HamKaasInstanceDestroy(second);
  EXPECT_EQ(runAt(first, 7, y), "");
  EXPECT_EQ(y, 14.5f);
}

TEST_F(Sharing, ConstantsNeedTheSameProgram) {
  shared.constantsOf = first;
  other.program.name = "other";
  EXPECT_EQ(create(other, shared, second),
            "constantsOf: expected an instance of the program 'other' itself, "
            "got one of another program 'fake'");
  EXPECT_EQ(second, nullptr);
}

TEST_F(Sharing, ConstantsExcludeParameters) {
  shared.constantsOf = first;
  shared.parameters = parameters.named;
  shared.parameterCount = 1;
  EXPECT_EQ(createSecond(),
            "constantsOf: expected no parameters beside it, got 1");
  shared.parameterCount = 0;
  shared.weightsFile = "w.safetensors";
  EXPECT_EQ(createSecond(), "constantsOf: expected no weightsFile beside it, "
                            "got 'w.safetensors'");
}

TEST_F(Sharing, WrongHandlesAreErrors) {
  shared.constantsOf = reinterpret_cast<HamKaasInstance *>(&fake);
  EXPECT_EQ(createSecond(), "constantsOf: expected an instance, got an "
                            "address that is no handle");
  shared.constantsOf = first;
  shared.stateOf = reinterpret_cast<HamKaasInstance *>(&fake);
  EXPECT_EQ(createSecond(), "stateOf: expected an instance, got an address "
                            "that is no handle");
  HamKaasInstanceDestroy(first);
  EXPECT_EQ(createSecond(), "constantsOf: expected an instance, got a handle "
                            "that was destroyed");
}

TEST_F(Sharing, DevicesMustBeTheSame) {
  DeviceCounts counts;
  shared.constantsOf = first;
  EXPECT_EQ(textOf(createInstance(fake.program, shared,
                                  makeCountingDevice(counts), second)),
            "constantsOf: expected an instance on device 'counting', got one "
            "on 'cpu'");
  options.stateOf = first;
  EXPECT_EQ(textOf(createInstance(fake.program, options,
                                  makeCountingDevice(counts), second)),
            "stateOf: expected an instance on device 'counting', got one on "
            "'cpu'");
  EXPECT_EQ(counts.releases, counts.allocations);
  EXPECT_EQ(counts.destructions, 2);
}

TEST_F(Sharing, TheLastInstanceReleasesTheRegions) {
  DeviceCounts counts, sharedCounts;
  HamKaasInstance *source = nullptr;
  ASSERT_EQ(textOf(createInstance(fake.program, options,
                                  makeCountingDevice(counts), source)),
            "");
  shared.constantsOf = shared.stateOf = source;
  ASSERT_EQ(textOf(createInstance(fake.program, shared,
                                  makeCountingDevice(sharedCounts), second)),
            "");
  // Its workspace alone; the state is left as it is.
  EXPECT_EQ(sharedCounts.allocations, 1);
  EXPECT_EQ(sharedCounts.zeroings, 0);
  HamKaasInstanceDestroy(source);
  EXPECT_EQ(counts.releases, counts.allocations - 2);
  EXPECT_EQ(counts.destructions, 1);
  EXPECT_EQ(runAt(second, 3, y), "");
  EXPECT_EQ(y, 6.5f);
  HamKaasInstanceDestroy(second);
  EXPECT_EQ(sharedCounts.releases, 3);
  EXPECT_EQ(sharedCounts.destructions, 1);
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

TEST_F(Sharing, TwoProgramsShareAState) {
  EXPECT_EQ(runAt(first, 0, y), "");
  options.stateOf = first;
  ASSERT_EQ(create(other, options, second), "");
  EXPECT_EQ(runAt(second, 0, y), "");
  EXPECT_EQ(y, 1.5f);
  EXPECT_EQ(runAt(first, 0, y), "");
  EXPECT_EQ(y, 2.5f);
  HamKaasInstanceDestroy(first);
  EXPECT_EQ(runAt(second, 0, y), "");
  EXPECT_EQ(y, 3.5f);
  EXPECT_EQ(takeText(HamKaasInstanceResetState(second)), "");
  EXPECT_EQ(runAt(second, 0, y), "");
  EXPECT_EQ(y, 0.5f);
}

TEST_F(Sharing, AllIsSharedWithTheSameProgram) {
  shared.constantsOf = shared.stateOf = first;
  ASSERT_EQ(createSecond(), "");
  EXPECT_EQ(runAt(first, 4, y), "");
  EXPECT_EQ(runAt(second, 4, y), "");
  EXPECT_EQ(y, 9.5f);
}

TEST_F(Sharing, StatesMustBeTheSame) {
  options.stateOf = first;
  other.program.name = "other";
  HamKaasTensorInfo &state = other.states[0];
  HamKaasTensorInfo right = state;
  int64_t shape[] = {2, 1};
  struct Wrong {
    void (*change)(HamKaasTensorInfo &state, int64_t *shape);
    const char *type;
  };
  Wrong wrongs[] = {
      {[](HamKaasTensorInfo &s, int64_t *) { s.name = "count"; },
       "'count' (int64 [1])"},
      {[](HamKaasTensorInfo &s, int64_t *) { s.elementType = HamKaasFloat32; },
       "'runs' (float32 [1])"},
      {[](HamKaasTensorInfo &s, int64_t *to) { s.rank = 2, s.shape = to; },
       "'runs' (int64 [2, 1])"},
      {[](HamKaasTensorInfo &s, int64_t *to) { s.shape = to; },
       "'runs' (int64 [2])"},
  };
  for (const Wrong &wrong : wrongs) {
    state = right;
    wrong.change(state, shape);
    EXPECT_EQ(create(other, options, second),
              "stateOf: expected state number 0 to be " +
                  std::string(wrong.type) +
                  " as of model 'other', got 'runs' (int64 [1]) of model "
                  "'fake'");
  }
  state = right;
  other.program.stateCount = 0;
  EXPECT_EQ(create(other, options, second),
            "stateOf: expected 0 states as of model 'other', got 1 of model "
            "'fake'");
  EXPECT_EQ(second, nullptr);
}

TEST_F(Sharing, StatesMustLieAlike) {
  options.stateOf = first;
  const char *expected = "stateOf: the states of model 'fake' lie otherwise "
                         "than those of model 'fake'; compile both with the "
                         "same compiler";
  other.program.stateBytes = 512;
  EXPECT_EQ(create(other, options, second), expected);
  other.program.stateBytes = fake.program.stateBytes;
  other.states[0].offset = 256;
  EXPECT_EQ(create(other, options, second), expected);
}

static std::atomic<bool> isRunning, mayEnd;

TEST_F(Sharing, OneRunsAtATime) {
  shared.constantsOf = shared.stateOf = first;
  ASSERT_EQ(createSecond(), "");
  isRunning = mayEnd = false;
  fake.program.run = [](HamKaasExecution *, const void *const *, void *const *,
                        const void *, void *, void *) -> int32_t {
    isRunning = true;
    while (!mayEnd)
      std::this_thread::yield();
    return 0;
  };
  FakeRun run(first), secondRun(second);
  std::thread host([&] { EXPECT_EQ(takeText(run()), ""); });
  while (!isRunning)
    std::this_thread::yield();
  const char *refused = "model 'fake': an instance that shares its state is "
                        "running";
  int64_t runs = 0;
  EXPECT_EQ(takeText(secondRun()), refused);
  EXPECT_EQ(takeText(HamKaasInstanceResetState(second)), refused);
  EXPECT_EQ(takeText(HamKaasInstanceReadState(second, "runs", &runs, 8)),
            refused);
  EXPECT_EQ(takeText(HamKaasInstanceWriteState(second, "runs", &runs, 8)),
            refused);
  EXPECT_EQ(takeText(HamKaasInstanceSaveState(second, "x")), refused);
  EXPECT_EQ(takeText(HamKaasInstanceLoadState(second, "x")), refused);
  EXPECT_EQ(takeText(HamKaasInstanceReadState(first, "runs", &runs, 8)),
            "model 'fake': the instance is running already");
  mayEnd = true;
  host.join();
  EXPECT_EQ(takeText(secondRun()), "");
}

// Constants do not change: their users run at the same time.
TEST_F(Sharing, ConstantsDoNotKeepOthersFromRunning) {
  shared.constantsOf = first;
  ASSERT_EQ(createSecond(), "");
  auto run = [](HamKaasInstance *instance) {
    FakeRun run(instance);
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(takeText(run()), "");
    EXPECT_EQ(run.runs, 1000);
  };
  std::thread host(run, first);
  run(second);
  host.join();
}
