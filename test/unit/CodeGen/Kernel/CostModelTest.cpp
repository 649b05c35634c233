//===- CostModelTest.cpp - Tests of what follows from facts -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/CostModel.h"
#include "HamKaas/CodeGen/Kernel/Contraction.h"
#include "HamKaas/CodeGen/Kernel/KernelStrategy.h"
#include "gtest/gtest.h"
#include <tuple>

namespace hamkaas {
namespace {

CostModel getModel(llvm::StringRef level, int64_t l1 = 0, int64_t l2 = 0) {
  CostModel costs(*lookupTarget(level));
  if (l1)
    costs.machine.l1Bytes = l1;
  if (l2)
    costs.machine.l2Bytes = l2;
  return costs;
}

// A machine is a row of facts: what is near, copied or asked for ahead follows.
TEST(CostModel, FollowsTheCaches) {
  CostModel usual = getModel("x86-64-v4"),
            larger = getModel("x86-64-v4", 48 << 10, 2 << 20);
  EXPECT_TRUE(usual.prefetchesColumns(1 << 13, /*uses=*/3));
  EXPECT_FALSE(usual.prefetchesColumns(1 << 13, /*uses=*/4));
  EXPECT_FALSE(larger.prefetchesColumns(1 << 13, /*uses=*/3));
  EXPECT_FALSE(usual.isNearRow(5000));
  EXPECT_TRUE(larger.isNearRow(5000));
  EXPECT_TRUE(usual.isCopied(1 << 8, 1 << 8));
  EXPECT_FALSE(larger.isCopied(1 << 8, 1 << 8));
  EXPECT_TRUE(processorStrategy.packingPays(usual, 512, 1, 1024, 512));
  EXPECT_FALSE(processorStrategy.packingPays(larger, 512, 1, 1024, 512));
  EXPECT_FALSE(processorStrategy.packingPays(usual, 100, 1, 1024, 512));
  // Before a loop of 32 steps.
  EXPECT_TRUE(processorStrategy.packingPays(usual, 16, 32, 1024, 512));
  EXPECT_FALSE(processorStrategy.packingPays(usual, 1, 32, 1024, 512));
}

// Rows at a power of two share the sets of the L1 cache.
TEST(CostModel, CopiesRowsThatEvictEachOther) {
  CostModel costs = getModel("x86-64-v3");
  EXPECT_TRUE(costs.isCopied(64, 128));
  EXPECT_TRUE(costs.isCopied(128, 64));
  EXPECT_TRUE(costs.isCopied(64, 512));
  EXPECT_FALSE(costs.isCopied(32, 64));
  EXPECT_FALSE(costs.isCopied(63, 128));
  EXPECT_FALSE(costs.isCopied(128, 100));
  // Its copies prefetch, and were measured for large right sides only.
  EXPECT_FALSE(getModel("x86-64-v4").isCopied(64, 512));
}

// Operands that a tile of many rows reuses stay in the second-level
// cache.
TEST(CostModel, PanelsAndBlocksShareTheSecondLevelCache) {
  for (int64_t l2 : {256 << 10, 512 << 10, 1 << 20, 2 << 20, 3 << 20}) {
    CostModel costs = getModel("x86-64-v4", 0, l2);
    ContractionTile tile =
        chooseContractionTile(costs, 1, 4096, 4096, 4096, /*panelWidth=*/48);
    int64_t panel = tile.depth * tile.panelWidth() * CostModel::elementBytes;
    int64_t block = tile.depth * tile.blockRows * CostModel::elementBytes;
    EXPECT_LE(panel, 3 * l2 / 32) << l2;
    EXPECT_LE(block, l2 / 4 + tile.rows * tile.depth * 4) << l2;
    EXPECT_GT(4 * panel, 3 * l2 / 32) << l2;
  }
}

// No fact of a processor changes the accumulators, which decide the bits.
TEST(CostModel, RegistersDoNotFollowTheCaches) {
  for (llvm::StringRef level : {"x86-64", "x86-64-v3", "x86-64-v4"})
    for (int64_t l2 : {512 << 10, 2 << 20})
      for (int64_t rows : {1, 7, 128, 2000}) {
        CostModel usual = getModel(level),
                  other = getModel(level, 48 << 10, l2);
        EXPECT_EQ(choosePanelWidth(usual, 1, rows, 1000, 784),
                  choosePanelWidth(other, 1, rows, 1000, 784));
      }
}

// The row of facts has the caches of AMD's Zen 4. Those of Zen 5, with twice
// the L2 bandwidth, choose the same tiles; where that ends, it needs its own
// row.
TEST(CostModel, CachesOfZen5ChooseTheSameTiles) {
  CostModel usual = getModel("x86-64-v4"),
            zen5 = getModel("x86-64-v4", 48 << 10, 1 << 20);
  zen5.machine.l2BytesPerCycle = 64;
  auto choose = [](const CostModel &costs, int64_t rows, int64_t depth,
                   int64_t columns, int64_t width) {
    ContractionTile tile =
        chooseContractionTile(costs, 1, rows, columns, depth, width);
    return std::tuple(tile.rows, tile.panelWidth(), tile.panels, tile.depth,
                      tile.blockRows, tile.sharesRows);
  };
  for (int64_t size : {1, 16, 128, 512, 1024, 2048})
    for (int64_t width : {0, 48, 64}) {
      EXPECT_EQ(choose(zen5, size, 784, 1024, width),
                choose(usual, size, 784, 1024, width))
          << size;
      EXPECT_EQ(choose(zen5, size, size, size, width),
                choose(usual, size, size, size, width))
          << size;
    }
}

} // namespace
} // namespace hamkaas
