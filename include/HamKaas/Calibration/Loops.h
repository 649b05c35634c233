//===- Loops.h - Loops as fast as the machine -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CALIBRATION_LOOPS_H
#define HAMKAAS_CALIBRATION_LOOPS_H

#include "hamkaas-c/Program.h"
#include <cstddef>

namespace hamkaas {

/// Loops that reach the peak of a core at an ISA level. Addresses are aligned
/// to 64 bytes.
struct Loops {
  /// Runs `steps` steps of independent multiply-adds in registers and returns
  /// the floating point operations done.
  double (*multiplyAdd)(long steps);
  /// Reads `bytes` bytes, a multiple of loopBytes, from first to last.
  void (*read)(const float *from, size_t bytes);
  /// The same in four streams, for which the hardware fetches more ahead.
  /// `bytes` is a multiple of four times loopBytes.
  void (*readStreams)(const float *from, size_t bytes);
  /// Copies `bytes` bytes, a multiple of loopBytes.
  void (*copy)(const float *from, float *to, size_t bytes);
  /// The same with stores that leave the caches out.
  void (*copyPastCaches)(const float *from, float *to, size_t bytes);
};

/// Bytes that an iteration of `read` or `copy` handles at any level.
constexpr size_t loopBytes = 512;

const Loops &getLoops(HamKaasIsaLevel level);

} // namespace hamkaas

#endif // HAMKAAS_CALIBRATION_LOOPS_H
