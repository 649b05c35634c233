//===- allocation-counter.c - Counts what a process asks libc for ---------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These functions take the place of libc's for a whole process, whether they
// are part of its program or preloaded. Threads and operator new have no other
// source.
//
//===----------------------------------------------------------------------===//

#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

atomic_int allocationRequests;

void *malloc(size_t size) {
  ++allocationRequests;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  ++allocationRequests;
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  ++allocationRequests;
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  ++allocationRequests;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  ++allocationRequests;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : 12;
}

void *mmap(void *address, size_t length, int protection, int flags, int file,
           off_t offset) {
  ++allocationRequests;
  return (void *)syscall(SYS_mmap, address, length, protection, flags, file,
                         offset);
}
