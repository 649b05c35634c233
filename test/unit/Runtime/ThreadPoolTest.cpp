//===- ThreadPoolTest.cpp - Tiles, threads and failures -------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Cpu/ThreadPool.h"
#include "Text.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sched.h>
#include <thread>
#include <unistd.h>
#include <vector>
#include <xmmintrin.h>

using namespace hamkaas::rt;
using namespace hamkaas::test;

namespace {

/// A pool of so many threads for each test of this suite.
class ThreadPoolTest : public ::testing::TestWithParam<int32_t> {
protected:
  void SetUp() override {
    ASSERT_EQ(textOf(ThreadPool::create(GetParam(), pool)), "");
  }
  void TearDown() override { ThreadPool::destroy(pool); }

  ThreadPool *pool = nullptr;
  int64_t values[4] = {-1, -1, -1, -1};
};

} // namespace

// Adds 1 to each tile's counter.
static int32_t countTiles(void *const *arguments, int64_t begin, int64_t end,
                          int64_t *) {
  int32_t *counters = static_cast<int32_t *>(arguments[0]);
  for (int64_t i = begin; i < end; ++i)
    ++counters[i];
  return 0;
}

TEST_P(ThreadPoolTest, RunsEachTileOnce) {
  EXPECT_EQ(pool->threadCount(), GetParam());
  for (int64_t tiles : {1, 2, 3, 4, 5, 31, 32, 33, 1000, 4097}) {
    std::vector<int32_t> counters(tiles);
    void *arguments[] = {counters.data()};
    EXPECT_EQ(pool->run(countTiles, arguments, tiles, values), 0);
    EXPECT_EQ(counters, std::vector<int32_t>(tiles, 1)) << tiles << " tiles";
  }
}

TEST_P(ThreadPoolTest, RunsNothingForNoTiles) {
  EXPECT_EQ(pool->run(countTiles, nullptr, 0, values), 0);
}

// Fails unless it gets no place for values.
static int32_t expectNoValues(void *const *, int64_t, int64_t,
                              int64_t *values) {
  return values == nullptr ? 0 : 1;
}

TEST_P(ThreadPoolTest, PassesOnThatChecksWereMade) {
  for (int64_t tiles : {1, 2, 1000}) {
    EXPECT_EQ(pool->run(expectNoValues, nullptr, tiles, nullptr), 0);
    EXPECT_EQ(pool->run(expectNoValues, nullptr, tiles, values), 1);
  }
}

TEST_P(ThreadPoolTest, RunsManyTinyRegions) {
  constexpr int64_t tiles = 7;
  std::vector<int32_t> counters(tiles);
  void *arguments[] = {counters.data()};
  for (int i = 0; i < 100000; ++i)
    ASSERT_EQ(pool->run(countTiles, arguments, tiles, values), 0);
  EXPECT_EQ(counters, std::vector<int32_t>(tiles, 100000));
}

// Helpers fall asleep in between, and at every moment of falling asleep.
TEST_P(ThreadPoolTest, WakesSleepingHelpers) {
  constexpr int64_t tiles = 64;
  std::vector<int32_t> counters(tiles);
  void *arguments[] = {counters.data()};
  for (int i = 0; i < 200; ++i) {
    usleep(static_cast<useconds_t>(i * 5));
    ASSERT_EQ(pool->run(countTiles, arguments, tiles, values), 0);
  }
  EXPECT_EQ(counters, std::vector<int32_t>(tiles, 200));
}

// A reference to the arguments of a region that is over would show here.
TEST_P(ThreadPoolTest, EachRegionSeesItsOwnArguments) {
  for (int i = 0; i < 2000; ++i) {
    std::vector<int32_t> counters(1 + i % 40);
    void *arguments[] = {counters.data()};
    ASSERT_EQ(pool->run(countTiles, arguments,
                        static_cast<int64_t>(counters.size()), values),
              0);
    ASSERT_EQ(counters, std::vector<int32_t>(counters.size(), 1));
  }
}

// Writes down which thread runs a tile, and waits until all tiles have begun.
static int32_t meetAll(void *const *arguments, int64_t begin, int64_t end,
                       int64_t *) {
  auto *threads = static_cast<std::thread::id *>(arguments[0]);
  auto &missing = *static_cast<std::atomic<int64_t> *>(arguments[1]);
  for (int64_t i = begin; i < end; ++i)
    threads[i] = std::this_thread::get_id();
  missing -= end - begin;
  while (missing > 0)
    std::this_thread::yield();
  return 0;
}

TEST_P(ThreadPoolTest, EachThreadHasTilesOfItsOwn) {
  auto tiles = static_cast<size_t>(GetParam());
  std::vector<std::thread::id> first;
  for (int i = 0; i < 50; ++i) {
    std::vector<std::thread::id> threads(tiles);
    std::atomic<int64_t> missing{GetParam()};
    void *arguments[] = {threads.data(), &missing};
    ASSERT_EQ(pool->run(meetAll, arguments, GetParam(), values), 0);
    EXPECT_EQ(threads[0], std::this_thread::get_id());
    if (i == 0)
      first = threads;
    ASSERT_EQ(threads, first);
  }
}

// A helper waits in a chunk until all others have begun.
static int32_t waitForOthers(void *const *arguments, int64_t begin, int64_t end,
                             int64_t *) {
  auto &caller = *static_cast<std::thread::id *>(arguments[0]);
  auto &left = *static_cast<std::atomic<int64_t> *>(arguments[1]);
  left -= end - begin;
  while (std::this_thread::get_id() != caller && left > 0)
    std::this_thread::yield();
  return 0;
}

TEST_P(ThreadPoolTest, TakesWhatOthersAreLateFor) {
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<int64_t> left{800};
  void *arguments[] = {&caller, &left};
  EXPECT_EQ(pool->run(waitForOthers, arguments, 800, values), 0);
  EXPECT_EQ(left, 0);
}

// Fails for each tile from arguments[0] on and says which it was.
static int32_t failFrom(void *const *arguments, int64_t begin, int64_t end,
                        int64_t *values) {
  int64_t first = *static_cast<const int64_t *>(arguments[0]);
  std::atomic<int64_t> &tiles =
      *static_cast<std::atomic<int64_t> *>(arguments[1]);
  tiles += end - begin;
  for (int64_t i = begin; i < end; ++i) {
    if (i < first)
      continue;
    for (int64_t j = 0; j < 4; ++j)
      values[j] = i + j;
    return 1;
  }
  return 0;
}

TEST_P(ThreadPoolTest, ReportsTheFirstFailedTile) {
  constexpr int64_t tiles = 1000;
  for (int64_t first : {0, 1, 499, 998, 999}) {
    std::atomic<int64_t> count{0};
    void *arguments[] = {&first, &count};
    EXPECT_EQ(pool->run(failFrom, arguments, tiles, values), 1);
    for (int64_t j = 0; j < 4; ++j)
      EXPECT_EQ(values[j], first + j);
    EXPECT_EQ(count, tiles);
  }
}

TEST_P(ThreadPoolTest, ForgetsAFailure) {
  int64_t first = 5;
  std::atomic<int64_t> count{0};
  void *arguments[] = {&first, &count};
  EXPECT_EQ(pool->run(failFrom, arguments, 100, values), 1);
  first = 100;
  EXPECT_EQ(pool->run(failFrom, arguments, 100, values), 0);
}

// Stores the floating point modes of the thread that runs a tile.
static int32_t readModes(void *const *arguments, int64_t begin, int64_t end,
                         int64_t *) {
  unsigned *modes = static_cast<unsigned *>(arguments[0]);
  for (int64_t i = begin; i < end; ++i)
    modes[i] = _mm_getcsr() & ~0x3Fu;
  usleep(10);
  return 0;
}

TEST(ThreadPoolModes, HelpersComputeInTheDefaultModes) {
  unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040); // denormals are zero
  ThreadPool *pool = nullptr;
  ASSERT_EQ(textOf(ThreadPool::create(3, pool)), "");
  _mm_setcsr(saved);
  std::vector<unsigned> modes(300);
  void *arguments[] = {modes.data()};
  int64_t values[4];
  EXPECT_EQ(pool->run(readModes, arguments, 300, values), 0);
  EXPECT_EQ(modes, std::vector<unsigned>(300, 0x1F80));
  ThreadPool::destroy(pool);
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolTest,
                         ::testing::Values(1, 2, 3, 4));

// Each of the two threads waits in its chunk until the other is in one.
static int32_t meet(void *const *arguments, int64_t begin, int64_t end,
                    int64_t *) {
  std::atomic<int64_t> &arrived =
      *static_cast<std::atomic<int64_t> *>(arguments[0]);
  arrived += end - begin;
  while (arrived < 2)
    std::this_thread::yield();
  return 0;
}

TEST(ThreadPoolSharing, HelpersTakePart) {
  ThreadPool *pool = nullptr;
  ASSERT_EQ(textOf(ThreadPool::create(2, pool)), "");
  std::atomic<int64_t> arrived{0};
  void *arguments[] = {&arrived};
  int64_t values[4];
  EXPECT_EQ(pool->run(meet, arguments, 2, values), 0);
  ThreadPool::destroy(pool);
}

// Each of two tiles waits for the other one, and says where it runs.
static int32_t tellProcessors(void *const *arguments, int64_t begin,
                              int64_t end, int64_t *) {
  auto &arrived = *static_cast<std::atomic<int64_t> *>(arguments[0]);
  int32_t *processors = static_cast<int32_t *>(arguments[1]);
  for (int64_t i = begin; i < end; ++i)
    processors[i] = sched_getcpu();
  arrived += end - begin;
  while (arrived < 2)
    sched_yield();
  return 0;
}

TEST(ThreadPoolSharing, HelpersAvoidTheCallersProcessor) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  if (CPU_COUNT(&allowed) < 2)
    GTEST_SKIP() << "needs two processors";
  ThreadPool *pool = nullptr;
  ASSERT_EQ(textOf(ThreadPool::create(2, pool)), "");
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &allowed))
      continue;
    cpu_set_t callers;
    CPU_ZERO(&callers);
    CPU_SET(processor, &callers);
    ASSERT_EQ(sched_setaffinity(0, sizeof(callers), &callers), 0);
    std::atomic<int64_t> arrived{0};
    int32_t processors[2] = {-1, -1};
    void *arguments[] = {&arrived, processors};
    int64_t values[4];
    EXPECT_EQ(pool->run(tellProcessors, arguments, 2, values), 0);
    EXPECT_EQ(processors[0] == processor, processors[1] != processor);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof(allowed), &allowed), 0);
  ThreadPool::destroy(pool);
}

TEST(ThreadPoolSharing, PoolsAreIndependent) {
  std::vector<std::thread> hosts;
  for (int host = 0; host < 3; ++host)
    hosts.emplace_back([] {
      ThreadPool *pool = nullptr;
      ASSERT_EQ(textOf(ThreadPool::create(2, pool)), "");
      std::vector<int32_t> counters(20);
      void *arguments[] = {counters.data()};
      int64_t values[4];
      for (int i = 0; i < 500; ++i)
        pool->run(countTiles, arguments, 20, values);
      EXPECT_EQ(counters, std::vector<int32_t>(20, 500));
      ThreadPool::destroy(pool);
    });
  for (std::thread &host : hosts)
    host.join();
}

TEST(ThreadPoolCreation, RefusesAbsurdCounts) {
  ThreadPool *pool = nullptr;
  EXPECT_EQ(textOf(ThreadPool::create(-1, pool)),
            "expected 0 to 4096 threads, got -1");
  EXPECT_EQ(textOf(ThreadPool::create(5000, pool)),
            "expected 0 to 4096 threads, got 5000");
  EXPECT_EQ(pool, nullptr);
}

TEST(ThreadPoolCreation, ZeroMeansOnePerProcessor) {
  ThreadPool *pool = nullptr;
  ASSERT_EQ(textOf(ThreadPool::create(0, pool)), "");
  EXPECT_GE(pool->threadCount(), 1);
  ThreadPool::destroy(pool);
}
