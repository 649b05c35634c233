//===- Placement.cpp - Ways to place intervals in an arena ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement.h"
#include <algorithm>
#include <cassert>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

using namespace hamkaas;

//===----------------------------------------------------------------------===//
// OverlapIndex
//===----------------------------------------------------------------------===//

OverlapIndex::OverlapIndex(const std::vector<ArenaSlot> &slots)
    : byFirst(slots.size()), position(slots.size()), leaves(1) {
  std::iota(byFirst.begin(), byFirst.end(), 0);
  std::sort(byFirst.begin(), byFirst.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(slots[a].first, a) < std::pair(slots[b].first, b);
  });
  uint32_t times = 0;
  for (const ArenaSlot &slot : slots)
    times = std::max(times, slot.last + 1);
  startedBy.assign(times, 0);
  for (uint32_t i = 0; i < byFirst.size(); ++i) {
    position[byFirst[i]] = i;
    ++startedBy[slots[byFirst[i]].first];
  }
  std::partial_sum(startedBy.begin(), startedBy.end(), startedBy.begin());
  while (leaves < slots.size())
    leaves *= 2;
  lastOf.resize(slots.size());
  for (uint32_t i = 0; i < slots.size(); ++i)
    lastOf[i] = slots[i].last;
  clear();
}

void OverlapIndex::clear() { latestEnd.assign(2 * leaves, 0); }

void OverlapIndex::insert(uint32_t slot) {
  uint32_t end = lastOf[slot] + 1;
  for (size_t node = leaves + position[slot]; node > 0; node /= 2)
    latestEnd[node] = std::max(latestEnd[node], end);
}

void OverlapIndex::find(uint32_t first, uint32_t last,
                        std::vector<uint32_t> &found) const {
  found.clear();
  size_t candidates = startedBy[last];
  // Visits the nodes with a slot that lasts until `first`, from left to right.
  size_t node = 1, low = 0, width = leaves;
  while (true) {
    bool wanted = low < candidates && latestEnd[node] > first;
    if (wanted && width > 1) {
      node *= 2;
      width /= 2;
      continue;
    }
    if (wanted)
      found.push_back(byFirst[low]);
    while (node % 2 == 1 && node > 1) {
      node /= 2;
      low -= width;
      width *= 2;
    }
    if (node == 1)
      return;
    ++node;
    low += width;
  }
}

//===----------------------------------------------------------------------===//
// Placing in a given order
//===----------------------------------------------------------------------===//

/// The offset for `bytes` among the blocks `busy`, which are sorted by start.
static uint64_t findGap(const std::vector<std::pair<uint64_t, uint64_t>> &busy,
                        uint64_t bytes, Fit fit) {
  uint64_t end = 0, best = UINT64_MAX, bestGap = UINT64_MAX;
  for (auto [blockStart, blockEnd] : busy) {
    if (blockStart >= end + bytes && blockStart - end < bestGap) {
      if (fit == Fit::Lowest)
        return end;
      best = end;
      bestGap = blockStart - end;
    }
    end = std::max(end, blockEnd);
  }
  return best == UINT64_MAX ? end : best;
}

Placement hamkaas::placeInOrder(const std::vector<ArenaSlot> &slots,
                                const std::vector<uint32_t> &order, Fit fit,
                                OverlapIndex &index, int64_t &budget) {
  Placement result;
  result.offsets.resize(slots.size());
  index.clear();
  std::vector<uint32_t> found;
  std::vector<std::pair<uint64_t, uint64_t>> busy;
  for (uint32_t slot : order) {
    index.find(slots[slot].first, slots[slot].last, found);
    budget -= found.size();
    if (budget < 0)
      return {};
    busy.clear();
    for (uint32_t other : found)
      busy.emplace_back(result.offsets[other],
                        result.offsets[other] + slots[other].bytes);
    std::sort(busy.begin(), busy.end());
    uint64_t offset = findGap(busy, slots[slot].bytes, fit);
    if (offset + slots[slot].bytes > maxArenaBytes)
      return {};
    result.offsets[slot] = offset;
    result.bytes = std::max(result.bytes, offset + slots[slot].bytes);
    index.insert(slot);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Placing in the order of time
//===----------------------------------------------------------------------===//

namespace {

/// The free blocks of an arena that grows at its end.
class FreeBlocks {
public:
  /// Returns the start of the smallest free block that is large enough, or of
  /// new space at the end.
  uint64_t take(uint64_t bytes) {
    auto fitting = bySize.lower_bound({bytes, 0});
    if (fitting != bySize.end()) {
      auto [size, start] = *fitting;
      remove(start, size);
      if (size > bytes)
        add(start + bytes, size - bytes);
      return start;
    }
    uint64_t start = end;
    if (!byStart.empty()) {
      auto [lastStart, lastSize] = *byStart.rbegin();
      if (lastStart + lastSize == end) {
        remove(lastStart, lastSize);
        start = lastStart;
      }
    }
    end = start + bytes;
    return start;
  }

  void give(uint64_t start, uint64_t size) {
    assert(size <= end && start <= end - size && "not part of the arena");
    auto next = byStart.lower_bound(start);
    assert((next == byStart.end() || next->first >= start + size) &&
           "free already");
    if (next != byStart.begin()) {
      auto [previousStart, previousSize] = *std::prev(next);
      assert(previousStart + previousSize <= start && "free already");
      if (previousStart + previousSize == start) {
        remove(previousStart, previousSize);
        start = previousStart;
        size += previousSize;
      }
    }
    if (next != byStart.end() && next->first == start + size) {
      uint64_t nextSize = next->second;
      remove(next->first, nextSize);
      size += nextSize;
    }
    add(start, size);
  }

  uint64_t getEnd() const { return end; }

private:
  void add(uint64_t start, uint64_t size) {
    byStart.emplace(start, size);
    bySize.emplace(size, start);
  }
  void remove(uint64_t start, uint64_t size) {
    byStart.erase(start);
    bySize.erase({size, start});
  }

  std::map<uint64_t, uint64_t> byStart;
  std::set<std::pair<uint64_t, uint64_t>> bySize;
  uint64_t end = 0;
};

} // namespace

Placement hamkaas::placeInTime(const std::vector<ArenaSlot> &slots,
                               bool backwards) {
  auto getStart = [&](uint32_t slot) {
    return backwards ? UINT32_MAX - slots[slot].last : slots[slot].first;
  };
  auto getEnd = [&](uint32_t slot) {
    return backwards ? UINT32_MAX - slots[slot].first : slots[slot].last;
  };
  std::vector<uint32_t> starting(slots.size());
  std::iota(starting.begin(), starting.end(), 0);
  std::vector<uint32_t> ending = starting;
  // The larger of two that start together first: it needs the larger gap.
  std::sort(starting.begin(), starting.end(), [&](uint32_t a, uint32_t b) {
    if (getStart(a) != getStart(b))
      return getStart(a) < getStart(b);
    return std::pair(slots[b].bytes, a) < std::pair(slots[a].bytes, b);
  });
  std::sort(ending.begin(), ending.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(getEnd(a), a) < std::pair(getEnd(b), b);
  });

  Placement result;
  result.offsets.resize(slots.size());
  FreeBlocks free;
  auto nextEnding = ending.begin();
  for (uint32_t slot : starting) {
    for (; getEnd(*nextEnding) < getStart(slot); ++nextEnding)
      free.give(result.offsets[*nextEnding], slots[*nextEnding].bytes);
    result.offsets[slot] = free.take(slots[slot].bytes);
    if (free.getEnd() > maxArenaBytes)
      return {};
  }
  result.bytes = free.getEnd();
  return result;
}

//===----------------------------------------------------------------------===//
// Invariants of placements
//===----------------------------------------------------------------------===//

bool hamkaas::isDisjoint(const std::vector<ArenaSlot> &slots,
                         const Placement &placement) {
  // In the order of time; at the same time, slots start before others end.
  std::vector<std::pair<uint64_t, uint32_t>> events;
  for (uint32_t slot = 0; slot < slots.size(); ++slot) {
    events.emplace_back(uint64_t{2} * slots[slot].first, slot);
    events.emplace_back(uint64_t{2} * slots[slot].last + 1, slot);
  }
  std::sort(events.begin(), events.end());
  std::map<uint64_t, uint64_t> endOf; // by offset, of the slots in use
  for (auto [time, slot] : events) {
    uint64_t start = placement.offsets[slot];
    if (time % 2 == 1) {
      endOf.erase(start);
      continue;
    }
    uint64_t end = start + slots[slot].bytes;
    auto next = endOf.lower_bound(start);
    if (end > placement.bytes || (next != endOf.end() && next->first < end) ||
        (next != endOf.begin() && std::prev(next)->second > start))
      return false;
    endOf.emplace(start, end);
  }
  return true;
}
