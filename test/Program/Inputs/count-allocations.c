//===- count-allocations.c - Run a compiled model, count its requests -----===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To be linked with allocation-counter.c.
//
//===----------------------------------------------------------------------===//

#include "mnist.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

extern atomic_int allocationRequests;

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
  int loading = -allocationRequests;
  const char *error = mnist_create(&options, &model);
  loading += allocationRequests;
  if (error)
    return fail(error);
  int before = allocationRequests;
  for (int i = 0; i < Runs; ++i) {
    error = mnist_run(model, input, result);
    if (error)
      return fail(error);
  }
  int during = allocationRequests - before;
  mnist_destroy(model);
  printf("threads %d, loading allocates: %s, runs: %d, requests: %d\n",
         (int)options.threads, loading > 0 ? "yes" : "no", Runs, during);
  return during != 0;
}
