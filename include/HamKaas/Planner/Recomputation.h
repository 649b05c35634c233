//===- Recomputation.h - What to compute again, not keep --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Trades time for memory as plain interval arithmetic: no MLIR and no LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PLANNER_RECOMPUTATION_H
#define HAMKAAS_PLANNER_RECOMPUTATION_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hamkaas {

/// A step of a program. Buffers are indices into Work::bytes.
struct WorkStep {
  std::vector<size_t> reads = {};
  std::vector<size_t> writes = {};
  /// Of the reads, those whose place the result may take over if they die.
  std::vector<size_t> replaceable = {};
  /// Of running the step once more, in any unit.
  uint64_t cost = 0;
  /// True if running it once more gives the same bits: it writes the whole of
  /// one buffer, and reads nothing else than `reads`.
  bool mayRepeat = false;
};

/// The steps of a program in their order.
struct Work {
  /// Per buffer its size in the arena; 0 for those that lie elsewhere.
  std::vector<uint64_t> bytes;
  std::vector<WorkStep> steps;
};

/// A step of the new order.
struct ScheduledStep {
  size_t step = 0;
  /// True if the step runs once more, into a new buffer.
  bool isRepeated = false;
  /// Of its reads, those that it reads from the buffer of the repetition.
  std::vector<size_t> repeatedReads = {};
};

struct Recomputation {
  std::vector<ScheduledStep> steps;
  /// The largest sum of bytes in use at one step, at most the limit if the
  /// search succeeded.
  uint64_t peakBytes = 0;
  bool hasRepeated = false;
};

/// Chooses steps to run again in front of late readers of their results, until
/// at most `limit` bytes are in use at each step, or nothing helps any more.
///
/// Takes the buffers first that save most bytes times steps above the limit per
/// cost. A step is repeated only while all that it reads still has the same
/// contents; what it reads is kept for it, or computed again, too. The result
/// is a function of the arguments alone, and the search is bounded.
Recomputation recompute(const Work &work, uint64_t limit);

} // namespace hamkaas

#endif // HAMKAAS_PLANNER_RECOMPUTATION_H
