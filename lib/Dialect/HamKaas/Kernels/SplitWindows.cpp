//===- SplitWindows.cpp - Maxima along one dimension each -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelOrders.h"
#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "PlanarWindows.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace hamkaas {
#define GEN_PASS_DEF_SPLITWINDOWS
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Elements that a window must have for each one that its parts have. 5 x 5
/// windows of 512 channels of 20 x 20 take 102 us instead of 209, 13 x 13 190
/// instead of 620 (Zen 4, AVX-512); 3 x 3 windows would take 1.9 times as long.
static constexpr int64_t minSaving = 2;

/// Returns whether a kernel takes in the permutes around `pool`, which leave
/// channels first.
static bool isBetweenPermutes(PoolOp pool) {
  return arePlanarWindows(pool) &&
         isChannelsLast(pool.getX().getDefiningOp()) && pool->hasOneUse() &&
         isChannelsFirst(*pool->getUsers().begin());
}

/// Returns whether `pool` leaves `dim` as it is.
static bool isUntouched(PoolOp pool, int64_t dim) {
  return pool.getWindow()[dim] == 1 && pool.getStrides()[dim] == 1 &&
         pool.getPadLow()[dim] == 0 && pool.getPadHigh()[dim] == 0;
}

/// Elements that the parts of a window read, for each element of the result.
static int64_t countParts(PoolOp pool) {
  int64_t elements = 0, results = 1;
  // The last dimension is first, and has the results of all other strides.
  for (auto [dim, size] : llvm::enumerate(pool.getWindow())) {
    if (isUntouched(pool, dim))
      continue;
    elements += size * results;
    results *= pool.getStrides()[dim];
  }
  return elements;
}

static bool isWorthSplitting(PoolOp pool) {
  ArrayRef<int64_t> window = pool.getWindow();
  if (pool.getCombiner() != Combiner::Max ||
      !pool.getType().getElementType().isF32() ||
      llvm::count_if(window, [](int64_t size) { return size > 1; }) < 2)
    return false;
  return minSaving * countParts(pool) <= computeProduct(window);
}

static void split(PoolOp pool) {
  OpBuilder builder(pool);
  Location loc = pool.getLoc();
  bool isPlanar = isBetweenPermutes(pool);
  int64_t dims = pool.getWindow().size();
  Value x = pool.getX();
  for (int64_t dim = dims - 1; dim >= 0; --dim) {
    if (isUntouched(pool, dim))
      continue;
    auto only = [&](ArrayRef<int64_t> values, int64_t other) {
      SmallVector<int64_t> result(dims, other);
      result[dim] = values[dim];
      return result;
    };
    // Each kernel takes in the permutes around it.
    if (isPlanar && x != pool.getX()) {
      x = putChannelsFirst(builder, loc, x);
      x = putChannelsLast(builder, loc, x);
    }
    x = PoolOp::create(builder, loc, pool.getCombiner(), x,
                       only(pool.getWindow(), 1), only(pool.getStrides(), 1),
                       only(pool.getDilations(), 1), only(pool.getPadLow(), 0),
                       only(pool.getPadHigh(), 0));
  }
  pool.replaceAllUsesWith(x);
  pool.erase();
}

namespace {
struct SplitWindows : hamkaas::impl::SplitWindowsBase<SplitWindows> {
  void runOnOperation() override {
    SmallVector<PoolOp> found;
    getOperation().walk([&](PoolOp pool) {
      if (!isa<GroupOp>(pool->getParentOp()) && isWorthSplitting(pool))
        found.push_back(pool);
    });
    for (PoolOp pool : found)
      split(pool);
  }
};
} // namespace
