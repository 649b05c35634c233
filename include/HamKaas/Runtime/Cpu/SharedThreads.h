//===- SharedThreads.h - Threads of several instances -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_CPU_SHAREDTHREADS_H
#define HAMKAAS_RUNTIME_CPU_SHAREDTHREADS_H

#include "HamKaas/Runtime/Core/Error.h"
#include "hamkaas-c/Program.h"

#include <atomic>
#include <cstdint>

namespace hamkaas::rt {

class ThreadPool;

/// A thread pool of all instances of the process that share one of its size, so
/// that a hundred small programs do not have a hundred pools, whose idle
/// threads spin on the cores that the next program needs.
class SharedThreads {
public:
  /// The one of `threads` threads, as in ThreadPool::create. The caller gives
  /// it back by `release`; the last one ends the threads.
  static Error acquire(int32_t threads, SharedThreads *&shared /* out */);
  static void release(SharedThreads *shared);

  /// Like ThreadPool::run, but from any number of threads: while one of them
  /// has the pool, the others run their tiles alone.
  int32_t run(HamKaasKernelFunction kernel, void *const *arguments,
              int64_t tiles, int64_t *values);

private:
  ThreadPool *pool = nullptr;
  int32_t threads = 0;
  int32_t users = 0;
  SharedThreads *next = nullptr;
  std::atomic<bool> isBusy{false};
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_CPU_SHAREDTHREADS_H
