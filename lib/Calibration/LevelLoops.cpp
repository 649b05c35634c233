//===- LevelLoops.cpp - The loops at one level ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Compiled once for each level, with its instructions and HAMKAAS_LOOPS as the
// name of what it defines.
// NOTE: include nothing that defines inline functions: the linker keeps one
// copy of each, which must not be one with instructions the machine lacks.

#include "HamKaas/Calibration/Loops.h"

using namespace hamkaas;

#if defined(__AVX512F__)
static constexpr int lanes = 16;
#elif defined(__AVX__)
static constexpr int lanes = 8;
#else
static constexpr int lanes = 4;
#endif
using Vector = float __attribute__((vector_size(lanes * sizeof(float))));

static constexpr int vectorsPerLoop = loopBytes / sizeof(Vector);

/// Enough chains to hide the latency of a multiply-add (4 cycles, two a cycle),
/// and few enough for 16 registers.
static constexpr int chains = 12;

static double multiplyAdd(long steps) {
  // Below 1, so that no sum grows beyond bounds.
  Vector factor = Vector{} + 0.5f;
  Vector sums[chains] = {};
  for (long step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
    for (int i = 0; i < chains; ++i)
      sums[i] = sums[i] * factor + factor;
    // Keeps the compiler from computing several steps at once.
    asm volatile("" : "+v"(factor));
  }
  for (Vector sum : sums)
    asm volatile("" ::"v"(sum));
  return 2.0 * chains * lanes * static_cast<double>(steps);
}

static void load(const float *from) {
  asm volatile("" ::"v"(*reinterpret_cast<const Vector *>(from)));
}

static void read(const float *from, size_t bytes) {
  for (const float *end = from + bytes / sizeof(float); from < end;
       from += vectorsPerLoop * lanes)
#pragma clang loop unroll(full)
    for (int i = 0; i < vectorsPerLoop; ++i)
      load(from + i * lanes);
}

static void readStreams(const float *from, size_t bytes) {
  constexpr int streams = 4;
  constexpr int vectors = vectorsPerLoop / streams;
  const size_t stride = bytes / sizeof(float) / streams;
  for (const float *end = from + stride; from < end; from += vectors * lanes)
#pragma clang loop unroll(full)
    for (int stream = 0; stream < streams; ++stream)
#pragma clang loop unroll(full)
      for (int i = 0; i < vectors; ++i)
        load(from + stream * stride + i * lanes);
}

template <bool pastCaches>
static void copyVectors(const float *from, float *to, size_t bytes) {
  for (const float *end = from + bytes / sizeof(float); from < end;
       from += vectorsPerLoop * lanes, to += vectorsPerLoop * lanes)
#pragma clang loop unroll(full)
    for (int i = 0; i < vectorsPerLoop; ++i) {
      Vector vector = *reinterpret_cast<const Vector *>(from + i * lanes);
      // Keeps the compiler from calling memcpy.
      asm volatile("" : "+v"(vector));
      auto *target = reinterpret_cast<Vector *>(to + i * lanes);
      if constexpr (pastCaches)
        __builtin_nontemporal_store(vector, target);
      else
        *target = vector;
    }
}

static void copy(const float *from, float *to, size_t bytes) {
  copyVectors<false>(from, to, bytes);
}

static void copyPastCaches(const float *from, float *to, size_t bytes) {
  copyVectors<true>(from, to, bytes);
  asm volatile("sfence" ::: "memory");
}

namespace hamkaas {
extern const Loops HAMKAAS_LOOPS;
const Loops HAMKAAS_LOOPS = {multiplyAdd, read, readStreams, copy,
                             copyPastCaches};
} // namespace hamkaas
