//===- ReferenceEngineTest.cpp - The interpreter as an engine ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Engine/EngineHost.h"
#include "HamKaas/Engine/VerifyEngine.h"
#include "HamKaas/Runtime/Engine/EngineGroup.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <thread>

using namespace hamkaas;
using ::testing::HasSubstr;

namespace {

constexpr const char *product = "hamkaas-group 1\n"
                                "input float32 7 64\n"
                                "constant float32 64 5\n"
                                "node matmul 0 1 : float32 7 5\n"
                                "node relu 2 : float32 7 5\n";

class ReferenceEngineTest : public ::testing::Test {
protected:
  void SetUp() override {
    auto found = EngineHost::get(HAMKAAS_ENGINES).find("reference");
    if (!found) {
      llvm::consumeError(found.takeError());
      GTEST_SKIP() << "there is no engine 'reference'";
    }
    engine = *found;
  }

  rt::EngineAccess engine;
};

} // namespace

TEST_F(ReferenceEngineTest, RunsAPlanInSeveralThreadsAtOnce) {
  rt::EngineGroup group;
  ASSERT_FALSE(group.parse(product));
  HamKaasEnginePlan plan;
  bool isPlanned = false;
  ASSERT_FALSE(engine.plan(group.get(), "", plan, isPlanned));
  ASSERT_TRUE(isPlanned);
  std::vector<float> w(64 * 5);
  for (size_t i = 0; i < w.size(); ++i)
    w[i] = float(i % 11) - 5;
  auto compute = [&](int seed) {
    std::vector<float> x(7 * 64), y(7 * 5);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float((i * 7 + seed) % 13) - 6;
    const void *inputs[] = {x.data(), w.data()};
    HamKaasEngineRun run = {};
    run.structSize = sizeof(run);
    run.inputs = inputs;
    run.result = y.data();
    EXPECT_FALSE(engine.run(plan, run));
    return y;
  };
  std::vector<std::vector<float>> expected;
  for (int seed = 0; seed < 13; ++seed)
    expected.push_back(compute(seed));
  EXPECT_NE(expected[0], expected[1]);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 50; ++i)
        EXPECT_EQ(compute((i + thread) % 13), expected[(i + thread) % 13]);
    });
  for (std::thread &thread : threads)
    thread.join();
  engine.destroy(plan);
}

TEST_F(ReferenceEngineTest, IsVerified) {
  llvm::Error error = verifyEngine(engine, product, "", "matmul+relu at x:1");
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
}

TEST_F(ReferenceEngineTest, DoesNotApplyToWhatIsNoGraph) {
  rt::EngineGroup group;
  ASSERT_FALSE(group.parse("hamkaas-group 1\n"
                           "input float32 4\n"
                           "node magic 0 : float32 4\n"));
  bool applies = true;
  double seconds = 0;
  EXPECT_FALSE(engine.applies(group.get(), applies, seconds));
  EXPECT_FALSE(applies);
}

TEST_F(ReferenceEngineTest, VerificationNamesTheEngineAndThePlace) {
  std::string text = llvm::toString(verifyEngine(
      engine, "hamkaas-group 1\ninput float32 4\nnode magic 0 : float32 4\n",
      "", "magic at x:1"));
  EXPECT_THAT(text, HasSubstr("engine 'reference' of "));
  EXPECT_THAT(text,
              HasSubstr(": magic at x:1: the reference interpreter cannot "
                        "compute the group: expected an operation, got "
                        "'magic'"));
  EXPECT_THAT(llvm::toString(verifyEngine(engine, "nothing", "", "x")),
              HasSubstr("hamkaas-group 1"));
}
