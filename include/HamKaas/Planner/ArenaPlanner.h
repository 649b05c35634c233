//===- ArenaPlanner.h - Offsets of buffers in one arena ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Static memory planning as plain interval arithmetic: no MLIR and no LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PLANNER_ARENAPLANNER_H
#define HAMKAAS_PLANNER_ARENAPLANNER_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hamkaas {

/// A buffer that must exist from the step `firstUse` to the step `lastUse`,
/// both included; `firstUse <= lastUse`.
struct ArenaBuffer {
  uint64_t bytes = 0;
  uint64_t firstUse = 0;
  uint64_t lastUse = 0;
  /// Index of an earlier buffer in the list whose place this one may take over
  /// although both are in use at one step. It does if the other's last use is
  /// this one's first use, both have the same aligned size, and no buffer
  /// before this one took that place.
  std::optional<size_t> mayReplace = std::nullopt;
};

/// The place of each buffer. Buffers in use at the same step do not overlap,
/// except that a buffer may have exactly the place of one that it replaces.
struct ArenaPlan {
  /// Per buffer, in bytes from the start of the arena, a multiple of the
  /// alignment.
  std::vector<uint64_t> offsets;
  /// Size of the arena: the largest end of a buffer, a multiple of the
  /// alignment.
  uint64_t bytes = 0;
  /// The largest sum, over all steps, of the aligned sizes of the buffers in
  /// use; a buffer and the one that it replaces count once. No plan needs less.
  uint64_t lowerBound = 0;
  /// The first step that reaches that sum, and the buffers in use at it, in
  /// ascending order; of a pair that shares a place, only the newer one.
  uint64_t peakStep = 0;
  std::vector<size_t> peakBuffers;
};

/// Plans an arena for `buffers`; `alignment` is a power of two. The result is
/// a function of the arguments alone. Takes O(n log n) steps plus, up to a
/// fixed bound, the number of pairs in use at the same time. Returns nothing if
/// the arena would be larger than 2^63 - 1 bytes.
std::optional<ArenaPlan> planArena(const std::vector<ArenaBuffer> &buffers,
                                   uint64_t alignment);

} // namespace hamkaas

#endif // HAMKAAS_PLANNER_ARENAPLANNER_H
