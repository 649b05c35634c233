//===- ThreadPool.cpp - Share the tiles of a kernel -----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/ThreadPool.h"

#include "FloatingPoint.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <linux/futex.h>
#include <new>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace hamkaas::rt;

// The lower bits of a ticket. The upper 48 count regions: years of them.
static constexpr int chunkBits = 16;
static constexpr uint64_t chunkMask = (uint64_t{1} << chunkBits) - 1;

// The ticket that ends the helpers. No region has that many chunks.
static constexpr uint64_t stopTicket = ~uint64_t{0};

// Enough for the others to even out what one late thread leaves, few enough
// for the counter not to cost.
static constexpr int64_t chunksPerThread = 8;
static_assert(ThreadPool::maximumThreads * chunksPerThread <
              static_cast<int64_t>(chunkMask));

// Turns of an idle helper before it sleeps, about 0.1 ms. The kernels of a run
// follow each other faster, and waking a helper costs 4 us.
static constexpr int spinsBeforeSleep = 3000;

// Turns of a caller that waits for the last chunks before it lets others on
// its processor; there may be fewer processors than threads.
static constexpr int spinsBeforeYield = 1000;

static void pauseProcessor() { __builtin_ia32_pause(); }

//===----------------------------------------------------------------------===//
// Beginning and end
//===----------------------------------------------------------------------===//

static int32_t processorCount() {
  cpu_set_t set;
  long count = sched_getaffinity(0, sizeof(set), &set) == 0
                   ? CPU_COUNT(&set)
                   // More processors than a cpu_set_t has room for.
                   : sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1                            ? 1
         : count > ThreadPool::maximumThreads ? ThreadPool::maximumThreads
                                              : static_cast<int32_t>(count);
}

Error ThreadPool::create(int32_t threads, ThreadPool *&pool) {
  if (threads < 0 || threads > maximumThreads)
    return Error::format("expected 0 to %d threads, found %d", maximumThreads,
                         threads);
  void *memory = nullptr;
  if (posix_memalign(&memory, alignof(ThreadPool), sizeof(ThreadPool)) != 0)
    return Error::format("out of memory for a thread pool");
  ThreadPool *created = new (memory) ThreadPool;
  int32_t helpers = (threads == 0 ? processorCount() : threads) - 1;
  if (Error error = created->startHelpers(helpers)) {
    destroy(created);
    return error;
  }
  pool = created;
  return Error();
}

Error ThreadPool::startHelpers(int32_t count) {
  if (count == 0)
    return Error();
  helpers = static_cast<pthread_t *>(malloc(count * sizeof(pthread_t)));
  if (!helpers)
    return Error::format("out of memory for %d threads", count);
  forkDetector.start();
  // Signals are for the host program's own threads.
  sigset_t all, previous;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  int code = 0;
  while (helperCount < count && code == 0) {
    code = pthread_create(&helpers[helperCount], nullptr, helperMain, this);
    helperCount += code == 0;
  }
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  if (code != 0)
    return Error::format("cannot start thread %d of %d: %s", helperCount + 2,
                         count + 1, ErrnoText(code).c_str());
  return Error();
}

void ThreadPool::stopHelpers() {
  // In a child there is nobody to wait for.
  if (helperCount == 0 || forkDetector.isChild())
    return;
  ticket.store(stopTicket);
  wakeHelpers(helperCount);
  for (int32_t i = 0; i < helperCount; ++i)
    pthread_join(helpers[i], nullptr);
}

void ThreadPool::destroy(ThreadPool *pool) {
  if (!pool)
    return;
  pool->stopHelpers();
  free(pool->helpers);
  pool->~ThreadPool();
  free(pool);
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

void *ThreadPool::helperMain(void *argument) {
  ThreadPool &pool = *static_cast<ThreadPool *>(argument);
  FloatingPointScope defaultModes;
  for (;;) {
    uint64_t seen = pool.waitForTicket();
    if (seen == stopTicket)
      return nullptr;
    Failure failure;
    int64_t done = pool.takeChunks(seen, failure);
    if (failure.chunk != INT64_MAX)
      pool.mergeFailure(failure);
    // NOTE: last, for now the caller may begin another region. Whoever has
    // taken nothing must not touch the count: it may be the next region's.
    if (done > 0)
      pool.reportedByHelpers.fetch_add(done, std::memory_order_release);
  }
}

uint64_t ThreadPool::waitForTicket() {
  for (;;) {
    for (int i = 0; i < spinsBeforeSleep; ++i) {
      uint64_t seen = ticket.load(std::memory_order_acquire);
      if ((seen & chunkMask) != 0)
        return seen;
      pauseProcessor();
    }
    sleepUntilWoken();
  }
}

// NOTE: the order matters, and that all of it is sequentially consistent. The
// caller writes the ticket, then looks for sleepers; a helper announces itself,
// then looks at the ticket. So one of them sees the other. A wake-up between
// reading `wakeups` and sleeping changes it, and the kernel does not sleep.
void ThreadPool::sleepUntilWoken() {
  uint32_t before = wakeups.load();
  sleepers.fetch_add(1);
  if ((ticket.load() & chunkMask) == 0)
    syscall(SYS_futex, &wakeups, FUTEX_WAIT_PRIVATE, before, nullptr, nullptr,
            0);
  sleepers.fetch_sub(1);
}

void ThreadPool::wakeHelpers(int64_t count) {
  if (sleepers.load() == 0)
    return;
  wakeups.fetch_add(1);
  syscall(SYS_futex, &wakeups, FUTEX_WAKE_PRIVATE, static_cast<int>(count),
          nullptr, nullptr, 0);
}

//===----------------------------------------------------------------------===//
// A region
//===----------------------------------------------------------------------===//

int32_t ThreadPool::run(HamKaasKernelFunction kernel, void *const *arguments,
                        int64_t tiles, int64_t *values) {
  if (tiles <= 0)
    return 0;
  if (helperCount == 0 || tiles == 1 || forkDetector.isChild())
    return kernel(arguments, 0, tiles, values);

  int64_t tilesPerChunk = (tiles - 1) / (threadCount() * chunksPerThread) + 1;
  int64_t chunks = (tiles - 1) / tilesPerChunk + 1;
  region = {kernel, arguments, tiles, tilesPerChunk, chunks};
  regionFailure.chunk = INT64_MAX;
  reportedByHelpers.store(0, std::memory_order_relaxed);
  uint64_t first =
      (++regionNumber << chunkBits) | static_cast<uint64_t>(chunks);
  ticket.store(first);
  wakeHelpers(chunks - 1);

  Failure failure;
  int64_t done = takeChunks(first, failure);
  for (int spins = 0;
       reportedByHelpers.load(std::memory_order_acquire) + done != chunks;
       ++spins) {
    if (spins < spinsBeforeYield)
      pauseProcessor();
    else
      sched_yield();
  }
  if (regionFailure.chunk < failure.chunk)
    failure = regionFailure;
  if (failure.chunk == INT64_MAX)
    return 0;
  memcpy(values, failure.values, sizeof(failure.values));
  return 1;
}

// Takes and runs chunks until none is left; returns how many. `seen` is what
// the ticket was lately.
int64_t ThreadPool::takeChunks(uint64_t seen, Failure &failure) {
  int64_t done = 0;
  while ((seen & chunkMask) != 0 && seen != stopTicket) {
    if (!ticket.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel,
                                      std::memory_order_acquire))
      continue;
    runChunk(region.chunks - static_cast<int64_t>(seen & chunkMask), failure);
    ++done;
    // Still of this region, which waits for the report of what was done.
    seen = ticket.load(std::memory_order_acquire);
  }
  return done;
}

void ThreadPool::runChunk(int64_t chunk, Failure &failure) const {
  int64_t begin = chunk * region.tilesPerChunk;
  int64_t end = region.tiles - begin > region.tilesPerChunk
                    ? begin + region.tilesPerChunk
                    : region.tiles;
  int64_t values[4] = {0, 0, 0, 0};
  if (region.kernel(region.arguments, begin, end, values) == 0 ||
      chunk > failure.chunk)
    return;
  failure.chunk = chunk;
  memcpy(failure.values, values, sizeof(values));
}

void ThreadPool::mergeFailure(const Failure &failure) {
  while (failureLock.exchange(true, std::memory_order_acquire))
    pauseProcessor();
  if (failure.chunk < regionFailure.chunk)
    regionFailure = failure;
  failureLock.store(false, std::memory_order_release);
}
