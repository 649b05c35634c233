//===- FunctionsTest.cpp - Programs with several entry functions ----------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CountingDevice.h"
#include "FakeProgram.h"
#include "HamKaas/Runtime/Instance/CreateInstance.h"
#include "Text.h"

#include <gtest/gtest.h>

using namespace hamkaas::rt;
using namespace hamkaas::test;

// Returns the state and a sum over the start of the workspace.
static int32_t peek(HamKaasExecution *execution, const void *const *,
                    void *const *outputs, const void *, void *state,
                    void *workspace) {
  *static_cast<int64_t *>(outputs[0]) = *static_cast<int64_t *>(state);
  // It needs more than the other function.
  static_cast<char *>(workspace)[8191] = 1;
  if (execution->callDone)
    execution->callDone(execution->profile, 0);
  return 0;
}

namespace {
/// A program with the functions `main` and `peek`, which share a state.
struct Functions : ::testing::Test {
  void SetUp() override {
    HamKaasProgram &first = fake.program;
    first.function = "main";
    first.functions = table;
    first.functionCount = 2;
    second = first;
    second.function = "peek";
    second.inputs = nullptr;
    second.inputCount = 0;
    second.outputs = fake.outputs + 1;
    second.outputCount = 1;
    second.calls = fake.calls + 1;
    second.callCount = 1;
    second.workspaceBytes = 8192;
    second.run = peek;
    options.structSize = sizeof(options);
    options.parameters = parameters.named;
    options.parameterCount = 2;
    options.profile = 1;
  }
  ~Functions() override { HamKaasInstanceDestroy(instance); }

  std::string create(const HamKaasProgram &program) {
    return textOf(
        createInstance(program, options, makeCountingDevice(counts), instance));
  }
  std::string runPeek(int64_t &runs) {
    void *outputs[] = {&runs};
    return takeText(HamKaasInstanceRunFunction(instance, 1, nullptr, outputs));
  }

  FakeProgram fake;
  FakeParameters parameters;
  HamKaasProgram second;
  const HamKaasProgram *table[2] = {&fake.program, &second};
  HamKaasInstanceOptions options = {};
  DeviceCounts counts;
  HamKaasInstance *instance = nullptr;
};
} // namespace

TEST_F(Functions, AreListed) {
  EXPECT_EQ(HamKaasProgramFunctionCount(&fake.program), 2);
  EXPECT_EQ(HamKaasProgramFunction(&fake.program, 0), &fake.program);
  EXPECT_EQ(HamKaasProgramFunction(&fake.program, 1), &second);
  EXPECT_EQ(HamKaasProgramFunction(&fake.program, 2), nullptr);
  EXPECT_EQ(HamKaasProgramFunction(&fake.program, -1), nullptr);
  EXPECT_STREQ(HamKaasProgramFunctionName(&second), "peek");
  EXPECT_EQ(HamKaasProgramFindFunction(&second, "main"), 0);
  EXPECT_EQ(HamKaasProgramFindFunction(&fake.program, "peek"), 1);
  EXPECT_EQ(HamKaasProgramFindFunction(&fake.program, "other"), -1);
  EXPECT_EQ(HamKaasProgramFindFunction(&fake.program, nullptr), -1);
  EXPECT_EQ(HamKaasProgramFunctionCount(nullptr), 0);
  EXPECT_EQ(HamKaasProgramFunction(nullptr, 0), nullptr);
  EXPECT_EQ(HamKaasProgramFunctionName(nullptr), nullptr);
}

TEST_F(Functions, ProgramOfOneIsShorter) {
  fake.program.structSize = offsetof(HamKaasProgram, function);
  EXPECT_EQ(HamKaasProgramFunctionCount(&fake.program), 1);
  EXPECT_EQ(HamKaasProgramFunction(&fake.program, 0), &fake.program);
  EXPECT_STREQ(HamKaasProgramFunctionName(&fake.program), "main");
  ASSERT_EQ(create(fake.program), "");
  int64_t runs = 0;
  EXPECT_EQ(runPeek(runs), "model 'fake': expected the number of a function "
                           "from 0 to 0, got 1");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
}

TEST_F(Functions, ShareState) {
  ASSERT_EQ(create(fake.program), "");
  int64_t runs = -1;
  EXPECT_EQ(runPeek(runs), "");
  EXPECT_EQ(runs, 0);
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(runPeek(runs), "");
  EXPECT_EQ(runs, 1);
  const void *inputs[] = {run.x};
  void *outputs[] = {run.y, &run.runs};
  EXPECT_EQ(takeText(HamKaasInstanceRunFunction(instance, 0, inputs, outputs)),
            "");
  EXPECT_EQ(run.runs, 2);
}

TEST_F(Functions, HaveProfilesOfTheirOwn) {
  ASSERT_EQ(create(fake.program), "");
  int64_t runs = 0;
  EXPECT_EQ(runPeek(runs), "");
  EXPECT_EQ(runPeek(runs), "");
  EXPECT_EQ(HamKaasInstanceFunctionProfile(instance, 1)->runs, 2u);
  EXPECT_EQ(HamKaasInstanceFunctionProfile(instance, 0)->runs, 0u);
  EXPECT_EQ(HamKaasInstanceFunctionProfile(instance, 0),
            HamKaasInstanceProfile(instance));
  EXPECT_EQ(HamKaasInstanceFunctionProfile(instance, 2), nullptr);
}

// The instance of a further function runs that one by itself.
TEST_F(Functions, InstanceMayBeOfAnyFunction) {
  ASSERT_EQ(create(second), "");
  int64_t runs = -1;
  void *outputs[] = {&runs};
  EXPECT_EQ(takeText(HamKaasInstanceRun(instance, nullptr, outputs)), "");
  EXPECT_EQ(runs, 0);
}

TEST_F(Functions, WrongNumbersAreErrors) {
  ASSERT_EQ(create(fake.program), "");
  for (int32_t number : {-1, 2, INT32_MAX, INT32_MIN})
    EXPECT_EQ(takeText(HamKaasInstanceRunFunction(instance, number, nullptr,
                                                  nullptr)),
              "model 'fake': expected the number of a function from 0 to 1, "
              "got " +
                  std::to_string(number));
}

TEST_F(Functions, WrongTablesAreErrors) {
  options.device = "cpu";
  auto refuse = [&] {
    return takeText(HamKaasInstanceCreate(&fake.program, &options, &instance));
  };
  second.constantsBytes += 4;
  EXPECT_EQ(refuse(), "model 'fake': expected functions with the same "
                      "constants and state, got others for function 'peek'");
  second.constantsBytes -= 4;
  second.run = nullptr;
  EXPECT_EQ(refuse(), "model 'fake': the program has no run function");
  table[1] = nullptr;
  EXPECT_EQ(refuse(), "expected a program, got null");
  fake.program.functionCount = 0;
  EXPECT_EQ(refuse(), "model 'fake': expected at least one function, got 0");
}
