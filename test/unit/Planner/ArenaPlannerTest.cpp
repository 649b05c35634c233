//===- ArenaPlannerTest.cpp - Plans of made-up and model-like buffers -----===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Planner/ArenaPlanner.h"
#include "Placement.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <map>
#include <random>

using namespace hamkaas;

namespace {

constexpr uint64_t alignment = 256;

uint64_t alignUp(uint64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

bool replaces(const std::vector<ArenaBuffer> &buffers, size_t newer,
              size_t older) {
  return buffers[newer].mayReplace == older &&
         buffers[older].firstUse < buffers[newer].firstUse &&
         buffers[older].lastUse == buffers[newer].firstUse &&
         alignUp(buffers[older].bytes) == alignUp(buffers[newer].bytes);
}

/// Checks all that a plan promises, in O(n log n) for buffers that are rarely
/// in use together.
void expectValid(const std::vector<ArenaBuffer> &buffers,
                 const ArenaPlan &plan) {
  ASSERT_EQ(plan.offsets.size(), buffers.size());
  uint64_t end = 0;
  std::multimap<uint64_t, size_t> inUse; // By last use.
  std::vector<size_t> order;
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % alignment, 0u);
    end = std::max(end, plan.offsets[i] + alignUp(buffers[i].bytes));
    if (buffers[i].bytes > 0)
      order.push_back(i);
  }
  EXPECT_EQ(plan.bytes, end);
  EXPECT_GE(plan.bytes, plan.lowerBound);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(buffers[a].firstUse, a) <
           std::pair(buffers[b].firstUse, b);
  });
  for (size_t i : order) {
    inUse.erase(inUse.begin(), inUse.lower_bound(buffers[i].firstUse));
    for (auto [lastUse, j] : inUse) {
      if (plan.offsets[i] == plan.offsets[j] &&
          (replaces(buffers, i, j) || replaces(buffers, j, i)))
        continue;
      EXPECT_TRUE(plan.offsets[i] + buffers[i].bytes <= plan.offsets[j] ||
                  plan.offsets[j] + buffers[j].bytes <= plan.offsets[i])
          << "buffers " << i << " and " << j << " overlap";
    }
    inUse.emplace(buffers[i].lastUse, i);
  }
}

ArenaPlan planAndCheck(const std::vector<ArenaBuffer> &buffers) {
  std::optional<ArenaPlan> plan = planArena(buffers, alignment);
  EXPECT_TRUE(plan.has_value());
  if (!plan)
    return {};
  expectValid(buffers, *plan);
  return *plan;
}

/// Plans buffers as they occur in models: the result must be near the bound.
void expectTight(const std::vector<ArenaBuffer> &buffers) {
  ArenaPlan plan = planAndCheck(buffers);
  EXPECT_LE(plan.bytes, plan.lowerBound * 1.05);
}

/// Builds the buffers of a net statement by statement.
class Net {
public:
  /// Adds a result that the next step writes. Returns its index.
  size_t add(uint64_t bytes, std::vector<size_t> operands,
             bool inPlace = false) {
    for (size_t operand : operands)
      buffers[operand].lastUse = step;
    ArenaBuffer buffer{bytes, step, step};
    if (inPlace)
      buffer.mayReplace = operands.front();
    buffers.push_back(buffer);
    ++step;
    return buffers.size() - 1;
  }

  std::vector<ArenaBuffer> buffers;

private:
  uint64_t step = 0;
};

/// A random number between `low` and `high`.
uint64_t pick(std::mt19937_64 &random, uint64_t low, uint64_t high) {
  return std::uniform_int_distribution<uint64_t>(low, high)(random);
}

} // namespace

//===----------------------------------------------------------------------===//
// Small sets
//===----------------------------------------------------------------------===//

TEST(ArenaPlanner, Nothing) {
  ArenaPlan plan = planAndCheck({});
  EXPECT_EQ(plan.bytes, 0u);
  EXPECT_EQ(plan.lowerBound, 0u);
  EXPECT_TRUE(plan.peakBuffers.empty());
}

TEST(ArenaPlanner, EmptyBuffersTakeNoPlace) {
  ArenaPlan plan = planAndCheck({{0, 0, 3}, {1, 1, 1}, {0, 1, 1}});
  EXPECT_EQ(plan.bytes, 256u);
  EXPECT_EQ(plan.peakBuffers, std::vector<size_t>{1});
}

TEST(ArenaPlanner, SizesAreAligned) {
  ArenaPlan plan = planAndCheck({{100, 0, 1}, {257, 0, 1}});
  EXPECT_EQ(plan.bytes, 768u);
  EXPECT_EQ(plan.lowerBound, 768u);
}

// The first and the third are never in use together.
TEST(ArenaPlanner, DeadBuffersAreReused) {
  ArenaPlan plan = planAndCheck({{1024, 0, 1}, {512, 1, 2}, {1024, 2, 3}});
  EXPECT_EQ(plan.bytes, 1536u);
  EXPECT_EQ(plan.offsets[0], plan.offsets[2]);
}

TEST(ArenaPlanner, PeakNamesTheBuffersInUse) {
  ArenaPlan plan = planAndCheck(
      {{256, 10, 20}, {512, 20, 30}, {1024, 30, 40}, {256, 40, 50}});
  EXPECT_EQ(plan.peakStep, 30u);
  EXPECT_EQ(plan.lowerBound, 1536u);
  EXPECT_EQ(plan.peakBuffers, (std::vector<size_t>{1, 2}));
}

TEST(ArenaPlanner, ReplacesADyingBuffer) {
  ArenaPlan plan = planAndCheck({{1024, 0, 1}, {1000, 1, 2, 0}});
  EXPECT_EQ(plan.bytes, 1024u);
  EXPECT_EQ(plan.lowerBound, 1024u);
  EXPECT_EQ(plan.peakStep, 0u);
  EXPECT_EQ(plan.peakBuffers, std::vector<size_t>{0});
}

TEST(ArenaPlanner, PeakNamesTheNewerOfAPair) {
  ArenaPlan plan = planAndCheck({{1024, 0, 1}, {1024, 1, 2, 0}, {256, 1, 1}});
  EXPECT_EQ(plan.bytes, 1280u);
  EXPECT_EQ(plan.peakBuffers, (std::vector<size_t>{1, 2}));
}

TEST(ArenaPlanner, ReplacesNoBufferThatIsUsedLater) {
  EXPECT_EQ(planAndCheck({{1024, 0, 2}, {1024, 1, 2, 0}}).bytes, 2048u);
}

TEST(ArenaPlanner, ReplacesNoBufferOfAnotherSize) {
  EXPECT_EQ(planAndCheck({{1024, 0, 1}, {512, 1, 2, 0}}).bytes, 1536u);
}

TEST(ArenaPlanner, OnlyOneBufferTakesAPlace) {
  EXPECT_EQ(planAndCheck({{512, 0, 1}, {512, 1, 2, 0}, {512, 1, 2, 0}}).bytes,
            1024u);
}

//===----------------------------------------------------------------------===//
// Huge sizes
//===----------------------------------------------------------------------===//

TEST(ArenaPlanner, HugeBuffers) {
  uint64_t half = uint64_t(1) << 62;
  EXPECT_TRUE(planArena({{half, 0, 1}, {half - 256, 1, 2}}, alignment));
  EXPECT_TRUE(planArena({{half, 0, 1}, {half, 2, 3}}, alignment));
  // Together one byte more than the largest arena.
  EXPECT_FALSE(planArena({{half, 0, 1}, {half, 1, 2}}, alignment));
}

TEST(ArenaPlanner, SizesThatWrapAround) {
  EXPECT_FALSE(planArena({{UINT64_MAX, 0, 1}}, alignment));
  EXPECT_FALSE(planArena({{UINT64_MAX - 300, 0, 1}}, alignment));
  EXPECT_FALSE(planArena({{INT64_MAX, 0, 1}}, alignment));
  std::vector<ArenaBuffer> many(8, {uint64_t(1) << 62, 0, 1});
  EXPECT_FALSE(planArena(many, alignment));
}

TEST(ArenaPlanner, HugeSteps) {
  ArenaPlan plan =
      planAndCheck({{256, 0, UINT64_MAX}, {256, UINT64_MAX, UINT64_MAX}});
  EXPECT_EQ(plan.bytes, 512u);
  EXPECT_EQ(plan.peakStep, UINT64_MAX);
}

//===----------------------------------------------------------------------===//
// Random sets
//===----------------------------------------------------------------------===//

TEST(ArenaPlanner, RandomIntervals) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    uint64_t steps = pick(random, 1, 60), count = pick(random, 1, 80);
    std::vector<ArenaBuffer> buffers;
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t first = pick(random, 0, steps);
      ArenaBuffer buffer{pick(random, 0, 5000), first,
                         pick(random, first, steps)};
      if (i > 0 && pick(random, 0, 2) == 0) {
        // Often something that may really be replaced.
        size_t other = pick(random, 0, i - 1);
        buffer.mayReplace = other;
        if (pick(random, 0, 1) == 0) {
          buffer.bytes = buffers[other].bytes;
          buffer.firstUse = buffers[other].lastUse;
          buffer.lastUse = pick(random, buffer.firstUse, steps);
        }
      }
      buffers.push_back(buffer);
    }
    ArenaPlan plan = planAndCheck(buffers);
    // Far from what is reached, but the search must not fall apart.
    EXPECT_LE(plan.bytes, plan.lowerBound * 1.35);
  }
}

TEST(ArenaPlanner, TheSameEveryTime) {
  std::mt19937_64 random(7);
  std::vector<ArenaBuffer> buffers;
  for (int i = 0; i < 500; ++i) {
    uint64_t first = pick(random, 0, 100);
    buffers.push_back(
        {pick(random, 1, 9000), first, first + pick(random, 0, 30)});
  }
  EXPECT_EQ(planAndCheck(buffers).offsets, planAndCheck(buffers).offsets);
}

//===----------------------------------------------------------------------===//
// Sets as models have them
//===----------------------------------------------------------------------===//

TEST(ArenaPlannerModels, Chains) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Net net;
    size_t last = net.add(pick(random, 1, 1 << 20), {});
    for (int i = 0; i < 200; ++i)
      last = net.add(pick(random, 1, 1 << 20), {last});
    expectTight(net.buffers);
  }
}

TEST(ArenaPlannerModels, ChainInPlace) {
  Net net;
  size_t last = net.add(1 << 20, {});
  for (int i = 0; i < 100; ++i)
    last = net.add(1 << 20, {last}, /*inPlace=*/true);
  EXPECT_EQ(planAndCheck(net.buffers).bytes, uint64_t(1) << 20);
}

/// Bottleneck blocks whose input is added to their output, as in ResNet-50.
static Net makeResidualNet(bool inPlace) {
  Net net;
  uint64_t size = 64 * 112 * 112 * 4;
  size_t x = net.add(size, {});
  int blocks[] = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage) {
    for (int block = 0; block < blocks[stage]; ++block) {
      uint64_t wide = uint64_t(256 << stage) * 56 * 56 * 4 >> (2 * stage);
      size_t a = net.add(wide / 4, {x});
      size_t b = net.add(wide / 4, {a});
      size_t c = net.add(wide, {b});
      size_t skip = block == 0 ? net.add(wide, {x}) : x;
      x = net.add(wide, {skip, c}, inPlace);
    }
  }
  return net;
}

TEST(ArenaPlannerModels, ResidualNet) {
  expectTight(makeResidualNet(false).buffers);
  expectTight(makeResidualNet(true).buffers);
}

TEST(ArenaPlannerModels, RandomResidualNets) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Net net;
    uint64_t size = pick(random, 1000, 1 << 22);
    size_t x = net.add(size, {});
    for (int block = 0; block < 16; ++block) {
      size_t y = x;
      for (uint64_t i = pick(random, 1, 4); i > 0; --i)
        y = net.add(size / pick(random, 1, 4), {y});
      y = net.add(size, {y});
      x = net.add(size, {x, y}, pick(random, 0, 1));
      if (pick(random, 0, 3) == 0)
        x = net.add(size /= 2, {x});
    }
    expectTight(net.buffers);
  }
}

/// Layers of attention and a gated network in between.
static Net makeTransformer(uint64_t tokens, uint64_t width, uint64_t heads,
                           int layers, bool inPlace) {
  Net net;
  uint64_t row = tokens * width * 4;
  size_t x = net.add(row, {});
  for (int layer = 0; layer < layers; ++layer) {
    size_t norm = net.add(row, {x});
    size_t q = net.add(row, {norm});
    size_t k = net.add(row, {norm});
    size_t v = net.add(row, {norm});
    size_t scores = net.add(heads * tokens * tokens * 4, {q, k});
    size_t weights = net.add(heads * tokens * tokens * 4, {scores}, inPlace);
    size_t mixed = net.add(row, {weights, v});
    x = net.add(row, {x, net.add(row, {mixed})}, inPlace);
    size_t norm2 = net.add(row, {x});
    size_t gate = net.add(row * 8 / 3, {norm2});
    size_t up = net.add(row * 8 / 3, {norm2});
    size_t product = net.add(row * 8 / 3, {gate, up}, inPlace);
    x = net.add(row, {x, net.add(row, {product})}, inPlace);
  }
  net.add(tokens * 32000 * 4, {x});
  return net;
}

TEST(ArenaPlannerModels, Transformers) {
  for (uint64_t tokens : {1, 7, 128, 1000})
    for (uint64_t width : {64, 288, 768})
      for (bool inPlace : {false, true}) {
        SCOPED_TRACE(testing::Message() << tokens << " tokens of " << width);
        expectTight(makeTransformer(tokens, width, 12, 12, inPlace).buffers);
      }
}

// Every layer's result is kept until the way back uses it.
TEST(ArenaPlannerModels, TrainingSteps) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Net net;
    std::vector<size_t> kept = {net.add(pick(random, 1, 1 << 20), {})};
    for (int layer = 0; layer < 40; ++layer)
      kept.push_back(net.add(pick(random, 1, 1 << 20), {kept.back()}));
    size_t gradient = net.add(net.buffers[kept.back()].bytes, {kept.back()});
    for (size_t i = kept.size() - 1; i > 0; --i)
      gradient =
          net.add(net.buffers[kept[i - 1]].bytes, {gradient, kept[i - 1]});
    expectTight(net.buffers);
  }
}

// Every layer of a dense block reads all results of the block.
TEST(ArenaPlannerModels, DenseBlocks) {
  Net net;
  size_t x = net.add(1 << 20, {});
  for (int block = 0; block < 4; ++block) {
    std::vector<size_t> features = {x};
    for (int layer = 0; layer < 12; ++layer)
      features.push_back(
          net.add((1 << 18) >> block, {net.add((1 << 20) >> block, features)}));
    x = net.add((1 << 19) >> block, features);
  }
  expectTight(net.buffers);
}

//===----------------------------------------------------------------------===//
// Large and hostile sets: the search must end in time
//===----------------------------------------------------------------------===//

TEST(ArenaPlannerLimits, LongNet) {
  std::mt19937_64 random(1);
  Net net;
  std::vector<size_t> recent = {net.add(1000, {})};
  for (int i = 0; i < 100000; ++i) {
    size_t other = recent[pick(random, 0, recent.size() - 1)];
    recent.push_back(net.add(pick(random, 1, 100000), {recent.back(), other}));
    if (recent.size() > 6)
      recent.erase(recent.begin());
  }
  ArenaPlan plan = planAndCheck(net.buffers);
  EXPECT_LE(plan.bytes, plan.lowerBound * 1.1);
}

TEST(ArenaPlannerLimits, AllInUseTogether) {
  std::vector<ArenaBuffer> buffers;
  for (uint64_t i = 0; i < 100000; ++i)
    buffers.push_back({256 * (i % 7 + 1), i, 200000 - i});
  std::optional<ArenaPlan> plan = planArena(buffers, alignment);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->bytes, plan->lowerBound);
}

// Every second small buffer stays: an allocator that runs through time leaves
// gaps that none of the larger ones fits.
TEST(ArenaPlannerLimits, Fragmentation) {
  std::vector<ArenaBuffer> buffers;
  for (uint64_t round = 0; round < 10; ++round)
    for (uint64_t i = 0; i < 200; ++i)
      buffers.push_back(
          {256u << round, round * 10, i % 2 == 0 ? round * 10 + 5 : 1000});
  ArenaPlan plan = planAndCheck(buffers);
  EXPECT_LE(plan.bytes, plan.lowerBound * 1.05);
}

TEST(ArenaPlannerLimits, RandomMess) {
  std::mt19937_64 random(3);
  std::vector<ArenaBuffer> buffers;
  for (int i = 0; i < 100000; ++i) {
    uint64_t a = pick(random, 0, 100000), b = pick(random, 0, 100000);
    buffers.push_back(
        {pick(random, 1, 100000), std::min(a, b), std::max(a, b)});
  }
  std::optional<ArenaPlan> plan = planArena(buffers, alignment);
  ASSERT_TRUE(plan);
  EXPECT_GE(plan->bytes, plan->lowerBound);
  EXPECT_LE(plan->bytes, plan->lowerBound * 1.5);
}

// The check of placements that assertions use.
TEST(Placement, IsDisjointWhereSlotsInUseAtOnceAre) {
  std::vector<ArenaSlot> slots = {{64, 0, 1}, {64, 1, 2}, {64, 2, 3}};
  // The third may lie where the first was.
  EXPECT_TRUE(isDisjoint(slots, {{0, 64, 0}, 128}));
  EXPECT_FALSE(isDisjoint(slots, {{0, 0, 64}, 128}));
  EXPECT_FALSE(isDisjoint(slots, {{0, 32, 128}, 192}));
  EXPECT_FALSE(isDisjoint(slots, {{32, 0, 64}, 128}));
  EXPECT_FALSE(isDisjoint(slots, {{0, 64, 32}, 128}));
  EXPECT_FALSE(isDisjoint(slots, {{0, 64, 0}, 127})) << "beyond the end";
}
