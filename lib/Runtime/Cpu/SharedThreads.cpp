//===- SharedThreads.cpp - Threads of several instances -------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Cpu/SharedThreads.h"
#include "HamKaas/Runtime/Cpu/ThreadPool.h"

#include <cstdlib>
#include <new>
#include <pthread.h>

using namespace hamkaas::rt;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/// Guarded by the mutex, like the users of each.
static SharedThreads *first = nullptr;

namespace {
struct Lock {
  Lock() { pthread_mutex_lock(&mutex); }
  ~Lock() { pthread_mutex_unlock(&mutex); }
};
} // namespace

Error SharedThreads::acquire(int32_t threads, SharedThreads *&shared) {
  Lock lock;
  for (SharedThreads *known = first; known; known = known->next)
    if (known->threads == threads) {
      ++known->users;
      shared = known;
      return Error();
    }
  void *memory = malloc(sizeof(SharedThreads));
  if (!memory)
    return Error::format("out of memory for threads");
  SharedThreads *created = new (memory) SharedThreads;
  if (Error error = ThreadPool::create(threads, created->pool)) {
    free(memory);
    return error;
  }
  created->threads = threads;
  created->users = 1;
  created->next = first;
  first = shared = created;
  return Error();
}

void SharedThreads::release(SharedThreads *shared) {
  Lock lock;
  if (--shared->users > 0)
    return;
  SharedThreads **link = &first;
  while (*link != shared)
    link = &(*link)->next;
  *link = shared->next;
  ThreadPool::destroy(shared->pool);
  shared->~SharedThreads();
  free(shared);
}

int32_t SharedThreads::run(HamKaasKernelFunction kernel, void *const *arguments,
                           int64_t tiles, int64_t *values) {
  if (tiles <= 0)
    return 0;
  if (tiles == 1 || isBusy.exchange(true, std::memory_order_acquire))
    return kernel(arguments, 0, tiles, values);
  int32_t failed = pool->run(kernel, arguments, tiles, values);
  isBusy.store(false, std::memory_order_release);
  return failed;
}
