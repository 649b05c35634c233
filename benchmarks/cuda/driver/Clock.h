//===- Clock.h - The clock of the host ----------------------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_BENCHMARKS_CUDA_CLOCK_H
#define HAMKAAS_BENCHMARKS_CUDA_CLOCK_H

#include <time.h>

/// Seconds since some time.
static inline double readClock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
