//===- ThreadPool.h - Share the tiles of a kernel ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_THREADPOOL_H
#define HAMKAAS_RUNTIME_THREADPOOL_H

#include "HamKaas/Runtime/Error.h"
#include "HamKaas/Runtime/ForkDetector.h"
#include "hamkaas-c/Program.h"

#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace hamkaas::rt {

/// Threads that share the tiles of a kernel with their caller.
///
/// A *region* is one call of `run`. Its tiles are cut into chunks, which the
/// caller and the helpers take from one counter, so nobody waits for a helper
/// that comes late. Idle helpers spin briefly, then sleep on a futex. Where the
/// chunks lie depends on the number of threads; what a kernel computes for a
/// tile must not depend on the chunk.
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
  /// the order of tiles; otherwise 0. Not reentrant: one call at a time.
  int32_t run(HamKaasKernelFunction kernel, void *const *arguments,
              int64_t tiles, int64_t *values);

private:
  /// What a region runs. Written by the caller while no chunk is out.
  struct Region {
    HamKaasKernelFunction kernel;
    void *const *arguments;
    int64_t tiles;
    int64_t tilesPerChunk;
    int64_t chunks;
  };

  /// The first failed chunk that somebody has seen.
  struct Failure {
    int64_t chunk = INT64_MAX;
    int64_t values[4] = {0, 0, 0, 0};
  };

  ThreadPool() = default;
  ~ThreadPool() = default;

  Error startHelpers(int32_t count);
  void stopHelpers();
  static void *helperMain(void *pool);
  uint64_t waitForTicket();
  void sleepUntilWoken();
  void wakeHelpers(int64_t count);

  int64_t takeChunks(uint64_t seen, Failure &failure);
  void runChunk(int64_t chunk, Failure &failure) const;
  void mergeFailure(const Failure &failure);

  /// The number of the region in the upper bits, the chunks not yet taken in
  /// the lower. One compare-and-swap takes a chunk of exactly the region that
  /// was seen, so a late helper can do no harm; and only who has taken a chunk
  /// reads `region`, which stands still until that chunk is reported.
  alignas(64) std::atomic<uint64_t> ticket{0};
  alignas(64) std::atomic<int64_t> reportedByHelpers{0};
  alignas(64) std::atomic<uint32_t> wakeups{0}; // the futex
  std::atomic<int32_t> sleepers{0};
  alignas(64) std::atomic<bool> failureLock{false};
  Failure regionFailure;

  alignas(64) Region region = {};
  uint64_t regionNumber = 0; // the caller's alone
  ForkDetector forkDetector; // started if there are helpers
  pthread_t *helpers = nullptr;
  int32_t helperCount = 0;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_THREADPOOL_H
