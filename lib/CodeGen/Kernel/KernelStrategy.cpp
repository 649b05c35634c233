//===- KernelStrategy.cpp - Choices of a processor --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/KernelStrategy.h"
#include "HamKaas/CodeGen/Kernel/Contraction.h"
#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"
#include <numeric>

using namespace mlir;
using namespace hamkaas;

constexpr KernelStrategy hamkaas::processorStrategy;

SmallVector<LaneUse::Index>
hamkaas::applyToLanes(AffineMap map, ArrayRef<LaneUse::Index> loops) {
  SmallVector<LaneUse::Index> result;
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    SmallVector<int64_t> factors = getFactors(map, i);
    LaneUse::Index index{0, std::abs(factors.back())};
    for (auto [factor, loop] : llvm::zip(factors, loops)) {
      index.factor += factor * loop.factor;
      index.rest = std::gcd(index.rest, std::abs(factor) * loop.rest);
    }
    result.push_back(index);
  }
  return result;
}

int64_t hamkaas::chooseLanes(const TargetDescription &target, int64_t extent) {
  return std::min<int64_t>(target.lanes, llvm::PowerOf2Ceil(extent));
}

bool KernelStrategy::packingPays(const CostModel &costs, int64_t rows,
                                 int64_t uses, int64_t depth,
                                 int64_t columns) const {
  // Tiles would copy for each use.
  return costs.isWorthPacking(multiplyCounts(rows, uses), depth * columns) &&
         (uses > 1 || !costs.tilesCopy(rows, depth * columns));
}

int64_t KernelStrategy::choosePanelWidth(const CostModel &costs,
                                         linalg::LinalgOp root,
                                         const ContractionLoops &loops) const {
  int64_t outer = loops.outerCount(), rows = loops.rowCount();
  int64_t shared = loops.count(loops.shared);
  if (loops.canJoinRows(root) &&
      joinsRows(costs, shared, rows, loops.columnCount(),
                loops.productCount())) {
    outer /= shared;
    rows *= shared;
  }
  return hamkaas::choosePanelWidth(costs, outer, rows, loops.columnCount(),
                                   loops.productCount());
}

int64_t KernelStrategy::chooseLanes(const CostModel &costs, int64_t extent,
                                    ArrayRef<LaneUse>,
                                    function_ref<bool(Value)>) const {
  return hamkaas::chooseLanes(costs.target, extent);
}
