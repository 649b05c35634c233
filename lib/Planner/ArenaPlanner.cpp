//===- ArenaPlanner.cpp - Offsets of buffers in one arena -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The problem (dynamic storage allocation) is NP-hard, but the buffers of real
// models are easy: one of a few orders nearly always meets the lower bound.
// The orders are tried one after the other, best ones first; where none meets
// it, the slots that reach the top of the arena are placed earlier in the next
// round ("squeaky wheel optimisation").
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Planner/ArenaPlanner.h"
#include "Placement.h"
#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

using namespace hamkaas;

namespace {

/// How many pairs of slots the search may compare: about a second.
constexpr int64_t comparisonBudget = int64_t(1) << 24;
/// Rounds in which slots at the top are moved forward.
constexpr int improvementRounds = 100;

/// The places of buffers: those that replace each other share one.
struct SlotTable {
  std::vector<ArenaSlot> slots;
  /// Per buffer its slot, or `none` if it is empty.
  std::vector<uint32_t> slotOf;
  /// Per buffer, the one that replaces it, or `none`.
  std::vector<uint32_t> replacedBy;
  /// The steps that the ranks in the slots stand for, ascending.
  std::vector<uint64_t> steps;

  static constexpr uint32_t none = UINT32_MAX;
};

/// The largest sum of the sizes of slots in use.
struct Peak {
  uint64_t bytes = 0;
  uint32_t time = 0;
};

/// Searches for the placement that needs the least.
class PlacementSearch {
public:
  PlacementSearch(const std::vector<ArenaSlot> &slots, uint64_t lowerBound)
      : slots(slots), index(slots), lowerBound(lowerBound) {}

  /// Returns an empty placement if all that were tried are too large.
  Placement run();

private:
  std::vector<uint32_t> sortBy(std::vector<uint64_t> keys) const;
  std::vector<uint64_t> getLoads() const;
  /// Keeps `candidate` if it is the best yet; returns true if it is optimal.
  bool consider(Placement candidate);
  bool tryOrder(const std::vector<uint32_t> &order, Fit fit);
  void improve();

  const std::vector<ArenaSlot> &slots;
  OverlapIndex index;
  uint64_t lowerBound;
  int64_t budget = comparisonBudget;
  Placement best;
  std::vector<uint32_t> bestOrder;
  Fit bestFit = Fit::Lowest;
  uint64_t bestOrderBytes = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// Returns nothing if a size exceeds the largest arena.
static std::optional<std::vector<uint64_t>>
alignSizes(const std::vector<ArenaBuffer> &buffers, uint64_t alignment) {
  std::vector<uint64_t> sizes;
  sizes.reserve(buffers.size());
  for (const ArenaBuffer &buffer : buffers) {
    if (buffer.bytes > maxArenaBytes - (alignment - 1))
      return std::nullopt;
    sizes.push_back((buffer.bytes + alignment - 1) & ~(alignment - 1));
  }
  return sizes;
}

static std::vector<uint64_t>
collectSteps(const std::vector<ArenaBuffer> &buffers) {
  std::vector<uint64_t> steps;
  for (const ArenaBuffer &buffer : buffers) {
    assert(buffer.firstUse <= buffer.lastUse && "used before it is made");
    steps.push_back(buffer.firstUse);
    steps.push_back(buffer.lastUse);
  }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

static SlotTable makeSlots(const std::vector<ArenaBuffer> &buffers,
                           const std::vector<uint64_t> &sizes) {
  SlotTable table;
  table.steps = collectSteps(buffers);
  table.slotOf.assign(buffers.size(), SlotTable::none);
  table.replacedBy.assign(buffers.size(), SlotTable::none);
  auto getRank = [&](uint64_t step) {
    return uint32_t(
        std::lower_bound(table.steps.begin(), table.steps.end(), step) -
        table.steps.begin());
  };
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (sizes[i] == 0)
      continue;
    const ArenaBuffer &buffer = buffers[i];
    if (buffer.mayReplace) {
      size_t other = *buffer.mayReplace;
      if (other < i && buffers[other].firstUse < buffer.firstUse &&
          buffers[other].lastUse == buffer.firstUse &&
          sizes[other] == sizes[i] &&
          table.replacedBy[other] == SlotTable::none) {
        table.replacedBy[other] = i;
        table.slotOf[i] = table.slotOf[other];
        table.slots[table.slotOf[i]].last = getRank(buffer.lastUse);
        continue;
      }
    }
    table.slotOf[i] = table.slots.size();
    table.slots.push_back(
        {sizes[i], getRank(buffer.firstUse), getRank(buffer.lastUse)});
  }
  return table;
}

static std::optional<Peak> findPeak(const SlotTable &table) {
  std::vector<uint64_t> starting(table.steps.size()), ending(starting);
  for (const ArenaSlot &slot : table.slots) {
    // All slots of one time may be in use at once, so this cannot wrap unless
    // the sum below is too large, too.
    if (slot.bytes > maxArenaBytes - starting[slot.first])
      return std::nullopt;
    starting[slot.first] += slot.bytes;
    ending[slot.last] += slot.bytes;
  }
  Peak peak;
  uint64_t inUse = 0;
  for (uint32_t time = 0; time < starting.size(); ++time) {
    inUse += starting[time];
    if (inUse > maxArenaBytes)
      return std::nullopt;
    if (inUse > peak.bytes)
      peak = {inUse, time};
    inUse -= ending[time];
  }
  return peak;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// The slots by descending key, those of equal key by time.
std::vector<uint32_t>
PlacementSearch::sortBy(std::vector<uint64_t> keys) const {
  std::vector<uint32_t> order(slots.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (keys[a] != keys[b])
      return keys[a] > keys[b];
    if (slots[a].bytes != slots[b].bytes)
      return slots[a].bytes > slots[b].bytes;
    return std::pair(slots[a].first, a) < std::pair(slots[b].first, b);
  });
  return order;
}

/// Per slot the sum of the sizes in use at the time it starts.
std::vector<uint64_t> PlacementSearch::getLoads() const {
  uint32_t times = 0;
  for (const ArenaSlot &slot : slots)
    times = std::max(times, slot.last + 1);
  std::vector<uint64_t> starting(times), ending(times), loads(times);
  for (const ArenaSlot &slot : slots) {
    starting[slot.first] += slot.bytes;
    ending[slot.last] += slot.bytes;
  }
  uint64_t inUse = 0;
  for (uint32_t time = 0; time < times; ++time) {
    inUse += starting[time];
    loads[time] = inUse;
    inUse -= ending[time];
  }
  std::vector<uint64_t> result;
  for (const ArenaSlot &slot : slots)
    result.push_back(loads[slot.first]);
  return result;
}

bool PlacementSearch::consider(Placement candidate) {
  if (candidate.offsets.empty())
    return false;
  if (best.offsets.empty() || candidate.bytes < best.bytes)
    best = std::move(candidate);
  return best.bytes == lowerBound;
}

bool PlacementSearch::tryOrder(const std::vector<uint32_t> &order, Fit fit) {
  Placement candidate = placeInOrder(slots, order, fit, index, budget);
  if (candidate.offsets.empty())
    return false;
  if (bestOrder.empty() || candidate.bytes < bestOrderBytes) {
    bestOrder = order;
    bestFit = fit;
    bestOrderBytes = candidate.bytes;
  }
  return consider(std::move(candidate));
}

/// Starts from the best order and moves the slots at the top of the arena half
/// of the way to the front, again and again.
void PlacementSearch::improve() {
  std::vector<std::pair<uint32_t, uint32_t>> ranked(bestOrder.size());
  std::vector<uint32_t> order = bestOrder;
  for (int round = 0; round < improvementRounds && !order.empty(); ++round) {
    // The sorting counts, too.
    budget -= 8 * order.size();
    Placement current = placeInOrder(slots, order, bestFit, index, budget);
    if (current.offsets.empty() || consider(current))
      return;
    for (uint32_t i = 0; i < order.size(); ++i) {
      uint32_t slot = order[i];
      bool atTop = current.offsets[slot] + slots[slot].bytes == current.bytes;
      // Even ranks are for slots that move: they come before who is there.
      ranked[i] = {atTop ? i / 2 * 2 : 2 * i + 1, slot};
    }
    std::sort(ranked.begin(), ranked.end());
    for (uint32_t i = 0; i < order.size(); ++i)
      order[i] = ranked[i].second;
  }
}

Placement PlacementSearch::run() {
  if (consider(placeInTime(slots, /*backwards=*/false)) ||
      consider(placeInTime(slots, /*backwards=*/true)))
    return best;
  std::vector<uint64_t> sizes, lifetimes, areas;
  for (const ArenaSlot &slot : slots) {
    uint64_t lifetime = slot.last - slot.first + 1;
    sizes.push_back(slot.bytes);
    lifetimes.push_back(lifetime);
    areas.push_back(slot.bytes > UINT64_MAX / lifetime ? UINT64_MAX
                                                       : slot.bytes * lifetime);
  }
  for (const std::vector<uint64_t> &keys :
       {sizes, areas, lifetimes, getLoads()}) {
    std::vector<uint32_t> order = sortBy(keys);
    if (tryOrder(order, Fit::Lowest) || tryOrder(order, Fit::Smallest))
      return best;
  }
  improve();
  return best;
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

static std::vector<size_t>
findPeakBuffers(const std::vector<ArenaBuffer> &buffers, const SlotTable &table,
                uint64_t step) {
  std::vector<size_t> result;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (table.slotOf[i] == SlotTable::none || buffers[i].firstUse > step ||
        buffers[i].lastUse < step)
      continue;
    uint32_t next = table.replacedBy[i];
    if (next == SlotTable::none || buffers[next].firstUse > step)
      result.push_back(i);
  }
  return result;
}

std::optional<ArenaPlan>
hamkaas::planArena(const std::vector<ArenaBuffer> &buffers,
                   uint64_t alignment) {
  assert(alignment != 0 && (alignment & (alignment - 1)) == 0 &&
         "expected a power of two");
  ArenaPlan plan;
  plan.offsets.assign(buffers.size(), 0);
  std::optional<std::vector<uint64_t>> sizes = alignSizes(buffers, alignment);
  if (!sizes)
    return std::nullopt;
  SlotTable table = makeSlots(buffers, *sizes);
  if (table.slots.empty())
    return plan;
  std::optional<Peak> peak = findPeak(table);
  if (!peak)
    return std::nullopt;
  Placement placement = PlacementSearch(table.slots, peak->bytes).run();
  if (placement.offsets.empty())
    return std::nullopt;
  assert(isDisjoint(table.slots, placement) && "slots in use at once overlap");
  assert(placement.bytes >= peak->bytes && "less than what is in use at once");

  plan.bytes = placement.bytes;
  plan.lowerBound = peak->bytes;
  plan.peakStep = table.steps[peak->time];
  plan.peakBuffers = findPeakBuffers(buffers, table, plan.peakStep);
  for (size_t i = 0; i < buffers.size(); ++i)
    if (table.slotOf[i] != SlotTable::none)
      plan.offsets[i] = placement.offsets[table.slotOf[i]];
  return plan;
}
