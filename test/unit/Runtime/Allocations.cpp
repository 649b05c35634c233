//===- Allocations.cpp - Watch the runtime allocate -----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

static std::atomic<int64_t> count{0};
static std::atomic<int64_t> untilFailure{-1};

int64_t hamkaas::test::allocationCount() { return count; }

void hamkaas::test::failAllocationAfter(int64_t passing) {
  untilFailure = passing;
}

// Counts an allocation; whether it shall succeed.
static bool pass() {
  ++count;
  return untilFailure < 0 || untilFailure-- != 0;
}

extern "C" {
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);

void *__wrap_malloc(size_t size) {
  return pass() ? __real_malloc(size) : nullptr;
}

void *__wrap_calloc(size_t entries, size_t size) {
  return pass() ? __real_calloc(entries, size) : nullptr;
}

void *__wrap_realloc(void *memory, size_t size) {
  return pass() ? __real_realloc(memory, size) : nullptr;
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size) {
  return pass() ? __real_posix_memalign(memory, alignment, size) : ENOMEM;
}

// The sizes that tests ask for in vain must not end a sanitized process.
const char *__asan_default_options() { return "allocator_may_return_null=1"; }
const char *__tsan_default_options() {
  // Children that are forked from a test create threads.
  return "allocator_may_return_null=1:die_after_fork=0";
}
}
