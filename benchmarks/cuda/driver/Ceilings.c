//===- Ceilings.c - What a GPU can do -------------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clock.h"
#include "Commands.h"
#include "Gpu.h"

#include <stdio.h>

enum { Attempts = 5, Copies = 10 };

/// Bytes that copies read and write in a second.
static double measureCopies(void) {
  const uint64_t bytes = 1ull << 29; // many times what caches hold
  void *from = allocateOnGpu(bytes), *to = allocateOnGpu(bytes);
  double begin = readClock();
  beginCopyOnGpu(to, from, bytes);
  waitForGpu();
  // Many, or the launch would count; but not where the memory is the host's.
  int copies = readClock() - begin < 0.05 ? Copies : 1;
  double best = 0;
  for (int i = 0; i < Attempts; ++i) {
    double start = readClock();
    for (int j = 0; j < copies; ++j)
      beginCopyOnGpu(to, from, bytes);
    waitForGpu();
    double rate = 2.0 * (double)bytes * copies / (readClock() - start);
    best = rate > best ? rate : best;
  }
  releaseOnGpu(from);
  releaseOnGpu(to);
  return best;
}

/// Operations on float32 in a second, without tensor cores.
static double measureArithmetic(void) {
  const float numbers[] = {0.5f, 0.25f, 0};
  void *memory = allocateOnGpu(sizeof(numbers));
  copyToGpu(memory, numbers, sizeof(numbers));
  beginArithmeticOnGpu(memory);
  waitForGpu();
  double best = 0;
  for (int i = 0; i < Attempts; ++i) {
    double start = readClock();
    double operations = beginArithmeticOnGpu(memory);
    waitForGpu();
    double rate = operations / (readClock() - start);
    best = rate > best ? rate : best;
  }
  releaseOnGpu(memory);
  return best;
}

int printGpu(const Options *options) {
  if (!openGpu(options->device))
    return 2;
  GpuInfo info = describeGpu();
  printf("{\"name\": \"%s\", \"architecture\": \"sm_%d%d\", \"driver\": "
         "\"%d.%d\", \"multiprocessors\": %d}\n",
         info.name, info.major, info.minor, info.driver / 1000,
         info.driver % 1000 / 10, info.multiprocessors);
  return 0;
}

int printCeilings(const Options *options) {
  if (!openGpu(options->device))
    return 2;
  double copies = measureCopies();
  double arithmetic = measureArithmetic();
  printf("{\"copy_gbs\": %.1f, \"float32_gflops\": %.1f}\n", copies / 1e9,
         arithmetic / 1e9);
  return 0;
}
