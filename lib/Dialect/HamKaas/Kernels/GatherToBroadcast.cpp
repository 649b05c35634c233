//===- GatherToBroadcast.cpp - Repeated elements ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseConvolutions.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegularIndices.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"

namespace hamkaas {
#define GEN_PASS_DEF_GATHERTOBROADCAST
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

/// Every `stride`-th of a dimension's elements, `count` of them: each `times`
/// times in a row, or, if `isTiled`, all of them so many times.
struct Repetition {
  int64_t dim;
  int64_t first, count, stride;
  int64_t times;
  bool isTiled;
};

/// Gathers of repeated elements, each along another dimension of the result of
/// the next.
class Repetitions {
public:
  explicit Repetitions(GatherOp last);

  bool empty() const { return repetitions.empty(); }
  /// Leaves the gathers, which become `taken`, without users.
  void replace(DenseSet<Operation *> &taken);

private:
  bool isRepeated(int64_t dim) const;
  Location getLoc(OpBuilder &builder) const;
  Value createSlice(OpBuilder &builder) const;
  Value createRepeated(OpBuilder &builder, Value x) const;

  /// The last one first.
  SmallVector<GatherOp> gathers;
  SmallVector<Repetition> repetitions;
};

} // namespace

static std::optional<Repetition> findRepetition(GatherOp op) {
  std::optional<RegularIndices> at = findRegularIndices(
      op.getIndices(), op.getX().getType().getDimSize(op.getDim()));
  if (!at)
    return std::nullopt;
  int64_t dim = op.getDim();
  if (at->size > 1 && at->step == 0)
    return Repetition{dim,
                      at->first,
                      at->groups,
                      at->groupStep,
                      at->size,
                      /*isTiled=*/false};
  if (at->groups > 1 && at->groupStep == 0)
    return Repetition{dim,
                      at->first,
                      at->size,
                      at->step,
                      at->groups,
                      /*isTiled=*/true};
  return std::nullopt;
}

bool Repetitions::isRepeated(int64_t dim) const {
  return llvm::any_of(repetitions, [&](const Repetition &repetition) {
    return repetition.dim == dim;
  });
}

Repetitions::Repetitions(GatherOp last) {
  GatherOp op = last;
  while (op && (op == last || op->hasOneUse())) {
    std::optional<Repetition> found = findRepetition(op);
    if (!found || isRepeated(found->dim))
      return;
    repetitions.push_back(*found);
    gathers.push_back(op);
    op = op.getX().getDefiningOp<GatherOp>();
  }
}

Location Repetitions::getLoc(OpBuilder &builder) const {
  SmallVector<Location> locations;
  for (GatherOp op : gathers)
    locations.push_back(op->getLoc());
  return builder.getFusedLoc(locations);
}

/// The elements that are repeated.
Value Repetitions::createSlice(OpBuilder &builder) const {
  GatherOp first = gathers.back();
  Value x = first.getX();
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> offsets(type.getRank(), 0), sizes(type.getShape()),
      strides(type.getRank(), 1);
  for (const Repetition &repetition : repetitions) {
    offsets[repetition.dim] = repetition.first;
    sizes[repetition.dim] = repetition.count;
    // The stride of one element may be any number but 0.
    strides[repetition.dim] = repetition.count > 1 ? repetition.stride : 1;
  }
  return builder.createOrFold<StridedSliceOp>(getLoc(builder), x, offsets,
                                              sizes, strides);
}

Value Repetitions::createRepeated(OpBuilder &builder, Value x) const {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> once, repeated;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    auto *found = llvm::find_if(repetitions, [&](const Repetition &repetition) {
      return repetition.dim == int64_t(dim);
    });
    if (found != repetitions.end() && found->isTiled) {
      once.push_back(1);
      repeated.push_back(found->times);
    }
    once.push_back(size);
    repeated.push_back(size);
    if (found != repetitions.end() && !found->isTiled) {
      once.push_back(1);
      repeated.push_back(found->times);
    }
  }
  Location loc = getLoc(builder);
  x = reshape(builder, loc, x, once);
  x = BroadcastOp::create(builder, loc, type.clone(repeated), x);
  GatherOp last = gathers.front();
  return reshape(builder, loc, x, last.getType().getShape());
}

void Repetitions::replace(DenseSet<Operation *> &taken) {
  OpBuilder builder(gathers.front());
  gathers.front().replaceAllUsesWith(
      createRepeated(builder, createSlice(builder)));
  taken.insert(gathers.begin(), gathers.end());
}

/// Erases `op`, and indices that nothing else reads.
static void erase(GatherOp op) {
  Operation *indices = op.getIndices().getDefiningOp();
  op->erase();
  if (isOpTriviallyDead(indices))
    indices->erase();
}

namespace {
struct GatherToBroadcast
    : hamkaas::impl::GatherToBroadcastBase<GatherToBroadcast> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      replaceGathers(*block);
  }

private:
  /// From the end: the last of a chain takes the others.
  static void replaceGathers(Block &block) {
    SmallVector<GatherOp> gathers(block.getOps<GatherOp>());
    DenseSet<Operation *> taken;
    for (GatherOp op : llvm::reverse(gathers)) {
      if (taken.contains(op))
        continue;
      Repetitions repetitions(op);
      if (!repetitions.empty())
        repetitions.replace(taken);
    }
    for (GatherOp op : llvm::reverse(gathers))
      if (taken.contains(op))
        erase(op);
  }
};
} // namespace
