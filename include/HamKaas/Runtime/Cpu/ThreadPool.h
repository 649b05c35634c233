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
#include "hamkaas-c/Program.h"

#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace hamkaas::rt {

/// Threads that share the tiles of a kernel with their caller.
///
/// A *region* is one call of `run`. Its tiles are cut into chunks, of which
/// each thread has a stretch of its own: the same in every run, so that it
/// finds in its caches what it left there. Who is done takes the last chunks of
/// others, so nobody waits for a helper that comes late. Idle helpers spin
/// briefly, then sleep on a futex; they stay away from the caller's processor.
/// Where the chunks lie depends on the number
/// of threads; what a kernel computes for a tile must not depend on the chunk.
///
/// A forked child has no helpers: there the caller runs all tiles. A child that
/// was forked during `run` must not call it.
class ThreadPool {
public:
  /// More is taken for a mistake.
  static constexpr int32_t maximumThreads = 4096;

  /// `threads` counts the caller; 0 means one per processor this process may
  /// use. The pool is the caller's, who gives it to `destroy`.
  static Error create(int32_t threads, ThreadPool *&pool /* out */);
  static void destroy(ThreadPool *pool);

  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// In the process that created the pool.
  int32_t threadCount() const { return helperCount + 1; }

  /// Runs all tiles, also when some of them fail, and returns when all are
  /// done. If any failed, returns 1 with the `values` of the first of them in
  /// the order of tiles, unless it is null; otherwise 0. Not reentrant: one
  /// call at a time.
  int32_t run(HamKaasKernelFunction kernel, void *const *arguments,
              int64_t tiles, int64_t *values);

private:
  /// The work of a region. Written by the caller while no chunk is out.
  struct Region {
    HamKaasKernelFunction kernel;
    void *const *arguments;
    int64_t tiles;
    int64_t chunks;
    bool isChecked; // so that the kernel gets no place for values
  };

  /// A thread, number 0 the caller. Alone in its cache line, on which it spins.
  struct alignas(64) Slot {
    /// The number of the region in the upper bits, and which chunks of the
    /// thread's stretch are left. One compare-and-swap takes a chunk of exactly
    /// the region that was seen, so a late helper can do no harm; and only who
    /// has taken a chunk reads `region`, which stands still until that chunk is
    /// reported.
    std::atomic<uint64_t> ticket{0};
    std::atomic<uint32_t> wakeups{0}; // the futex
    std::atomic<bool> sleeps{false};
    int32_t number = 0;
    int32_t avoidedProcessor = -1; // that the thread would be allowed on
    ThreadPool *pool = nullptr;
    pthread_t thread = {};
  };

  /// The first failed chunk that somebody has seen.
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

  /// Where the stretch of thread `number` begins, and that of the one before
  /// ends.
  int64_t firstChunk(int32_t number) const;
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
