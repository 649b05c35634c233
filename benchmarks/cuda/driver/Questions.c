//===- Questions.c - Times that decide what to improve --------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clock.h"
#include "Commands.h"
#include "Gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Attempts = 50, Words = 10 };

/// Each answer is there before the next question is asked.
static void answer(const char *question, const char *unit, double value) {
  printf("{\"question\": \"%s\", \"%s\": %.3f}\n", question, unit, value);
  fflush(stdout);
}

/// Microseconds from the launch to the end, at best.
static double timeGraph(GpuGraph *graph) {
  double best = 1e30;
  for (int i = 0; i < Attempts; ++i) {
    double start = readClock();
    beginGraphOnGpu(graph);
    waitForGpu();
    double time = readClock() - start;
    best = time < best ? time : best;
  }
  return 1e6 * best;
}

static void askKernels(int kernels, int hasEnds) {
  char question[128];
  void *zeros = hasEnds ? allocateOnGpu(4 * Words) : NULL;
  void *copied = hasEnds ? allocatePinned(4 * Words) : NULL;
  GpuGraph *graph = makeKernelGraph(kernels, zeros, copied, 4 * Words);
  snprintf(question, sizeof(question), "graph of %d empty kernels%s", kernels,
           hasEnds ? ", zeros before and a copy to the host after them" : "");
  answer(question, "us", timeGraph(graph));
  releaseGraph(graph);
  if (hasEnds)
    releaseOnGpu(zeros);
}

static void askOverlappingKernels(int kernels) {
  char question[128];
  GpuGraph *graph = makeOverlappingGraph(kernels, /*numbers=*/NULL);
  snprintf(question, sizeof(question),
           "graph of %d empty kernels, programmatic edges", kernels);
  answer(question, "us", timeGraph(graph));
  releaseGraph(graph);
}

/// Asks if kernels see what the one before wrote, by ld.global.nc, too.
static void askStaleReads(void) {
  enum { Kernels = 1000 };
  const uint64_t bytes = 4 * OverlappingNumbers;
  char question[128];
  uint32_t *numbers = calloc(OverlappingNumbers, 4);
  if (!numbers)
    abort();
  void *arrays[] = {allocateOnGpu(bytes), allocateOnGpu(bytes)};
  copyToGpu(arrays[0], numbers, bytes);
  copyToGpu(arrays[1], numbers, bytes);
  GpuGraph *graph = makeOverlappingGraph(Kernels, arrays);
  double time = timeGraph(graph);
  copyFromGpu(numbers, arrays[0], bytes);
  int wrong = 0;
  for (int i = 0; i < OverlappingNumbers; ++i)
    wrong += numbers[i] != (uint32_t)Kernels * Attempts;
  snprintf(question, sizeof(question),
           "graph of %d kernels that read what the last one wrote, %s", Kernels,
           wrong ? "WRONG" : "right");
  answer(question, "us", time);
  releaseGraph(graph);
  releaseOnGpu(arrays[0]);
  releaseOnGpu(arrays[1]);
  free(numbers);
}

static void askProducts(int loadsInSteps) {
  void *memory = allocateOnGpu(4);
  beginProductsOnGpu(memory, loadsInSteps);
  waitForGpu();
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    double start = readClock();
    double operations = beginProductsOnGpu(memory, loadsInSteps);
    waitForGpu();
    double rate = operations / (readClock() - start);
    best = rate > best ? rate : best;
  }
  releaseOnGpu(memory);
  answer(loadsInSteps
             ? "256 multiply-adds and 20 loads of 16 bytes, 16 the same for all"
             : "256 multiply-adds from registers",
         "gflops", best / 1e9);
}

/// Asks if the last bytes of a large copy arrive.
static void askCopy(uint64_t bytesOfRow, uint64_t rows) {
  char question[128];
  uint64_t bytes = bytesOfRow * rows;
  const char marks[] = "the last bytes";
  char got[sizeof(marks)] = "";
  char *from = allocateOnGpu(bytes), *to = allocateOnGpu(bytes);
  copyToGpu(from + bytes - sizeof(marks), marks, sizeof(marks));
  GpuGraph *graph = makeCopyGraph(to, from, bytesOfRow, rows);
  double start = readClock();
  beginGraphOnGpu(graph);
  waitForGpu();
  double seconds = readClock() - start;
  copyFromGpu(got, to + bytes - sizeof(marks), sizeof(marks));
  snprintf(question, sizeof(question),
           "copy node of %llu rows of %llu bytes, %s", (unsigned long long)rows,
           (unsigned long long)bytesOfRow,
           memcmp(got, marks, sizeof(marks)) == 0 ? "right" : "WRONG");
  answer(question, "gbs", 2e-9 * (double)bytes / seconds);
  releaseGraph(graph);
  releaseOnGpu(from);
  releaseOnGpu(to);
}

int printQuestions(const Options *options) {
  if (!openGpu(options->device))
    return 2;
  for (int hasEnds = 0; hasEnds < 2; ++hasEnds)
    for (int kernels = 1; kernels <= 100; kernels *= 10)
      askKernels(kernels, hasEnds);
  askProducts(/*loadsInSteps=*/0);
  askProducts(/*loadsInSteps=*/1);
  for (int kernels = 1; canOverlap() && kernels <= 100; kernels *= 10)
    askOverlappingKernels(kernels);
  if (canOverlap())
    askStaleReads();
  askCopy(1ull << 30, 3);
  // A pitch beyond the documented limit; last, for it may fail.
  askCopy(3ull << 30, 1);
  return 0;
}
