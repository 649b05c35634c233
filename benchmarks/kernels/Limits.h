//===- Limits.h - The limits of the machine ---------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_BENCHMARKS_KERNELS_LIMITS_H
#define HAMKAAS_BENCHMARKS_KERNELS_LIMITS_H

#include "hamkaas-c/Program.h"
#include <cstddef>

namespace hamkaas::benchmarks {

/// Loops that do one thing as fast as an instruction set level lets one core do
/// it.
struct Limits {
  /// Runs `steps` steps of independent multiply-adds in registers and returns
  /// the floating point operations done.
  double (*multiplyAdd)(long steps);
  /// Reads `bytes` bytes, a multiple of loopBytes.
  void (*read)(const float *from, size_t bytes);
  /// Copies `bytes` bytes, a multiple of loopBytes.
  void (*copy)(const float *from, float *to, size_t bytes);
};

/// What an iteration of `read` or `copy` handles at any level.
constexpr size_t loopBytes = 512;

const Limits &getLimits(HamKaasIsaLevel level);

} // namespace hamkaas::benchmarks

#endif // HAMKAAS_BENCHMARKS_KERNELS_LIMITS_H
