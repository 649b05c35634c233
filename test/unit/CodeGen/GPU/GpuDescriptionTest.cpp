//===- GpuDescriptionTest.cpp - Facts about GPUs --------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/GPU/GpuDescription.h"
#include "HamKaas/CodeGen/Kernel/CostModel.h"
#include "HamKaas/CodeGen/Kernel/KernelStrategy.h"
#include "gtest/gtest.h"

namespace hamkaas {
namespace {

// Threads that share their caches with many others neither keep data near nor
// ask for it ahead.
TEST(GpuDescription, ThreadsHaveNoCache) {
  CostModel costs(gpuDescription), processor(*lookupTarget("x86-64-v4"));
  EXPECT_FALSE(costs.hasOwnCache());
  EXPECT_FALSE(costs.prefetchesElements(1 << 24));
  EXPECT_FALSE(costs.prefetchesColumns(1 << 24));
  EXPECT_FALSE(costs.streams(1 << 24, 1 << 12));
  EXPECT_FALSE(costs.isCopied(1 << 24));
  EXPECT_EQ(costs.keptRowElements(), 1024);
  EXPECT_EQ(processor.keptRowElements(), 0);
  EXPECT_EQ(costs.wideLanes(), 4 * costs.target.lanes);
  EXPECT_LT(costs.tileElements(), processor.tileElements());
}

// Rows without a whole number of accesses are packed.
TEST(GpuDescription, PacksWhatCannotBeCopiedInWholeAccesses) {
  CostModel costs(gpuDescription);
  const KernelStrategy &strategy = *gpuDescription.strategy;
  EXPECT_FALSE(strategy.packingPays(costs, 1024, 1024, 1024));
  EXPECT_TRUE(strategy.packingPays(costs, 1024, 1024, 1023));
  EXPECT_FALSE(strategy.packingPays(costs, 100, 1024, 1023));
}

// Panels are as wide as the blocks of threads that read them, where the
// contraction is large enough for such.
TEST(GpuDescription, PanelsFollowTheBlocks) {
  CostModel costs(gpuDescription);
  ContractionLoops loops;
  loops.row = 0;
  loops.column = 1;
  loops.depth = 2;
  loops.extents = {4096, 4096, 1024};
  EXPECT_EQ(gpuDescription.strategy->choosePanelWidth(costs, loops), 128);
  // Too few rows for a block: the panels of single warps.
  loops.extents = {4, 4096, 1024};
  EXPECT_EQ(gpuDescription.strategy->choosePanelWidth(costs, loops),
            processorStrategy.choosePanelWidth(costs, loops));
}

} // namespace
} // namespace hamkaas
