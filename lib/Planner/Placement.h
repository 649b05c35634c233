//===- Placement.h - Ways to place intervals in an arena --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_PLANNER_PLACEMENT_H
#define HAMKAAS_LIB_PLANNER_PLACEMENT_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hamkaas {

/// No arena is larger: sums of two sizes then fit in 64 bits.
constexpr uint64_t maxArenaBytes = INT64_MAX;

/// One place in the arena, held from `first` to `last`. The times are ranks
/// among all times that occur.
struct ArenaSlot {
  uint64_t bytes;
  uint32_t first;
  uint32_t last;
};

/// Offsets of slots, and the largest end.
struct Placement {
  std::vector<uint64_t> offsets;
  uint64_t bytes = 0;
};

/// Which of the gaps that are large enough a slot gets.
enum class Fit { Lowest, Smallest };

/// Finds the slots placed so far that overlap a span of time.
class OverlapIndex {
public:
  explicit OverlapIndex(const std::vector<ArenaSlot> &slots);

  void clear();
  void insert(uint32_t slot);
  /// Writes the inserted slots in use between the times `first` and `last` to
  /// `found`.
  void find(uint32_t first, uint32_t last, std::vector<uint32_t> &found) const;

private:
  /// The slots by ascending first time, and the place of each among them.
  std::vector<uint32_t> byFirst, position;
  /// Per slot, its last time.
  std::vector<uint32_t> lastOf;
  /// How many slots start at a time or before it.
  std::vector<uint32_t> startedBy;
  /// A binary tree over `byFirst`: per node, the latest end (last time + 1) of
  /// an inserted slot below it, 0 for none.
  std::vector<uint32_t> latestEnd;
  size_t leaves;
};

/// Gives the slots, in `order`, a gap that `fit` selects between the slots
/// placed before. Each pair of slots compared lowers `budget`; returns an
/// empty placement when it is used up or the arena gets too large.
Placement placeInOrder(const std::vector<ArenaSlot> &slots,
                       const std::vector<uint32_t> &order, Fit fit,
                       OverlapIndex &index, int64_t &budget);

/// Runs through time like an allocator: a slot gets the smallest free block
/// when it starts and returns it when it ends. `backwards` lets time run from
/// the last step to the first. Takes O(n log n) steps whatever the slots are.
Placement placeInTime(const std::vector<ArenaSlot> &slots, bool backwards);

/// Returns whether no two slots that are in use at the same time overlap, and
/// all lie within the placement. Takes O(n log n) steps; for assertions.
bool isDisjoint(const std::vector<ArenaSlot> &slots,
                const Placement &placement);

} // namespace hamkaas

#endif // HAMKAAS_LIB_PLANNER_PLACEMENT_H
