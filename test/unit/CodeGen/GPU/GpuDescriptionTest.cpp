//===- GpuDescriptionTest.cpp - Facts about GPUs --------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/GPU/GpuDescription.h"
#include "HamKaas/CodeGen/Kernel/CostModel.h"
#include "HamKaas/CodeGen/Kernel/KernelStrategy.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace hamkaas {
namespace {

/// A matrix product with elements of `type`.
struct Product {
  explicit Product(const std::string &type) {
    context.loadDialect<func::FuncDialect, linalg::LinalgDialect>();
    std::string matrix = "tensor<?x?x" + type + ">";
    module = parseSourceString<ModuleOp>(
        "func.func @f(%a: " + matrix + ", %b: " + matrix + ", %c: " + matrix +
            ") -> " + matrix + " {\n  %d = linalg.matmul ins(%a, %b : " +
            matrix + ", " + matrix + ") outs(%c : " + matrix + ") -> " +
            matrix + "\n  return %d : " + matrix + "\n}",
        &context);
    module->walk([&](linalg::LinalgOp op) { root = op; });
    loops.row = 0;
    loops.column = 1;
    loops.depth = 2;
  }

  int64_t choosePanelWidth(const KernelStrategy &strategy, int64_t rows,
                           int64_t columns, int64_t depth) {
    loops.extents = {rows, columns, depth};
    return strategy.choosePanelWidth(CostModel(gpuDescription), root, loops);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  linalg::LinalgOp root;
  ContractionLoops loops;
};

// Threads that share their caches with many others neither keep data near nor
// ask for it ahead.
TEST(GpuDescription, ThreadsHaveNoCache) {
  CostModel costs(gpuDescription), processor(*lookupTarget("x86-64-v4"));
  EXPECT_FALSE(costs.hasOwnCache());
  EXPECT_FALSE(costs.prefetchesElements(1 << 24));
  EXPECT_FALSE(costs.prefetchesColumns(1 << 24, 1));
  EXPECT_FALSE(costs.streams(1 << 24, 1 << 12));
  EXPECT_FALSE(costs.isCopied(1 << 12, 1 << 12));
  EXPECT_EQ(costs.keptRowElements(), 1024);
  EXPECT_EQ(processor.keptRowElements(), 0);
  EXPECT_EQ(costs.wideLanes(), 4 * costs.target.lanes);
  EXPECT_LT(costs.tileElements(), processor.tileElements());
}

// Rows without a whole number of accesses are packed.
TEST(GpuDescription, PacksWhatCannotBeCopiedInWholeAccesses) {
  CostModel costs(gpuDescription);
  const KernelStrategy &strategy = *gpuDescription.strategy;
  EXPECT_FALSE(strategy.packingPays(costs, 1024, 1, 1024, 1024));
  EXPECT_TRUE(strategy.packingPays(costs, 1024, 1, 1024, 1023));
  EXPECT_FALSE(strategy.packingPays(costs, 100, 1, 1024, 1023));
}

// Panels are as wide as the blocks of threads that read them, where the
// contraction is large enough for such.
TEST(GpuDescription, PanelsFollowTheBlocks) {
  const KernelStrategy &strategy = *gpuDescription.strategy;
  Product product("f32");
  EXPECT_EQ(product.choosePanelWidth(strategy, 4096, 4096, 1024), 128);
  EXPECT_EQ(product.choosePanelWidth(strategy, 128, 1024, 1024), 32);
  // Single warps multiply other types.
  Product other("f64");
  EXPECT_EQ(other.choosePanelWidth(strategy, 4096, 4096, 1024),
            other.choosePanelWidth(processorStrategy, 4096, 4096, 1024));
}

// Few rows or columns get the widest panels that give each multiprocessor two
// blocks, if a read of a warp is whole rows of one.
TEST(GpuDescription, PanelsAreNarrowForFewRowsOrColumns) {
  const KernelStrategy &strategy = *gpuDescription.strategy;
  Product product("f32");
  EXPECT_EQ(product.choosePanelWidth(strategy, 1, 32000, 768), 32);
  EXPECT_EQ(product.choosePanelWidth(strategy, 1, 4096, 1024), 8);
  EXPECT_EQ(product.choosePanelWidth(strategy, 1, 768, 2048), 4);
  EXPECT_EQ(product.choosePanelWidth(strategy, 1, 768, 2056), 16);
  EXPECT_EQ(product.choosePanelWidth(strategy, 528, 10, 1000), 16);
}

} // namespace
} // namespace hamkaas
