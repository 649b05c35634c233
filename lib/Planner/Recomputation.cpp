//===- Recomputation.cpp - What to compute again, not keep ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A greedy search. Its state is a set of dropped buffers, each with the last
// step that reads it from where it was first computed; later readers get it
// from a repetition. Of that follow a schedule and the bytes in use. Chains are
// covered: what a repetition reads may be dropped, too.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Planner/Recomputation.h"
#include <algorithm>
#include <limits>
#include <set>
#include <utility>

using namespace hamkaas;

namespace {

constexpr size_t none = SIZE_MAX;
constexpr double infinite = std::numeric_limits<double>::infinity();
/// How many steps all schedules together may have: about two seconds.
constexpr uint64_t scheduleBudget = uint64_t(1) << 25;
/// Buffers that are dropped at once, because one is computed of the others.
constexpr size_t maxMembers = 8;
/// An operand of at least this part of a result is computed again, too, not
/// kept for it.
constexpr uint64_t smallPart = 4;
/// Repetitions that read each other.
constexpr size_t maxDepth = 256;

/// A schedule and the bytes in use.
struct Schedule {
  std::vector<ScheduledStep> steps;
  std::vector<uint64_t> inUse;
  /// Per step of the program its place in `steps`.
  std::vector<size_t> places;
  /// Per buffer the steps of the program at which the first one is used, with
  /// those in front of which a repetition reads it.
  std::vector<std::vector<size_t>> uses;
  uint64_t peak = 0;
  /// The sum over the steps of the bytes above the limit; infinite if a
  /// repetition would read something else than the first run.
  double excess = 0;
};

/// Buffers to drop, with their last early uses.
struct Candidate {
  std::vector<std::pair<size_t, size_t>> members;
  double score = 0;
};

class RecomputationSearch {
public:
  RecomputationSearch(const Work &work, uint64_t limit);

  Recomputation run();

private:
  Schedule makeSchedule();
  void addReads(Schedule &schedule, ScheduledStep &scheduled, size_t time);
  void addRepetition(Schedule &schedule, size_t buffer, size_t time);
  void measure(Schedule &schedule) const;
  std::vector<size_t> getStarts(const Schedule &schedule,
                                const std::vector<size_t> &first,
                                const std::vector<size_t> &last) const;

  void countOver();
  size_t getOver(size_t after, size_t before) const;
  bool isStable(size_t buffer, size_t after, size_t before) const;
  bool isAvailable(size_t buffer, size_t time) const;
  bool addMember(Candidate &candidate, size_t buffer, size_t lastEarly,
                 size_t time, double &gain, double &cost) const;
  void measureChains();
  size_t getChain(size_t buffer) const;
  std::vector<Candidate> collect() const;
  bool tryCandidate(const Candidate &candidate);
  bool improve();
  void prune();

  bool mayDrop(size_t buffer) const {
    return writers[buffer] != none && work.bytes[buffer] > 0 &&
           work.steps[writers[buffer]].mayRepeat;
  }
  bool isLate(size_t buffer, size_t time) const {
    return lastEarly[buffer] != none && time > lastEarly[buffer];
  }
  /// The buffer that a step uses: those of repetitions come behind the others.
  size_t getInstance(const ScheduledStep &scheduled, size_t buffer,
                     bool isWritten) const;

  const Work &work;
  uint64_t limit;
  uint64_t budget = scheduleBudget;
  /// Per buffer the only step that writes it, or `none`.
  std::vector<size_t> writers;
  std::vector<std::vector<size_t>> writes;
  /// Per buffer the last step that uses the first one; `none` if it is not
  /// dropped.
  std::vector<size_t> lastEarly;
  std::vector<bool> isRepeated;
  size_t depth = 0;
  Schedule current;
  /// The number of steps of the program above the limit before each.
  std::vector<size_t> over;
  /// Per buffer how many dropped ones in a row it is computed of, and are
  /// computed of it.
  std::vector<size_t> above, below;
  std::set<std::pair<size_t, size_t>> failed;
};

} // namespace

RecomputationSearch::RecomputationSearch(const Work &work, uint64_t limit)
    : work(work), limit(limit), writers(work.bytes.size(), none),
      writes(work.bytes.size()), lastEarly(work.bytes.size(), none) {
  for (size_t step = 0; step < work.steps.size(); ++step)
    for (size_t buffer : work.steps[step].writes)
      writes[buffer].push_back(step);
  for (size_t buffer = 0; buffer < writes.size(); ++buffer)
    if (writes[buffer].size() == 1)
      writers[buffer] = writes[buffer].front();
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

/// Puts the repetition of the step that writes `buffer`, and what that needs,
/// in front of the step `time`.
void RecomputationSearch::addRepetition(Schedule &schedule, size_t buffer,
                                        size_t time) {
  if (isRepeated[buffer])
    return;
  isRepeated[buffer] = true;
  ScheduledStep repeated{writers[buffer], /*isRepeated=*/true};
  for (size_t read : work.steps[repeated.step].reads)
    if (!isStable(read, repeated.step, time))
      schedule.excess = infinite;
  if (++depth > maxDepth)
    schedule.excess = infinite;
  else
    addReads(schedule, repeated, time);
  --depth;
  schedule.steps.push_back(std::move(repeated));
}

/// Recurses as deep as repetitions read repetitions, up to `maxDepth`.
void RecomputationSearch::addReads(Schedule &schedule, ScheduledStep &scheduled,
                                   size_t time) {
  for (size_t buffer : work.steps[scheduled.step].reads) {
    if (!isLate(buffer, time)) {
      schedule.uses[buffer].push_back(time);
      continue;
    }
    addRepetition(schedule, buffer, time);
    scheduled.repeatedReads.push_back(buffer);
  }
}

Schedule RecomputationSearch::makeSchedule() {
  Schedule schedule;
  schedule.uses.resize(work.bytes.size());
  isRepeated.assign(work.bytes.size(), false);
  for (size_t step = 0; step < work.steps.size(); ++step) {
    ScheduledStep scheduled{step};
    addReads(schedule, scheduled, step);
    for (size_t buffer : work.steps[step].writes)
      schedule.uses[buffer].push_back(step);
    schedule.places.push_back(schedule.steps.size());
    schedule.steps.push_back(std::move(scheduled));
  }
  measure(schedule);
  budget -= std::min<uint64_t>(budget, schedule.steps.size());
  return schedule;
}

size_t RecomputationSearch::getInstance(const ScheduledStep &scheduled,
                                        size_t buffer, bool isWritten) const {
  bool isNew = isWritten ? scheduled.isRepeated
                         : std::find(scheduled.repeatedReads.begin(),
                                     scheduled.repeatedReads.end(),
                                     buffer) != scheduled.repeatedReads.end();
  return isNew ? work.bytes.size() + buffer : buffer;
}

/// When each buffer begins to count: a step later if it replaces another one.
std::vector<size_t>
RecomputationSearch::getStarts(const Schedule &schedule,
                               const std::vector<size_t> &first,
                               const std::vector<size_t> &last) const {
  std::vector<size_t> starts = first;
  std::vector<bool> isTaken(first.size(), false);
  for (size_t place = 0; place < schedule.steps.size(); ++place) {
    const ScheduledStep &scheduled = schedule.steps[place];
    const WorkStep &step = work.steps[scheduled.step];
    for (size_t buffer : step.writes) {
      size_t created = getInstance(scheduled, buffer, /*isWritten=*/true);
      for (size_t read : step.replaceable) {
        size_t dying = getInstance(scheduled, read, /*isWritten=*/false);
        if (first[created] != place || starts[created] != place ||
            last[dying] != place || first[dying] == place || isTaken[dying] ||
            work.bytes[read] != work.bytes[buffer])
          continue;
        isTaken[dying] = true;
        starts[created] = place + 1;
      }
    }
  }
  return starts;
}

void RecomputationSearch::measure(Schedule &schedule) const {
  size_t count = work.bytes.size();
  std::vector<size_t> first(2 * count, none), last(2 * count, 0);
  for (size_t place = 0; place < schedule.steps.size(); ++place) {
    const ScheduledStep &scheduled = schedule.steps[place];
    const WorkStep &step = work.steps[scheduled.step];
    auto use = [&](size_t buffer, bool isWritten) {
      size_t instance = getInstance(scheduled, buffer, isWritten);
      first[instance] = std::min(first[instance], place);
      last[instance] = place;
    };
    for (size_t buffer : step.reads)
      use(buffer, /*isWritten=*/false);
    for (size_t buffer : step.writes)
      use(buffer, /*isWritten=*/true);
  }
  std::vector<size_t> starts = getStarts(schedule, first, last);
  std::vector<uint64_t> starting(schedule.steps.size() + 1), ending(starting);
  for (size_t instance = 0; instance < 2 * count; ++instance) {
    if (first[instance] == none)
      continue;
    starting[starts[instance]] += work.bytes[instance % count];
    ending[last[instance]] += work.bytes[instance % count];
  }
  uint64_t inUse = 0;
  for (size_t place = 0; place < schedule.steps.size(); ++place) {
    // One that replaces another and is read by nobody has no time of its own.
    inUse += starting[place];
    schedule.inUse.push_back(inUse);
    schedule.peak = std::max(schedule.peak, inUse);
    schedule.excess += inUse > limit ? double(inUse - limit) : 0;
    inUse -= std::min(inUse, ending[place]);
  }
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

void RecomputationSearch::countOver() {
  over.assign(1, 0);
  for (size_t place : current.places)
    over.push_back(over.back() + (current.inUse[place] > limit));
}

/// How many steps between these two, both excluded, are above the limit.
size_t RecomputationSearch::getOver(size_t after, size_t before) const {
  return before > after + 1 ? over[before] - over[after + 1] : 0;
}

/// Returns whether nobody writes the buffer between these two steps.
bool RecomputationSearch::isStable(size_t buffer, size_t after,
                                   size_t before) const {
  const std::vector<size_t> &steps = writes[buffer];
  auto next = std::upper_bound(steps.begin(), steps.end(), after);
  return next == steps.end() || *next >= before;
}

/// Returns whether a repetition in front of the step `time` can read the
/// buffer at no cost.
bool RecomputationSearch::isAvailable(size_t buffer, size_t time) const {
  if (work.bytes[buffer] == 0 || lastEarly[buffer] != none)
    return true;
  const std::vector<size_t> &uses = current.uses[buffer];
  return !uses.empty() && uses.back() >= time;
}

/// Adds a buffer that is computed again in front of the step `time`. Fails if
/// its operands have other contents by then.
bool RecomputationSearch::addMember(Candidate &candidate, size_t buffer,
                                    size_t lastEarly, size_t time, double &gain,
                                    double &cost) const {
  size_t writer = writers[buffer];
  candidate.members.emplace_back(buffer, lastEarly);
  cost += double(work.steps[writer].cost);
  for (size_t read : work.steps[writer].reads) {
    if (!isStable(read, writer, time))
      return false;
    if (isAvailable(read, time) ||
        std::any_of(candidate.members.begin(), candidate.members.end(),
                    [&](const auto &member) { return member.first == read; }))
      continue;
    size_t lastUse = current.uses[read].back();
    bool isLarge = work.bytes[read] >= work.bytes[buffer] / smallPart;
    if (isLarge && mayDrop(read) && candidate.members.size() < maxMembers) {
      if (!addMember(candidate, read, lastUse, time, gain, cost))
        return false;
      continue;
    }
    gain -= double(work.bytes[read]) * double(getOver(lastUse, time));
  }
  return true;
}

void RecomputationSearch::measureChains() {
  above.assign(work.bytes.size(), 0);
  below = above;
  for (const WorkStep &step : work.steps)
    for (size_t buffer : step.writes)
      if (lastEarly[buffer] != none)
        for (size_t read : step.reads)
          above[buffer] = std::max(
              above[buffer], lastEarly[read] != none ? above[read] + 1 : 0);
  for (size_t i = work.steps.size(); i-- > 0;)
    for (size_t buffer : work.steps[i].writes)
      if (lastEarly[buffer] != none)
        for (size_t read : work.steps[i].reads)
          below[read] = std::max(below[read], below[buffer] + 1);
}

/// How many buffers would be computed of each other in a row with this one. All
/// of them are in use at once, so short chains leave more to save.
size_t RecomputationSearch::getChain(size_t buffer) const {
  size_t operands = 0;
  for (size_t read : work.steps[writers[buffer]].reads)
    if (lastEarly[read] != none)
      operands = std::max(operands, above[read] + 1);
  return operands + 1 + below[buffer];
}

/// All that helps, the best first.
std::vector<Candidate> RecomputationSearch::collect() const {
  std::vector<Candidate> candidates;
  for (size_t buffer = 0; buffer < work.bytes.size(); ++buffer) {
    if (!mayDrop(buffer) || lastEarly[buffer] != none)
      continue;
    const std::vector<size_t> &uses = current.uses[buffer];
    for (size_t i = 0; i + 1 < uses.size(); ++i) {
      size_t after = uses[i], before = uses[i + 1];
      size_t steps = getOver(after, before);
      if (steps == 0 || failed.count({buffer, after}))
        continue;
      Candidate candidate;
      double gain = double(work.bytes[buffer]) * double(steps), cost = 1;
      if (!addMember(candidate, buffer, after, before, gain, cost) || gain <= 0)
        continue;
      candidate.score = gain / cost / double(getChain(buffer));
      candidates.push_back(std::move(candidate));
    }
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate &a, const Candidate &b) {
              return a.score != b.score ? a.score > b.score
                                        : a.members < b.members;
            });
  return candidates;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// Takes the candidate if that leaves less above the limit.
bool RecomputationSearch::tryCandidate(const Candidate &candidate) {
  std::vector<size_t> before = lastEarly;
  for (auto [buffer, last] : candidate.members)
    lastEarly[buffer] = last;
  Schedule next = makeSchedule();
  if (next.excess < current.excess) {
    current = std::move(next);
    return true;
  }
  lastEarly = std::move(before);
  failed.insert(candidate.members.front());
  return false;
}

bool RecomputationSearch::improve() {
  countOver();
  measureChains();
  for (const Candidate &candidate : collect()) {
    if (budget == 0)
      return false;
    if (tryCandidate(candidate))
      return true;
  }
  return false;
}

/// Keeps again what needs not be computed again, the most expensive first.
void RecomputationSearch::prune() {
  std::vector<size_t> dropped;
  for (size_t buffer = 0; buffer < lastEarly.size(); ++buffer)
    if (lastEarly[buffer] != none)
      dropped.push_back(buffer);
  auto getCost = [&](size_t buffer) {
    return work.steps[writers[buffer]].cost;
  };
  std::sort(dropped.begin(), dropped.end(), [&](size_t a, size_t b) {
    return getCost(a) != getCost(b) ? getCost(a) > getCost(b) : a < b;
  });
  for (size_t buffer : dropped) {
    if (budget == 0)
      return;
    size_t last = std::exchange(lastEarly[buffer], none);
    Schedule next = makeSchedule();
    if (next.excess == 0)
      current = std::move(next);
    else
      lastEarly[buffer] = last;
  }
}

Recomputation RecomputationSearch::run() {
  current = makeSchedule();
  bool isChanged = false;
  while (current.excess > 0 && budget > 0) {
    if (improve()) {
      isChanged = true;
      continue;
    }
    // Failed candidates may help once other buffers are gone.
    if (!isChanged)
      break;
    isChanged = false;
    failed.clear();
  }
  if (current.excess == 0)
    prune();
  Recomputation result;
  result.steps = std::move(current.steps);
  result.peakBytes = current.peak;
  result.hasRepeated = result.steps.size() > work.steps.size();
  return result;
}

Recomputation hamkaas::recompute(const Work &work, uint64_t limit) {
  return RecomputationSearch(work, limit).run();
}
