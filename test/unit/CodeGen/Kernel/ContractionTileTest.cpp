//===- ContractionTileTest.cpp - Tests of the choice of blocks --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Contraction.h"
#include "gtest/gtest.h"

namespace hamkaas {
namespace {

ContractionTile choose(llvm::StringRef level, int64_t rows, int64_t depth,
                       int64_t columns) {
  return chooseContractionTile(*lookupTarget(level), /*outer=*/1, rows, columns,
                               depth);
}

std::pair<int64_t, int64_t> registersOf(const ContractionTile &tile) {
  return {tile.rows, tile.panelWidth()};
}

// One register too many, and the accumulators go through the stack.
TEST(ContractionTile, FitsIntoTheRegisters) {
  for (llvm::StringRef level :
       {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    const TargetDescription &target = *lookupTarget(level);
    for (int64_t rows = 1; rows < 70; ++rows)
      for (int64_t columns = 1; columns < 150; ++columns) {
        ContractionTile tile = choose(level, rows, 64, columns);
        int64_t used = tile.rows * tile.vectors + tile.vectors + 1;
        EXPECT_LE(used + !target.fma, target.registers)
            << level.str() << ": " << rows << " x " << columns;
        EXPECT_LE(tile.rows, rows);
        EXPECT_LE(tile.lanes, target.lanes);
        EXPECT_TRUE(tile.blockRows == rows || tile.blockRows % tile.rows == 0);
        EXPECT_GE(tile.blockRows, tile.rows);
      }
  }
}

// The shapes of docs/Performance.md.
TEST(ContractionTile, LeavesFewRowsAndColumnsOver) {
  EXPECT_EQ(registersOf(choose("x86-64-v4", 128, 784, 1000)),
            std::pair(8l, 48l));
  EXPECT_EQ(registersOf(choose("x86-64-v4", 512, 512, 512)),
            std::pair(9l, 48l));
  EXPECT_EQ(registersOf(choose("x86-64-v3", 512, 512, 512)),
            std::pair(6l, 16l));
}

// A panel comes from far, so few rows use it at once rather than twice.
TEST(ContractionTile, FewRowsReadAPanelOnce) {
  for (int64_t rows = 1; rows <= 8; ++rows) {
    ContractionTile tile = choose("x86-64-v4", rows, 1024, 1024);
    EXPECT_EQ(tile.rows, rows);
    EXPECT_EQ(tile.blockRows, rows);
    EXPECT_EQ(tile.depth, 1024);
  }
}

// One row reads several panels at once, where enough tiles are left.
TEST(ContractionTile, OneRowReadsSeveralStreams) {
  auto panelsOf = [](llvm::StringRef level, int64_t rows, int64_t columns) {
    const TargetDescription &target = *lookupTarget(level);
    int64_t width = choosePanelWidth(target, 1, rows, columns, 768);
    return std::pair(
        width,
        chooseContractionTile(target, 1, rows, columns, 768, width).panels);
  };
  EXPECT_EQ(panelsOf("x86-64-v4", 1, 768), std::pair(64l, 1l));
  EXPECT_EQ(panelsOf("x86-64-v4", 1, 2048), std::pair(64l, 2l));
  EXPECT_EQ(panelsOf("x86-64-v4", 1, 32000), std::pair(64l, 4l));
  EXPECT_EQ(panelsOf("x86-64-v4", 2, 32000).second, 1);
  EXPECT_EQ(panelsOf("x86-64-v3", 1, 32000), std::pair(32l, 3l));
}

// The chain of sums must be long enough to wait for no multiply-add.
TEST(ContractionTile, HasEnoughAccumulators) {
  for (llvm::StringRef level : {"x86-64-v3", "x86-64-v4"})
    for (int64_t rows = 12; rows < 200; ++rows) {
      ContractionTile tile = choose(level, rows, 512, 512);
      EXPECT_GT(tile.rows * tile.vectors, 8) << level.str() << ": " << rows;
    }
}

TEST(ContractionTile, SplitsDeepPanelsThatAreReused) {
  EXPECT_EQ(choose("x86-64-v4", 256, 4096, 512).depth, 512);
  EXPECT_EQ(choose("x86-64-v4", 1, 4096, 512).depth, 4096);
}

// Tiles that follow each other run on one thread.
TEST(ContractionTile, ThreadsHaveRowsWhereTheRightSideIsSmall) {
  EXPECT_TRUE(choose("x86-64-v4", 784, 32, 192).sharesRows);
  EXPECT_TRUE(choose("x86-64-v4", 196, 576, 96).sharesRows);
  EXPECT_FALSE(choose("x86-64-v4", 49, 960, 160).sharesRows);
  EXPECT_FALSE(choose("x86-64-v4", 128, 784, 1000).sharesRows);
  // The left side is too large to be read for each panel.
  EXPECT_TRUE(choose("x86-64-v4", 1024, 1024, 1024).sharesRows);
}

TEST(ContractionTile, BlocksHaveAsManyRowsAsPay) {
  const TargetDescription &target = *lookupTarget("x86-64-v4");
  auto rowsOf = [&](int64_t rows, int64_t columns, int64_t depth) {
    int64_t width = choosePanelWidth(target, 1, rows, columns, depth);
    return chooseContractionTile(target, 1, rows, columns, depth, width)
        .blockRows;
  };
  // Fewer where both sides are large.
  EXPECT_LE(rowsOf(2048, 2048, 2048), 72);
  EXPECT_GT(rowsOf(4096, 96, 2048), 72);
  // More where each tile copies its part of the right side.
  EXPECT_LE(rowsOf(512, 512, 512), 200);
  EXPECT_GE(choose("x86-64-v4", 512, 512, 512).blockRows, 256);
}

// The loads of 13 rows of a vector would take longer than their products.
TEST(ContractionTile, BlocksOfOneVectorWaitForTheirLoads) {
  EXPECT_EQ(choose("x86-64-v3", 13, 512, 768).vectors, 2);
}

TEST(ContractionTile, JoinsTheRowsOfImages) {
  const TargetDescription &target = *lookupTarget("x86-64-v3");
  EXPECT_TRUE(joinsRows(target, /*outer=*/26, /*rows=*/13, /*columns=*/16,
                        /*depth=*/512));
  // Packing and code generation agree.
  EXPECT_TRUE(joinsRows(target, 26, 13, 16, 512, /*panelWidth=*/16));
  // No rows are left over.
  EXPECT_FALSE(joinsRows(target, 56, 24, 16, 512));
  // But more of them share a part of a large panel.
  EXPECT_TRUE(joinsRows(target, 56, 24, 16, 5000));
  // Addresses would take longer than the rows that are left over.
  EXPECT_FALSE(joinsRows(target, 20, 20, 256, 27));
  // There is but one row of pixels, and there are too few vectors.
  EXPECT_FALSE(joinsRows(target, 1, 13, 16, 512));
  EXPECT_FALSE(joinsRows(target, 26, 13, 8, 512));
  EXPECT_FALSE(joinsRows(*lookupTarget("x86-64-v4"), 26, 13, 16, 512));
}

// Packing and code generation ask separately and must agree.
TEST(ContractionTile, FollowsPackedPanels) {
  const TargetDescription &target = *lookupTarget("x86-64-v4");
  for (int64_t rows : {1, 5, 8, 100, 128})
    for (int64_t columns : {1, 10, 17, 64, 1000}) {
      int64_t width = choosePanelWidth(target, 1, rows, columns, 300);
      ContractionTile tile =
          chooseContractionTile(target, 1, rows, columns, 300, width);
      EXPECT_EQ(tile.panelWidth(), width);
    }
}

} // namespace
} // namespace hamkaas
