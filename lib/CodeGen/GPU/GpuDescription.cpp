//===- GpuDescription.cpp - Facts about GPUs --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/GPU/GpuDescription.h"
#include "BlockTile.h"
#include "SplitKGemm.h"
#include "WideLanes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hamkaas;

static constexpr MachineFacts makeGpu() {
  MachineFacts facts{"gpu"};
  // A line of the first-level cache has 128 bytes, which move by sectors of 32.
  facts.lineBytes = 64;
  facts.tilesPerCoreTile = 16;
  facts.processors = 132;
  facts.warpsPerProcessor = 16;
  facts.busyWarps = 1024;
  facts.processorRegisters = 65536;
  facts.sharedBytes = 48 * 1024;
  // Of sm_86, which has the least from sm_80 on.
  facts.maxSharedBytes = 99 * 1024;
  // Of each of the four warps of a block.
  facts.scratchBytes = facts.sharedBytes / 4;
  facts.accessBytes = 16;
  return facts;
}

constexpr MachineFacts hamkaas::gpuFacts = makeGpu();

/// Returns whether thread blocks may compute the contraction: its factors are
/// float32, the right ones in memory, the left ones contiguous along the depth.
static bool isForBlocks(linalg::LinalgOp root, const ContractionLoops &loops) {
  Value left = root.getDpsInputOperand(0)->get();
  Value right = root.getDpsInputOperand(1)->get();
  AffineMap map = root.getMatchingIndexingMap(root.getDpsInputOperand(0));
  return isa<BlockArgument>(right) &&
         getElementTypeOrSelf(left.getType()).isF32() &&
         getElementTypeOrSelf(right.getType()).isF32() &&
         map.getResults().back() ==
             getAffineDimExpr(loops.depth, root.getContext());
}

namespace {
class GpuStrategy final : public KernelStrategy {
public:
  /// Thread blocks copy a matrix to shared memory as fast as panels, unless its
  /// rows are misaligned.
  bool packingPays(const CostModel &costs, int64_t rows, int64_t uses,
                   int64_t depth, int64_t columns) const override {
    return costs.isWorthPacking(multiplyCounts(rows, uses), depth * columns) &&
           columns * CostModel::elementBytes % costs.machine.accessBytes != 0;
  }

  bool packsPermuted() const override { return false; }

  int64_t choosePanelWidth(const CostModel &costs, linalg::LinalgOp root,
                           const ContractionLoops &loops) const override {
    int64_t batches = loops.count(loops.batch);
    int64_t rows = loops.count(loops.shared) * loops.rowCount();
    int64_t columns = loops.columnCount(), depth = loops.productCount();
    if (isForBlocks(root, loops)) {
      if (std::optional<BlockTile> tile =
              chooseBlockTile(costs, batches, rows, columns, depth))
        return tile->columns();
      if (std::optional<int64_t> width = SplitKGemm::choosePanelWidth(
              costs, batches, rows, columns, depth))
        return *width;
    }
    return KernelStrategy::choosePanelWidth(costs, root, loops);
  }

  /// Tensor cores read matrices of bfloat16 as they are.
  bool widensPanels() const override { return false; }

  int64_t chooseLanes(const CostModel &costs, int64_t extent,
                      ArrayRef<LaneUse> uses,
                      function_ref<bool(Value)> isLeaf) const override {
    return chooseWideLanes(costs, extent, uses, isLeaf);
  }
};
} // namespace

static constexpr GpuStrategy gpuStrategy;

// Half of the registers of a thread: the rest holds addresses and what is on
// its way from memory.
constexpr TargetDescription hamkaas::gpuDescription = {"gpu",
                                                       /*lanes=*/32,
                                                       /*registers=*/96,
                                                       /*fma=*/true,
                                                       /*scale=*/false,
                                                       /*gathers=*/true,
                                                       /*permutes=*/false,
                                                       /*packsNarrow=*/false,
                                                       &gpuFacts,
                                                       &gpuStrategy};
