//===- InstanceTest.cpp - Creating, running and failing -------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"
#include "FakeProgram.h"
#include "HamKaas/Runtime/Instance/CreateInstance.h"
#include "Text.h"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <thread>
#include <xmmintrin.h>

using namespace hamkaas::test;

namespace {
struct Instance : ::testing::Test {
  Instance() {
    options.structSize = sizeof(options);
    options.threads = 2;
    options.parameters = parameters.named;
    options.parameterCount = 2;
  }
  ~Instance() override { HamKaasInstanceDestroy(instance); }

  std::string create() {
    return takeText(HamKaasInstanceCreate(&fake.program, &options, &instance));
  }

  FakeProgram fake;
  FakeParameters parameters;
  HamKaasInstanceOptions options = {};
  HamKaasInstance *instance = nullptr;
};
} // namespace

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

TEST_F(Instance, Runs) {
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  for (int64_t i = 0; i < FakeProgram::elements; ++i)
    ASSERT_EQ(run.y[i], 2 * static_cast<float>(i) + 0.5f);
  EXPECT_EQ(run.runs, 1);
}

TEST_F(Instance, KeepsStateUntilReset) {
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(takeText(run()), "");
    EXPECT_EQ(run.runs, i + 1);
    EXPECT_EQ(run.y[0], 0.5f + static_cast<float>(i));
  }
  EXPECT_EQ(takeText(HamKaasInstanceResetState(instance)), "");
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(run.runs, 1);
}

TEST_F(Instance, ProfileCountsTheCallsThatSucceeded) {
  options.profile = 1;
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(takeText(run()), "");
  run.x[0] = -1;
  EXPECT_NE(takeText(run()), "");
  const HamKaasCallProfile *profile = HamKaasInstanceProfile(instance);
  ASSERT_NE(profile, nullptr);
  for (int call : {0, 1}) {
    EXPECT_EQ(profile[call].runs, 2u);
    EXPECT_GT(profile[call].nanoseconds, 0u);
    EXPECT_LT(profile[call].nanoseconds, 1000000000u);
  }
}

TEST_F(Instance, NoProfileUnlessAskedFor) {
  ASSERT_EQ(create(), "");
  EXPECT_EQ(HamKaasInstanceProfile(instance), nullptr);
  EXPECT_EQ(HamKaasInstanceProfile(nullptr), nullptr);
}

TEST_F(Instance, ParametersAreNeededOnlyDuringCreation) {
  ASSERT_EQ(create(), "");
  parameters.scale[7] = std::numeric_limits<float>::quiet_NaN();
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(run.y[7], 14.5f);
}

TEST_F(Instance, InstancesAreIndependent) {
  ASSERT_EQ(create(), "");
  HamKaasInstance *other = nullptr;
  ASSERT_EQ(takeText(HamKaasInstanceCreate(&fake.program, &options, &other)),
            "");
  FakeRun run(instance), otherRun(other);
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(takeText(otherRun()), "");
  EXPECT_EQ(otherRun.runs, 1);
  HamKaasInstanceDestroy(other);
}

TEST_F(Instance, ARunAllocatesNothing) {
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  int64_t before = allocationCount();
  for (int i = 0; i < 10; ++i)
    if (run())
      FAIL();
  EXPECT_EQ(allocationCount(), before);
}

TEST_F(Instance, RegionsAreAligned) {
  fake.program.run = [](HamKaasExecution *, const void *const *, void *const *,
                        const void *constants, void *state,
                        void *workspace) -> int32_t {
    for (const void *region : {constants, static_cast<const void *>(state),
                               static_cast<const void *>(workspace)})
      if (!region ||
          reinterpret_cast<uintptr_t>(region) % HAMKAAS_REGION_ALIGNMENT != 0)
        return 1;
    return 0;
  };
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
}

// The host's mode of flushing denormals must not change results.
TEST_F(Instance, ComputesInTheDefaultFloatingPointModes) {
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  run.x[2] = std::numeric_limits<float>::denorm_min();
  fake.program.run = [](HamKaasExecution *, const void *const *inputs,
                        void *const *outputs, const void *, void *,
                        void *) -> int32_t {
    volatile float x = static_cast<const float *>(inputs[0])[2];
    static_cast<float *>(outputs[0])[2] = x * 4;
    return 0;
  };
  unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040);
  HamKaasError error = run();
  unsigned after = _mm_getcsr();
  _mm_setcsr(saved);
  EXPECT_EQ(takeText(error), "");
  EXPECT_EQ(after & 0x8040u, 0x8040u);
  EXPECT_TRUE(std::fpclassify(run.y[2]) == FP_SUBNORMAL);
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

TEST_F(Instance, AFailedCheckSaysWhereAndWhy) {
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  run.x[0] = -3;
  run.y[5] = 77;
  EXPECT_EQ(takeText(run()),
            "fake.hk:3:6: error: x[0] is -3 after 1 runs, expected at least 0");
  EXPECT_EQ(run.y[5], 77);
  run.x[0] = 1;
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(run.runs, 2);
}

TEST_F(Instance, ReplacesOnlyPlacesThatExist) {
  fake.calls[0].check = "{0}{9} {x} {1} {} { {1";
  fake.calls[0].location = nullptr;
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  run.x[0] = -1;
  EXPECT_EQ(takeText(run()), "fake: error: -1{9} {x} 0 {} { {1");
}

TEST_F(Instance, AnUnknownFailureIsAnError) {
  ASSERT_EQ(create(), "");
  fake.program.run = [](HamKaasExecution *execution, const void *const *,
                        void *const *, const void *, void *,
                        void *) -> int32_t {
    execution->failure.call = 12;
    return 1;
  };
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()),
            "model 'fake': error: a run-time check failed in unknown call 12");
}

static std::atomic<bool> isRunning, mayEnd;

TEST_F(Instance, ASecondConcurrentRunIsAnError) {
  ASSERT_EQ(create(), "");
  isRunning = mayEnd = false;
  fake.program.run = [](HamKaasExecution *, const void *const *, void *const *,
                        const void *, void *, void *) -> int32_t {
    isRunning = true;
    while (!mayEnd)
      std::this_thread::yield();
    return 0;
  };
  FakeRun first(instance), second(instance);
  std::thread host([&] { EXPECT_EQ(takeText(first()), ""); });
  while (!isRunning)
    std::this_thread::yield();
  EXPECT_EQ(takeText(second()),
            "model 'fake': the instance is running already");
  EXPECT_EQ(takeText(HamKaasInstanceResetState(instance)),
            "model 'fake': the instance is running already");
  mayEnd = true;
  host.join();
  EXPECT_EQ(takeText(second()), "");
}

TEST_F(Instance, MissingAndMisalignedBuffersAreErrors) {
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  void *outputs[] = {run.y, nullptr};
  const void *inputs[] = {run.x};
  EXPECT_EQ(takeText(HamKaasInstanceRun(instance, inputs, outputs)),
            "output 'runs': expected an address, got null");
  EXPECT_EQ(takeText(HamKaasInstanceRun(instance, nullptr, outputs)),
            "expected 1 input addresses, got null");
  inputs[0] = reinterpret_cast<const char *>(run.x) + 1;
  EXPECT_EQ(takeText(HamKaasInstanceRun(instance, inputs, outputs))
                .find("input 'x': expected an address aligned to 4 bytes"),
            0u);
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

TEST_F(Instance, NullArgumentsAreErrors) {
  EXPECT_EQ(takeText(HamKaasInstanceCreate(nullptr, &options, &instance)),
            "expected a program, got null");
  EXPECT_EQ(takeText(HamKaasInstanceCreate(&fake.program, &options, nullptr)),
            "expected a place for the instance, got null");
  EXPECT_EQ(takeText(HamKaasInstanceRun(nullptr, nullptr, nullptr)),
            "expected an instance, got null");
  EXPECT_EQ(takeText(HamKaasInstanceResetState(nullptr)),
            "expected an instance, got null");
  HamKaasInstanceDestroy(nullptr);
  HamKaasErrorFree(nullptr);
}

TEST_F(Instance, RefusesOtherDescriptors) {
  fake.program.structSize = 8;
  EXPECT_EQ(create().find("expected a program descriptor of at least"), 0u);
  fake.program.structSize = sizeof(HamKaasProgram);
  fake.program.version = 1;
  EXPECT_EQ(create(), "expected a program of version 9, got 1; compile the "
                      "model with the compiler of this runtime");
  fake.program.version = HAMKAAS_PROGRAM_VERSION;
  fake.program.isaLevel = 9;
  EXPECT_EQ(create(), "program needs instruction set level 9, which this "
                      "runtime does not know");
  fake.program.isaLevel = 1;
  HamKaasTensorInfo input = fake.program.inputs[0];
  for (int32_t number : {-1, 13}) {
    HamKaasTensorInfo unknown = input;
    unknown.elementType = number;
    fake.program.inputs = &unknown;
    EXPECT_EQ(create(), "model 'fake': expected the number of the element type "
                        "of '" +
                            std::string(input.name) +
                            "' to be from 0 to 12, got " +
                            std::to_string(number));
  }
  fake.program.inputs = &input;
  HamKaasInitialState initial = {0, 8, 1, 0};
  fake.program.initialStates = &initial;
  fake.program.initialStateCount = 1;
  EXPECT_EQ(create(), "model 'fake': expected the number of a state with "
                      "contents to be from 0 to 0, got 1");
  std::string range = "model 'fake': expected contents of 1 to 8 bytes for "
                      "state 'runs', within 4100 bytes of constants, got ";
  initial = {0, 0, 0, 0};
  EXPECT_EQ(create(), range + "0 at 0");
  initial = {0, 9, 0, 0};
  EXPECT_EQ(create(), range + "9 at 0");
  initial = {4096, 8, 0, 0};
  EXPECT_EQ(create(), range + "8 at 4096");
  initial = {UINT64_MAX, 8, 0, 0};
  EXPECT_EQ(create(), range + "8 at 18446744073709551615");
  fake.program.initialStateCount = 0;
  HamKaasDeviceCode code = {};
  code.structSize = 8;
  fake.program.deviceCode = &code;
  EXPECT_EQ(create(), "model 'fake': expected device code of at least " +
                          std::to_string(sizeof(code)) + " bytes, got 8");
  code.structSize = sizeof(code);
  code.image = "";
  code.imageBytes = 1;
  code.run = fake.program.run;
  EXPECT_EQ(create(), "model 'fake': the program has no prepare function");
  code.run = nullptr;
  EXPECT_EQ(create(), "model 'fake': the program has no run function");
  fake.program.deviceCode = nullptr;
  fake.program.prepare = nullptr;
  EXPECT_EQ(create(), "model 'fake': the program has no prepare function");
  fake.program.run = nullptr;
  EXPECT_EQ(create(), "model 'fake': the program has no run function");
  EXPECT_EQ(instance, nullptr);
}

TEST_F(Instance, RefusesWrongOptions) {
  options.device = "abacus";
  EXPECT_EQ(create(),
            "unknown device 'abacus', this runtime offers 'cpu' 'cuda' "
            "'cuda:N' 'best'");
  options.device = "cpu";
  options.threads = -2;
  EXPECT_EQ(create(), "expected 0 to 4096 threads, got -2");
  options.threads = 1;
  options.parameterCount = -1;
  EXPECT_EQ(create(), "expected a parameterCount of at least 0, got -1");
  options.parameterCount = 2;
  options.parameters = nullptr;
  EXPECT_EQ(create(), "expected 2 parameters, got null");
  // Nothing, a cut pointer, and what only an unset size can be.
  for (size_t size : {size_t{0}, sizeof(options) - 4, size_t{4104}, SIZE_MAX}) {
    options.structSize = size;
    EXPECT_EQ(create(), "expected the size of HamKaasInstanceOptions in "
                        "structSize, got " +
                            std::to_string(size));
  }
}

// Options of a newer caller must not be ignored.
TEST_F(Instance, NewerCallersOptions) {
  struct {
    HamKaasInstanceOptions known;
    int64_t more = 0;
  } newer;
  newer.known = options;
  newer.known.structSize = sizeof(newer);
  HamKaasInstance *created = nullptr;
  EXPECT_EQ(
      takeText(HamKaasInstanceCreate(&fake.program, &newer.known, &created)),
      "");
  HamKaasInstanceDestroy(created);
  newer.more = 1;
  EXPECT_EQ(
      takeText(HamKaasInstanceCreate(&fake.program, &newer.known, &created)),
      "HamKaasInstanceOptions asks for what this library does not know");
}

// Members that an older caller's struct does not have are as if zero.
TEST_F(Instance, ReadsNoFurtherThanTheCallersOptions) {
  fake.parameters[0].data = parameters.scale;
  fake.parameters[1].data = parameters.bias;
  options.structSize = offsetof(HamKaasInstanceOptions, parameters);
  options.parameterCount = -5;
  EXPECT_EQ(create(), "");
}

TEST_F(Instance, RunsWithoutOptions) {
  fake.parameters[0].data = parameters.scale;
  fake.parameters[1].data = parameters.bias;
  ASSERT_EQ(takeText(HamKaasInstanceCreate(&fake.program, nullptr, &instance)),
            "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
}

TEST_F(Instance, HugeRegionsAreErrors) {
  for (uint64_t bytes : {UINT64_MAX, UINT64_MAX - 100, uint64_t{1} << 62}) {
    fake.program.workspaceBytes = bytes;
    EXPECT_EQ(create(), "model 'fake': cannot allocate " +
                            std::to_string(bytes) + " bytes for its workspace");
  }
}

TEST_F(Instance, EmptyRegionsAreNull) {
  fake.program.constantsBytes = 0;
  fake.program.stateBytes = 0;
  fake.program.workspaceBytes = 0;
  fake.program.prepare = nullptr;
  fake.program.run = [](HamKaasExecution *, const void *const *, void *const *,
                        const void *constants, void *state,
                        void *workspace) -> int32_t {
    return constants || state || workspace;
  };
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(takeText(HamKaasInstanceResetState(instance)), "");
}

TEST_F(Instance, AFailedPreparationIsAnError) {
  fake.program.prepare = [](HamKaasExecution *execution, const void *const *,
                            void *, void *) -> int32_t {
    execution->failure = {1, {0, 0, 0, 0}};
    return 1;
  };
  EXPECT_EQ(create(), "fake.hk:4:6: error: a run-time check failed");
}

// A caller that was compiled before instances could share anything.
TEST_F(Instance, TakesOlderOptions) {
  options.structSize = offsetof(HamKaasInstanceOptions, constantsOf);
  options.constantsOf = reinterpret_cast<HamKaasInstance *>(&fake);
  options.stateOf = reinterpret_cast<HamKaasInstance *>(&fake);
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(run.y[7], 14.5f);
}

// Whichever allocation fails, there is an error, no crash, and nothing lost
// (which the sanitizers see).
TEST_F(Instance, SurvivesEachFailedAllocation) {
  bool created = false;
  for (int64_t passing = 0; passing < 100 && !created; ++passing) {
    failAllocationAfter(passing);
    HamKaasError error =
        HamKaasInstanceCreate(&fake.program, &options, &instance);
    failAllocationAfter(-1);
    created = error == nullptr;
    EXPECT_EQ(created, instance != nullptr);
    HamKaasErrorFree(error);
  }
  EXPECT_TRUE(created);
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

// Expects each function to refuse an invalid instance.
static void expectRefused(HamKaasInstance *instance,
                          const std::string &expected) {
  const void *inputs[] = {nullptr};
  void *outputs[] = {nullptr, nullptr};
  int64_t runs = 0;
  for (HamKaasError error :
       {HamKaasInstanceRun(instance, inputs, outputs),
        HamKaasInstanceResetState(instance),
        HamKaasInstanceReadState(instance, "runs", &runs, 8),
        HamKaasInstanceWriteState(instance, "runs", &runs, 8),
        HamKaasInstanceSaveState(instance, "x"),
        HamKaasInstanceLoadState(instance, "x")})
    EXPECT_EQ(takeText(error), expected);
  EXPECT_EQ(HamKaasInstanceProfile(instance), nullptr);
  EXPECT_EQ(HamKaasInstanceDevice(instance), nullptr);
  HamKaasInstanceDestroy(instance);
}

TEST_F(Instance, AnAddressThatIsNoHandleIsAnError) {
  ASSERT_EQ(create(), "");
  char other[64] = {};
  const char *expected = "expected an instance, got an address that is no "
                         "handle";
  expectRefused(reinterpret_cast<HamKaasInstance *>(other), expected);
  expectRefused(reinterpret_cast<HamKaasInstance *>(1), expected);
  expectRefused(reinterpret_cast<HamKaasInstance *>(UINTPTR_MAX), expected);
  expectRefused(nullptr, "expected an instance, got null");
}

TEST_F(Instance, ADestroyedInstanceIsAnError) {
  ASSERT_EQ(create(), "");
  HamKaasInstance *old = instance;
  HamKaasInstanceDestroy(old);
  const char *expected =
      "expected an instance, got a handle that was destroyed";
  expectRefused(old, expected);
  // Also when another one has taken its place.
  ASSERT_EQ(create(), "");
  EXPECT_NE(instance, old);
  expectRefused(old, expected);
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
}

static void countRelease(void *counter) { ++*static_cast<int *>(counter); }

TEST_F(Instance, ReleasesWhatItKeepsAliveLast) {
  int releases = 0;
  ASSERT_EQ(textOf(hamkaas::rt::createInstance(
                &fake.program, &options, {countRelease, &releases}, instance)),
            "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(releases, 0);
  HamKaasInstanceDestroy(instance);
  EXPECT_EQ(releases, 1);
  HamKaasInstanceDestroy(instance);
  EXPECT_EQ(releases, 1);
}

TEST_F(Instance, ReleasesWhatItKeepsAliveAfterAnError) {
  int releases = 0;
  auto createKeeping = [&](const HamKaasProgram *program) {
    return textOf(hamkaas::rt::createInstance(
        program, &options, {countRelease, &releases}, instance));
  };
  EXPECT_NE(createKeeping(nullptr), "");
  EXPECT_EQ(releases, 1);
  options.parameterCount = 1;
  EXPECT_NE(createKeeping(&fake.program), "");
  EXPECT_EQ(releases, 2);
  options.parameterCount = 2;
  for (int64_t passing = 0; passing < 100 && !instance; ++passing) {
    releases = 0;
    failAllocationAfter(passing);
    std::string error = createKeeping(&fake.program);
    failAllocationAfter(-1);
    EXPECT_EQ(releases, error.empty() ? 0 : 1);
  }
  EXPECT_NE(instance, nullptr);
  HamKaasInstanceDestroy(instance);
  EXPECT_EQ(releases, 1);
}

// The memory is kept until the run is over.
TEST_F(Instance, MayBeDestroyedDuringARun) {
  int releases = 0;
  isRunning = mayEnd = false;
  fake.program.run = [](HamKaasExecution *, const void *const *,
                        void *const *outputs, const void *, void *state,
                        void *) -> int32_t {
    isRunning = true;
    while (!mayEnd)
      std::this_thread::yield();
    static_cast<int64_t *>(outputs[1])[0] = ++static_cast<int64_t *>(state)[0];
    return 0;
  };
  ASSERT_EQ(textOf(hamkaas::rt::createInstance(
                &fake.program, &options, {countRelease, &releases}, instance)),
            "");
  FakeRun run(instance);
  std::thread host([&] { EXPECT_EQ(takeText(run()), ""); });
  while (!isRunning)
    std::this_thread::yield();
  HamKaasInstanceDestroy(instance);
  expectRefused(instance,
                "expected an instance, got a handle that was destroyed");
  EXPECT_EQ(releases, 0);
  mayEnd = true;
  host.join();
  EXPECT_EQ(run.runs, 1);
  EXPECT_EQ(releases, 1);
}
