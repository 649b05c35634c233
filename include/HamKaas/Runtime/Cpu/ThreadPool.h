//===- ThreadPool.h - Share the tiles of a kernel ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_CPU_THREADPOOL_H
#define HAMKAAS_RUNTIME_CPU_THREADPOOL_H

#include "HamKaas/Runtime/Core/Error.h"
#include "HamKaas/Runtime/Core/ForkDetector.h"
#include "HamKaas/Runtime/Cpu/TileSchedule.h"
#include "hamkaas-c/Program.h"

#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace hamkaas::rt {

/// Threads that share the tiles of a kernel with their caller.
///
/// A *region* is one call of `run`. Its tiles are cut into chunks. Each thread
/// owns the same range of chunks in every run, so that it finds its data in its
/// caches. A thread that is done steals the last chunks of others, so a late
/// worker delays nobody. Idle workers spin briefly, then sleep on a futex; they
/// stay off the caller's core.
///
/// Chunk bounds depend on the number of threads; the result of a tile must not.
///
/// A forked child has no workers: there the caller runs all tiles. A child that
/// was forked during `run` must not call it.
class ThreadPool {
public:
  /// A larger number is an error.
  static constexpr int32_t maximumThreads = 4096;

  /// `threads` includes the caller; 0 means one per processor that this process
  /// may use. The caller owns the pool and frees it with `destroy`.
  static Error create(int32_t threads, ThreadPool *&pool /* out */);
  static void destroy(ThreadPool *pool);

  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// In the process that created the pool.
  int32_t threadCount() const { return helperCount + 1; }

  /// Runs all tiles, even if some fail, and returns when all are done: 0, or 1
  /// with the `values` (unless null) of the first failed tile in their order.
  /// Not reentrant: one call at a time.
  int32_t run(HamKaasKernelFunction kernel, void *const *arguments,
              int64_t tiles, int64_t *values);

private:
  /// The work of a region. The caller writes it while no chunk is taken.
  struct Region {
    HamKaasKernelFunction kernel;
    void *const *arguments;
    TileSchedule schedule;
    bool isChecked; // so that the kernel gets no place for values
  };

  /// A thread, number 0 the caller. Alone in its cache line, on which it spins.
  struct alignas(64) Slot {
    /// The region's number in the upper bits, and the remaining chunks of the
    /// thread's range. A compare-and-swap takes a chunk of exactly the region
    /// that was seen, so a late worker does no harm. Only a thread that has
    /// taken a chunk reads `region`, which does not change until that chunk is
    /// reported.
    std::atomic<uint64_t> ticket{0};
    std::atomic<uint32_t> wakeups{0}; // the futex
    std::atomic<bool> sleeps{false};
    int32_t number = 0;
    int32_t avoidedProcessor = -1; // that the thread would be allowed on
    ThreadPool *pool = nullptr;
    pthread_t thread = {};
  };

  /// The first failed chunk so far.
  struct Failure {
    int64_t chunk = INT64_MAX;
    int64_t values[4] = {0, 0, 0, 0};
  };

  ThreadPool() = default;
  ~ThreadPool() = default;

  Error createSlots(int32_t threads);
  Error startHelpers();
  void stopHelpers();
  static void *helperMain(void *slot);
  static bool waitForChunks(Slot &slot);
  static void sleepUntilWoken(Slot &slot);
  static void give(Slot &slot, uint64_t ticket);
  static void avoidProcessor(Slot &slot, int32_t processor);
  void keepHelpersApart();

  void publish();
  int64_t takeOwnChunks(Slot &slot, Failure &failure);
  int64_t takeOthersChunks(const Slot &own, Failure &failure);
  void runChunk(int64_t chunk, Failure &failure) const;
  void mergeFailure(const Failure &failure);

  alignas(64) std::atomic<int64_t> reportedByHelpers{0};
  alignas(64) std::atomic<bool> failureLock{false};
  Failure regionFailure;

  alignas(64) Region region = {};
  uint64_t regionNumber = 0;     // the caller's alone, as is
  int32_t callersProcessor = -1; // where it was when a region began
  ForkDetector forkDetector;     // started if there are helpers
  Slot *slots = nullptr;
  int32_t slotCount = 0,
          helperCount = 0; // equal but for the caller, once begun
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_CPU_THREADPOOL_H
