//===- RecomputationTest.cpp - What is computed again, not kept -----------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Planner/Recomputation.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <map>
#include <random>

using namespace hamkaas;

namespace {

/// A network of `layers` whose results the backward steps read in reverse.
/// Buffer 0 is the input, which lies elsewhere; buffer i the result of layer i.
Work makeTraining(size_t layers) {
  Work work;
  work.bytes.assign(layers + 1, 100);
  work.bytes[0] = 0;
  for (size_t i = 1; i <= layers; ++i)
    work.steps.push_back({{i - 1}, {i}, {}, /*cost=*/10, /*mayRepeat=*/true});
  // Gradients: each takes the place of the one before.
  size_t gradient = work.bytes.size();
  work.bytes.push_back(100);
  work.steps.push_back({{layers}, {gradient}, {}, 20, false});
  for (size_t i = layers - 1; i > 0; --i) {
    work.bytes.push_back(100);
    work.steps.push_back(
        {{i, gradient}, {gradient + 1}, {gradient}, 20, false});
    ++gradient;
  }
  return work;
}

/// Runs the schedule on numbers: each step writes a hash of what it reads.
/// Returns what each step of the program read, and counts the bytes in use.
std::vector<std::vector<size_t>> simulate(const Work &work,
                                          const Recomputation &found) {
  using Instance = std::pair<size_t, bool>;
  std::map<Instance, size_t> contents;
  std::vector<std::vector<size_t>> read(work.steps.size());
  size_t next = 0;
  for (const ScheduledStep &scheduled : found.steps) {
    const WorkStep &step = work.steps[scheduled.step];
    std::vector<size_t> values;
    for (size_t buffer : step.reads) {
      bool isNew = std::count(scheduled.repeatedReads.begin(),
                              scheduled.repeatedReads.end(), buffer) != 0;
      EXPECT_TRUE(!isNew || contents.count({buffer, true}));
      values.push_back(contents[{buffer, isNew}]);
    }
    size_t hash = scheduled.step + 1;
    for (size_t value : values)
      hash = hash * 1000003 + value;
    if (scheduled.isRepeated) {
      EXPECT_TRUE(step.mayRepeat);
      EXPECT_EQ(values, read[scheduled.step]);
    } else {
      EXPECT_EQ(scheduled.step, next++);
      read[scheduled.step] = values;
    }
    for (size_t buffer : step.writes)
      contents[{buffer, scheduled.isRepeated}] = hash;
  }
  EXPECT_EQ(next, work.steps.size());
  return read;
}

std::vector<std::vector<size_t>> runOnce(const Work &work) {
  Recomputation plain;
  for (size_t step = 0; step < work.steps.size(); ++step)
    plain.steps.push_back({step});
  return simulate(work, plain);
}

size_t countRepeated(const Recomputation &found) {
  return std::count_if(found.steps.begin(), found.steps.end(),
                       [](const ScheduledStep &s) { return s.isRepeated; });
}

TEST(Recomputation, changesNothingThatFits) {
  Work work = makeTraining(8);
  Recomputation found = recompute(work, 900);
  EXPECT_FALSE(found.hasRepeated);
  EXPECT_EQ(found.peakBytes, 900u);
  EXPECT_EQ(found.steps.size(), work.steps.size());
}

TEST(Recomputation, fitsHalf) {
  Work work = makeTraining(16);
  Recomputation found = recompute(work, 850);
  EXPECT_LE(found.peakBytes, 850u);
  // No layer runs more than twice, and some only once.
  EXPECT_LT(countRepeated(found), 16u);
  EXPECT_EQ(simulate(work, found), runOnce(work));
}

TEST(Recomputation, prefersCheapSteps) {
  Work work = makeTraining(8);
  for (size_t step : {1, 4, 6})
    work.steps[step].cost = 1;
  Recomputation found = recompute(work, 700);
  EXPECT_LE(found.peakBytes, 700u);
  for (const ScheduledStep &scheduled : found.steps)
    if (scheduled.isRepeated) {
      EXPECT_EQ(work.steps[scheduled.step].cost, 1u);
    }
}

TEST(Recomputation, keepsWhatMayNotBeRepeated) {
  Work work = makeTraining(8);
  for (WorkStep &step : work.steps)
    step.mayRepeat = false;
  Recomputation found = recompute(work, 500);
  EXPECT_FALSE(found.hasRepeated);
  EXPECT_EQ(found.peakBytes, 900u);
}

/// A step cannot run again once what it read is overwritten.
TEST(Recomputation, keepsResultsOfOverwrittenState) {
  // 0: a state, 1: its square, 2..3: large results in between, 4: the end.
  Work work;
  work.bytes = {0, 100, 100, 100, 0};
  work.steps = {{{0}, {1}, {}, 1, true},
                {{}, {0}, {}, 1, false},
                {{}, {2}, {}, 1, false},
                {{2}, {3}, {}, 1, false},
                {{1, 3}, {4}, {}, 1, false}};
  Recomputation found = recompute(work, 200);
  EXPECT_FALSE(found.hasRepeated);
  EXPECT_EQ(found.peakBytes, 300u);
  work.steps[1].writes.clear();
  found = recompute(work, 200);
  EXPECT_TRUE(found.hasRepeated);
  EXPECT_EQ(found.peakBytes, 200u);
}

/// Operands that are gone are computed again, too, unless they are small.
TEST(Recomputation, repeatsChains) {
  Work work;
  work.bytes = {0, 100, 100, 300, 0};
  work.steps = {{{0}, {1}, {}, 1, true},
                {{1}, {2}, {}, 1, true},
                {{0}, {3}, {}, 1, false},
                {{3}, {4}, {}, 1, false},
                {{2}, {4}, {}, 1, false}};
  Recomputation found = recompute(work, 300);
  EXPECT_EQ(found.peakBytes, 300u);
  EXPECT_EQ(countRepeated(found), 2u);
  work.bytes[1] = 10;
  found = recompute(work, 310);
  EXPECT_EQ(found.peakBytes, 310u);
  EXPECT_EQ(countRepeated(found), 1u);
  EXPECT_EQ(simulate(work, found), runOnce(work));
}

TEST(Recomputation, isBoundedOnLongPrograms) {
  Work work = makeTraining(1000);
  Recomputation found = recompute(work, 70000);
  EXPECT_LE(found.peakBytes, 70000u);
}

/// Random programs with states that are overwritten: each step reads the same
/// as without a limit.
TEST(Recomputation, keepsValuesOfRandomPrograms) {
  std::mt19937 random(7);
  auto draw = [&](size_t count) { return size_t(random() % count); };
  size_t repeated = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Work work;
    work.bytes = {0, 0, 0};
    for (size_t step = 0; step < 30; ++step) {
      WorkStep next;
      next.cost = draw(20);
      for (size_t i = 0; i < 1 + draw(3); ++i)
        next.reads.push_back(draw(work.bytes.size()));
      if (draw(6) == 0) {
        next.writes = {draw(3)};
      } else {
        next.writes = {work.bytes.size()};
        next.mayRepeat = draw(4) != 0;
        if (draw(2))
          next.replaceable = {next.reads.front()};
        work.bytes.push_back(64 * (1 + draw(8)));
      }
      work.steps.push_back(next);
    }
    uint64_t free = recompute(work, UINT64_MAX).peakBytes;
    Recomputation found = recompute(work, free * 2 / 3);
    EXPECT_LE(found.peakBytes, free);
    EXPECT_EQ(simulate(work, found), runOnce(work));
    repeated += found.hasRepeated;
  }
  EXPECT_GT(repeated, 100u);
}

} // namespace
