//===- LevelLimits.cpp - The limits at one level ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Compiled once for each level, with its instructions and HAMKAAS_LIMITS as the
// name of what it defines.
// NOTE: include nothing that defines inline functions: the linker keeps one
// copy of each, which must not be one with instructions the machine lacks.

#include "Limits.h"

using namespace hamkaas::benchmarks;

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

static void read(const float *from, size_t bytes) {
  for (const float *end = from + bytes / sizeof(float); from < end;
       from += vectorsPerLoop * lanes)
#pragma clang loop unroll(full)
    for (int i = 0; i < vectorsPerLoop; ++i)
      asm volatile(
          "" ::"v"(*reinterpret_cast<const Vector *>(from + i * lanes)));
}

static void copy(const float *from, float *to, size_t bytes) {
  for (const float *end = from + bytes / sizeof(float); from < end;
       from += vectorsPerLoop * lanes, to += vectorsPerLoop * lanes)
#pragma clang loop unroll(full)
    for (int i = 0; i < vectorsPerLoop; ++i) {
      Vector vector = *reinterpret_cast<const Vector *>(from + i * lanes);
      // Keeps the compiler from calling memcpy.
      asm volatile("" : "+v"(vector));
      *reinterpret_cast<Vector *>(to + i * lanes) = vector;
    }
}

namespace hamkaas::benchmarks {
extern const Limits HAMKAAS_LIMITS;
const Limits HAMKAAS_LIMITS = {multiplyAdd, read, copy};
} // namespace hamkaas::benchmarks
