//===- ThreadPool.cpp - Share the tiles of a kernel -----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Cpu/ThreadPool.h"

#include "HamKaas/Runtime/Cpu/FloatingPoint.h"

#include <algorithm>
#include <cassert>
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

// The lower bits of a ticket: a byte each for the first remaining chunk of a
// range, and for its end. The owner takes chunks from the front, others from
// the back. The upper 48 bits count regions: enough for years.
static constexpr int firstBits = 8, regionBits = 16;
static constexpr uint64_t chunkMask = 0xFF;

// The ticket that ends the helpers.
static constexpr uint64_t stopTicket = ~uint64_t{0};

static int64_t firstLeft(uint64_t ticket) {
  return static_cast<int64_t>(ticket >> firstBits & chunkMask);
}
static int64_t endOfLeft(uint64_t ticket) {
  return static_cast<int64_t>(ticket & chunkMask);
}
static bool hasChunks(uint64_t ticket) {
  return firstLeft(ticket) < endOfLeft(ticket);
}

static_assert(TileSchedule::chunksPerThread < static_cast<int64_t>(chunkMask));

// Spin iterations before an idle worker sleeps, about 0.1 ms. The kernels of a
// run follow each other faster, and waking a worker costs 4 us.
static constexpr int spinsBeforeSleep = 3000;

// Spin iterations of a caller that waits for the last chunks before it yields:
// there may be fewer processors than threads.
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
    return Error::format("expected 0 to %d threads, got %d", maximumThreads,
                         threads);
  void *memory = nullptr;
  if (posix_memalign(&memory, alignof(ThreadPool), sizeof(ThreadPool)) != 0)
    return Error::format("out of memory for a thread pool");
  ThreadPool *created = new (memory) ThreadPool;
  Error error = created->createSlots(threads == 0 ? processorCount() : threads);
  if (!error)
    error = created->startHelpers();
  if (error) {
    destroy(created);
    return error;
  }
  pool = created;
  return Error();
}

Error ThreadPool::createSlots(int32_t threads) {
  void *memory = nullptr;
  if (posix_memalign(&memory, alignof(Slot), threads * sizeof(Slot)) != 0)
    return Error::format("out of memory for %d threads", threads);
  slots = static_cast<Slot *>(memory);
  slotCount = threads;
  for (int32_t i = 0; i < threads; ++i) {
    Slot *slot = new (slots + i) Slot;
    slot->number = i;
    slot->pool = this;
  }
  return Error();
}

Error ThreadPool::startHelpers() {
  if (slotCount == 1)
    return Error();
  forkDetector.start();
  // Signals are for the host program's own threads.
  sigset_t all, previous;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  int code = 0;
  while (threadCount() < slotCount && code == 0) {
    Slot &slot = slots[threadCount()];
    code = pthread_create(&slot.thread, nullptr, helperMain, &slot);
    helperCount += code == 0;
  }
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  if (code != 0)
    return Error::format("cannot start thread %d of %d: %s", helperCount + 2,
                         slotCount, ErrnoText(code).c_str());
  return Error();
}

void ThreadPool::stopHelpers() {
  // A forked child has no workers to wait for.
  if (helperCount == 0 || forkDetector.isChild())
    return;
  for (int32_t i = 1; i < threadCount(); ++i)
    give(slots[i], stopTicket);
  for (int32_t i = 1; i < threadCount(); ++i)
    pthread_join(slots[i].thread, nullptr);
}

void ThreadPool::destroy(ThreadPool *pool) {
  if (!pool)
    return;
  pool->stopHelpers();
  free(pool->slots);
  pool->~ThreadPool();
  free(pool);
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

void *ThreadPool::helperMain(void *argument) {
  Slot &slot = *static_cast<Slot *>(argument);
  ThreadPool &pool = *slot.pool;
  FloatingPointScope defaultModes;
  while (waitForChunks(slot)) {
    Failure failure;
    int64_t done = pool.takeOwnChunks(slot, failure);
    // NOTE: a thread that has taken nothing must not touch the count: it may be
    // the next region's.
    if (done == 0)
      continue;
    done += pool.takeOthersChunks(slot, failure);
    if (failure.chunk != INT64_MAX)
      pool.mergeFailure(failure);
    // NOTE: must be last: from here on the caller may begin another region.
    pool.reportedByHelpers.fetch_add(done, std::memory_order_release);
  }
  return nullptr;
}

// Returns false when the helper is to end.
bool ThreadPool::waitForChunks(Slot &slot) {
  for (;;) {
    for (int i = 0; i < spinsBeforeSleep; ++i) {
      uint64_t seen = slot.ticket.load(std::memory_order_acquire);
      if (hasChunks(seen))
        return true;
      if (seen == stopTicket)
        return false;
      pauseProcessor();
    }
    sleepUntilWoken(slot);
  }
}

// NOTE: order matters, and all accesses are sequentially consistent. The caller
// writes the ticket, then checks if its worker sleeps; the worker announces
// that it sleeps, then checks the ticket. So one of them sees the other. A
// wake-up between reading `wakeups` and sleeping changes `wakeups`, and the
// kernel does not sleep.
void ThreadPool::sleepUntilWoken(Slot &slot) {
  uint32_t before = slot.wakeups.load();
  slot.sleeps.store(true);
  uint64_t seen = slot.ticket.load();
  if (!hasChunks(seen) && seen != stopTicket)
    syscall(SYS_futex, &slot.wakeups, FUTEX_WAIT_PRIVATE, before, nullptr,
            nullptr, 0);
  slot.sleeps.store(false);
}

void ThreadPool::give(Slot &slot, uint64_t ticket) {
  slot.ticket.store(ticket);
  if (!slot.sleeps.load())
    return;
  slot.wakeups.fetch_add(1);
  syscall(SYS_futex, &slot.wakeups, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

// NOTE: Linux would wake a worker on the caller's core if the worker's own core
// looks unavailable, as a halted one of a virtual machine does, and the caller
// has computed little in the last 0.03 s. About ten runs of a model would then
// be as slow as on one thread.
void ThreadPool::keepHelpersApart() {
  int32_t processor = sched_getcpu();
  if (processor == callersProcessor)
    return;
  callersProcessor = processor;
  for (int32_t i = 1; i < threadCount(); ++i)
    avoidProcessor(slots[i], processor);
}

// Restores the affinity that was taken from the thread, then avoids the core,
// unless it is the only one, or there are more cores than fit a cpu_set_t.
void ThreadPool::avoidProcessor(Slot &slot, int32_t processor) {
  cpu_set_t set;
  if (processor < 0 || processor >= CPU_SETSIZE ||
      pthread_getaffinity_np(slot.thread, sizeof(set), &set) != 0)
    return;
  if (slot.avoidedProcessor >= 0)
    CPU_SET(slot.avoidedProcessor, &set);
  slot.avoidedProcessor = -1;
  if (CPU_ISSET(processor, &set) && CPU_COUNT(&set) > 1) {
    CPU_CLR(processor, &set);
    slot.avoidedProcessor = processor;
  }
  pthread_setaffinity_np(slot.thread, sizeof(set), &set);
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

  region = {kernel, arguments, TileSchedule(tiles, threadCount()),
            /*isChecked=*/values == nullptr};
  regionFailure.chunk = INT64_MAX;
  reportedByHelpers.store(0, std::memory_order_relaxed);
  keepHelpersApart();
  publish();

  Failure failure;
  int64_t done = takeOwnChunks(slots[0], failure);
  done += takeOthersChunks(slots[0], failure);
  for (int spins = 0;
       reportedByHelpers.load(std::memory_order_acquire) + done !=
       region.schedule.chunkCount();
       ++spins) {
    if (spins < spinsBeforeYield)
      pauseProcessor();
    else
      sched_yield();
  }
  assert(std::none_of(
             slots, slots + threadCount(),
             [](const Slot &slot) { return hasChunks(slot.ticket.load()); }) &&
         "chunks left, or another call at the same time");
  if (regionFailure.chunk < failure.chunk)
    failure = regionFailure;
  if (failure.chunk == INT64_MAX)
    return 0;
  if (values)
    memcpy(values, failure.values, sizeof(failure.values));
  return 1;
}

void ThreadPool::publish() {
  uint64_t base = ++regionNumber << regionBits;
  // Start the workers first; the caller begins right after.
  for (int32_t i = threadCount() - 1; i >= 0; --i)
    if (int64_t count =
            region.schedule.firstChunk(i + 1) - region.schedule.firstChunk(i)) {
      assert(count > 0 && count <= static_cast<int64_t>(chunkMask));
      give(slots[i], base | static_cast<uint64_t>(count));
    }
}

// Takes and runs the chunks of a thread's own range; returns how many.
int64_t ThreadPool::takeOwnChunks(Slot &slot, Failure &failure) {
  int64_t done = 0;
  uint64_t seen = slot.ticket.load(std::memory_order_acquire);
  while (hasChunks(seen)) {
    if (!slot.ticket.compare_exchange_weak(
            seen, seen + (uint64_t{1} << firstBits), std::memory_order_acq_rel,
            std::memory_order_acquire))
      continue;
    runChunk(region.schedule.firstChunk(slot.number) + firstLeft(seen),
             failure);
    ++done;
    // The ticket is still of this region, which waits for the report of this
    // chunk.
    seen = slot.ticket.load(std::memory_order_acquire);
  }
  return done;
}

// The same with the ranges of others, beginning with the next thread's.
int64_t ThreadPool::takeOthersChunks(const Slot &own, Failure &failure) {
  int64_t done = 0;
  for (int32_t i = 1; i < threadCount(); ++i) {
    Slot &slot = slots[(own.number + i) % threadCount()];
    uint64_t seen = slot.ticket.load(std::memory_order_acquire);
    while (hasChunks(seen)) {
      if (!slot.ticket.compare_exchange_weak(seen, seen - 1,
                                             std::memory_order_acq_rel,
                                             std::memory_order_acquire))
        continue;
      runChunk(region.schedule.firstChunk(slot.number) + endOfLeft(seen) - 1,
               failure);
      ++done;
      seen = slot.ticket.load(std::memory_order_acquire);
    }
  }
  return done;
}

void ThreadPool::runChunk(int64_t chunk, Failure &failure) const {
  int64_t begin = region.schedule.firstTile(chunk);
  int64_t end = region.schedule.firstTile(chunk + 1);
  assert(chunk >= 0 && chunk < region.schedule.chunkCount() && begin < end);
  int64_t values[4] = {0, 0, 0, 0};
  if (region.kernel(region.arguments, begin, end,
                    region.isChecked ? nullptr : values) == 0 ||
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
