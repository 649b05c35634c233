//===- count-allocations.c - Run a compiled model, count its requests -----===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions below take the place of libc's for the model too, which is
// linked dynamically. Its threads and operator new have no other source.
//
//===----------------------------------------------------------------------===//

#include "mnist.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_int requests;

void *malloc(size_t size) {
  ++requests;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  ++requests;
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  ++requests;
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  ++requests;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  ++requests;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : 12;
}

void *mmap(void *address, size_t length, int protection, int flags, int file,
           off_t offset) {
  ++requests;
  return (void *)syscall(SYS_mmap, address, length, protection, flags, file,
                         offset);
}

static int fail(const char *error) {
  fprintf(stderr, "%s\n", error);
  return 1;
}

int main(int argc, char **argv) {
  enum { Runs = 100, Rows = 128 };
  static float input[Rows * 28 * 28], result[Rows * 10];
  for (int i = 0; i < Rows * 28 * 28; ++i)
    input[i] = (float)(i % 7) / 7;

  mnist_options options = MNIST_OPTIONS_INIT;
  options.threads = argc > 1 ? atoi(argv[1]) : 1;
  mnist *model = NULL;
  int loading = -requests;
  const char *error = mnist_create(&options, &model);
  loading += requests;
  if (error)
    return fail(error);
  int before = requests;
  for (int i = 0; i < Runs; ++i) {
    error = mnist_run(model, input, result);
    if (error)
      return fail(error);
  }
  int during = requests - before;
  mnist_destroy(model);
  printf("threads %d, loading allocates: %s, runs: %d, requests: %d\n",
         (int)options.threads, loading > 0 ? "yes" : "no", Runs, during);
  return during != 0;
}
