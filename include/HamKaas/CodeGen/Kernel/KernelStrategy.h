//===- KernelStrategy.h - Choices that machines make apart ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_KERNELSTRATEGY_H
#define HAMKAAS_CODEGEN_KERNEL_KERNELSTRATEGY_H

#include "HamKaas/CodeGen/Kernel/ContractionLoops.h"
#include "HamKaas/CodeGen/Kernel/CostModel.h"

namespace hamkaas {

/// A tensor of a tree of linalg operations, and how its indices depend on the
/// lane: each is `factor` times the lane plus a multiple of `rest`, which is 0
/// for an index without another term.
struct LaneUse {
  struct Index {
    int64_t factor = 0, rest = 0;
    bool operator==(const Index &) const = default;
  };
  mlir::Value tensor;
  llvm::SmallVector<Index> at;
  bool operator==(const LaneUse &) const = default;
};

/// The results of a linear map at loops that depend on the lane.
llvm::SmallVector<LaneUse::Index>
applyToLanes(mlir::AffineMap map, llvm::ArrayRef<LaneUse::Index> loops);

/// Vector width for a dimension of `extent` elements.
int64_t chooseLanes(const TargetDescription &target, int64_t extent);

/// The choices of the shared emitters and passes that differ between machines
/// by more than a number. This class makes those of a CPU; a machine with
/// others derives from it and names its strategy in its TargetDescription.
class KernelStrategy {
public:
  virtual ~KernelStrategy() = default;

  /// Returns whether packing a run-time right side of `depth` x `columns` pays
  /// off for `uses` products of `rows` rows.
  virtual bool packingPays(const CostModel &costs, int64_t rows, int64_t uses,
                           int64_t depth, int64_t columns) const;

  /// Returns whether a right side that is permuted in each run is packed in
  /// place of that.
  virtual bool packsPermuted() const { return true; }

  /// The panel width for a packed right side of `root`, whose loops are
  /// `loops`.
  virtual int64_t choosePanelWidth(const CostModel &costs,
                                   mlir::linalg::LinalgOp root,
                                   const ContractionLoops &loops) const;

  /// Returns whether contractions widen panels of 16 bits as they read them.
  virtual bool widensPanels() const { return true; }

  /// The vector width for `extent` elements along the lanes, for reads of the
  /// tensors of `uses` and their operands, up to leaves.
  virtual int64_t
  chooseLanes(const CostModel &costs, int64_t extent,
              llvm::ArrayRef<LaneUse> uses,
              llvm::function_ref<bool(mlir::Value)> isLeaf = {}) const;
};

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_KERNELSTRATEGY_H
