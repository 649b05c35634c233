//===- SharedThreadsTest.cpp - Threads of several instances ---------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Cpu/SharedThreads.h"
#include "Text.h"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

using namespace hamkaas::rt;
using namespace hamkaas::test;

namespace {

struct ReleaseThreads {
  void operator()(SharedThreads *shared) const {
    SharedThreads::release(shared);
  }
};
using OwnedThreads = std::unique_ptr<SharedThreads, ReleaseThreads>;

OwnedThreads acquire(int32_t threads) {
  SharedThreads *shared = nullptr;
  EXPECT_EQ(textOf(SharedThreads::acquire(threads, shared)), "");
  return OwnedThreads(shared);
}

} // namespace

TEST(SharedThreads, AreOnesOfEachNumber) {
  OwnedThreads two = acquire(2), again = acquire(2), three = acquire(3);
  EXPECT_EQ(two.get(), again.get());
  EXPECT_NE(two.get(), three.get());
  two.reset();
  EXPECT_EQ(acquire(2).get(), again.get());
  SharedThreads *none = nullptr;
  EXPECT_EQ(textOf(SharedThreads::acquire(-1, none)),
            "expected 0 to 4096 threads, got -1");
  EXPECT_EQ(none, nullptr);
}

// Adds 1 to each tile's counter; may run on several threads.
static int32_t countTiles(void *const *arguments, int64_t begin, int64_t end,
                          int64_t *) {
  auto *counters = static_cast<std::atomic<int32_t> *>(arguments[0]);
  for (int64_t i = begin; i < end; ++i)
    ++counters[i];
  return 0;
}

// Runs tiles on the same threads, which have work already.
static int32_t runInside(void *const *arguments, int64_t begin, int64_t end,
                         int64_t *values) {
  auto *shared = static_cast<SharedThreads *>(arguments[1]);
  for (int64_t i = begin; i < end; ++i)
    if (shared->run(countTiles, arguments, 100, values) != 0)
      return 1;
  return 0;
}

TEST(SharedThreads, RunOnTheCallerWhileTheyAreBusy) {
  OwnedThreads shared = acquire(3);
  std::vector<std::atomic<int32_t>> counters(100);
  void *arguments[] = {counters.data(), shared.get()};
  int64_t values[4];
  EXPECT_EQ(shared->run(runInside, arguments, 20, values), 0);
  for (const std::atomic<int32_t> &counter : counters)
    EXPECT_EQ(counter, 20);
  EXPECT_EQ(shared->run(countTiles, arguments, 0, values), 0);
}

TEST(SharedThreads, RunForManyCallers) {
  OwnedThreads shared = acquire(2);
  std::vector<std::atomic<int32_t>> counters(1000);
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      void *arguments[] = {counters.data()};
      for (int k = 0; k < 100; ++k)
        EXPECT_EQ(shared->run(countTiles, arguments, 1000, nullptr), 0);
    });
  for (std::thread &caller : callers)
    caller.join();
  for (const std::atomic<int32_t> &counter : counters)
    EXPECT_EQ(counter, 400);
}
