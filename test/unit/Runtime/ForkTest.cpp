//===- ForkTest.cpp - Programs in forked children -------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeProgram.h"
#include "HamKaas/Runtime/Core/ForkDetector.h"
#include "HamKaas/Runtime/Core/HandleTable.h"
#include "HamKaas/Runtime/Cpu/ThreadPool.h"
#include "Text.h"

#include <atomic>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace hamkaas::rt;
using namespace hamkaas::test;

// True if `check` returns true in a child. A child that hangs times out.
static bool holdsInChild(const std::function<bool()> &check) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(check() ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_FALSE(WIFSIGNALED(status)) << "signal " << WTERMSIG(status);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

//===----------------------------------------------------------------------===//
// The parts
//===----------------------------------------------------------------------===//

TEST(Fork, IsDetected) {
  for (auto method :
       {ForkDetector::Method::Page, ForkDetector::Method::ProcessId}) {
    ForkDetector detector;
    detector.start(method);
    EXPECT_FALSE(detector.isChild());
    EXPECT_TRUE(holdsInChild([&] {
      return detector.isChild() &&
             holdsInChild([&] { return detector.isChild(); });
    }));
    EXPECT_TRUE(holdsInChild([] {
      ForkDetector own;
      own.start();
      return !own.isChild();
    }));
    EXPECT_FALSE(detector.isChild());
  }
}

// Adds 1 to each tile's counter.
static int32_t countTiles(void *const *arguments, int64_t begin, int64_t end,
                          int64_t *) {
  int32_t *counters = static_cast<int32_t *>(arguments[0]);
  for (int64_t i = begin; i < end; ++i)
    ++counters[i];
  return 0;
}

static bool runsAllTiles(ThreadPool *pool) {
  std::vector<int32_t> counters(1000);
  void *arguments[] = {counters.data()};
  int64_t values[4];
  return pool->run(countTiles, arguments, 1000, values) == 0 &&
         counters == std::vector<int32_t>(1000, 1);
}

TEST(Fork, APoolWorksInAChild) {
  ThreadPool *pool = nullptr;
  ASSERT_EQ(textOf(ThreadPool::create(3, pool)), "");
  EXPECT_TRUE(runsAllTiles(pool));
  EXPECT_TRUE(holdsInChild([&] {
    bool runs =
        runsAllTiles(pool) && holdsInChild([&] { return runsAllTiles(pool); });
    ThreadPool::destroy(pool);
    return runs;
  }));
  EXPECT_TRUE(runsAllTiles(pool));
  ThreadPool::destroy(pool);
}

// Children are forked at all moments of a use.
TEST(Fork, ATableInUseWorksInAChild) {
  static HandleTable table;
  static constexpr HandleKind kind = {1, "a thing"};
  auto use = [] {
    void *handle = nullptr;
    return !table.add(
               kind, &handle, [](void *) {}, handle) &&
           table.pin(handle, kind) == &handle &&
           (table.unpin(handle), table.remove(handle, kind));
  };
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done)
      EXPECT_TRUE(use());
  });
  for (int i = 0; i < 50; ++i)
    EXPECT_TRUE(holdsInChild(use));
  done = true;
  other.join();
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

namespace {
struct ForkedInstance : ::testing::Test {
  void SetUp() override {
    options.structSize = sizeof(options);
    options.threads = 3;
    options.parameters = parameters.named;
    options.parameterCount = 2;
    ASSERT_EQ(
        takeText(HamKaasInstanceCreate(&fake.program, &options, &instance)),
        "");
  }
  ~ForkedInstance() override { HamKaasInstanceDestroy(instance); }

  FakeProgram fake;
  FakeParameters parameters;
  HamKaasInstanceOptions options = {};
  HamKaasInstance *instance = nullptr;
};
} // namespace

TEST_F(ForkedInstance, RunsInAChildWithTheSameBits) {
  FakeRun run(instance), second(instance);
  for (int64_t i = 0; i < FakeProgram::elements; ++i)
    run.x[i] = second.x[i] = 1.0f / static_cast<float>(i + 3);
  ASSERT_EQ(takeText(run()), "");
  ASSERT_EQ(takeText(run()), "");
  ASSERT_EQ(takeText(HamKaasInstanceResetState(instance)), "");
  ASSERT_EQ(takeText(second()), "");
  // The child goes on from the parent's state, which it does not change.
  for (int child = 0; child < 2; ++child)
    EXPECT_TRUE(holdsInChild([&] {
      bool same = takeText(second()) == "" && second.runs == 2 &&
                  memcmp(run.y, second.y, sizeof(run.y)) == 0;
      HamKaasInstanceDestroy(instance);
      return same;
    }));
  EXPECT_EQ(takeText(second()), "");
  EXPECT_EQ(second.runs, 2);
  EXPECT_EQ(memcmp(run.y, second.y, sizeof(run.y)), 0);
}

TEST_F(ForkedInstance, FailuresAreTheSameInAChild) {
  FakeRun run(instance);
  run.x[0] = -1;
  std::string expected = takeText(run());
  EXPECT_NE(expected, "");
  EXPECT_TRUE(holdsInChild([&] { return takeText(run()) == expected; }));
}

TEST_F(ForkedInstance, AChildMakesItsOwn) {
  EXPECT_TRUE(holdsInChild([&] {
    HamKaasInstance *own = nullptr;
    if (takeText(HamKaasInstanceCreate(&fake.program, &options, &own)) != "")
      return false;
    FakeRun run(own);
    bool runs = takeText(run()) == "" && run.runs == 1;
    HamKaasInstanceDestroy(own);
    return runs;
  }));
}

static std::atomic<bool> isRunning, mayEnd;

TEST_F(ForkedInstance, WhatRanInTheParentCannotRunInAChild) {
  isRunning = mayEnd = false;
  fake.program.run = [](HamKaasExecution *, const void *const *, void *const *,
                        const void *, void *, void *) -> int32_t {
    isRunning = true;
    while (!mayEnd)
      std::this_thread::yield();
    return 0;
  };
  FakeRun run(instance), second(instance);
  std::thread host([&] { EXPECT_EQ(takeText(run()), ""); });
  while (!isRunning)
    std::this_thread::yield();
  EXPECT_TRUE(holdsInChild([&] {
    bool refused =
        takeText(second()) == "model 'fake': the instance is running already";
    HamKaasInstanceDestroy(instance);
    return refused &&
           takeText(second()) ==
               "expected an instance, got a handle that was destroyed";
  }));
  mayEnd = true;
  host.join();
  EXPECT_EQ(takeText(second()), "");
}
