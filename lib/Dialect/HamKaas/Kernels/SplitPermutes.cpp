//===- SplitPermutes.cpp - Permutes that interleave -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace hamkaas {
#define GEN_PASS_DEF_SPLITPERMUTES
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

using Dimensions = SmallVector<int64_t>;

/// The longest last dimension whose elements are interleaved.
static constexpr int64_t maxInterleaved = 4;

namespace {
/// A permute as two: a transposition of the dimensions from `begin` up to
/// `middle` with all behind, and the rest.
struct Split {
  int64_t begin, middle;
};
} // namespace

/// Splits a permute whose result has a few elements in the last dimension, if
/// the operand is contiguous along neither that nor the one before.
static std::optional<Split> findSplit(PermuteOp op) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  int64_t rank = permutation.size();
  if (rank < 3 || op.getType().getShape().back() > maxInterleaved ||
      op.getType().getShape().back() == 1)
    return std::nullopt;
  // The dimension that a vector of the result runs along.
  int64_t along = permutation[rank - 2], begin = 0;
  bool isRow = permutation.back() == rank - 1 && along == rank - 2;
  if (along == rank - 1 || isRow)
    return std::nullopt;
  while (begin < along && permutation[begin] == begin)
    ++begin;
  return Split{begin, along + 1};
}

/// `x` in another shape; what it is a reshape of where that has it.
static Value createReshape(OpBuilder &builder, Location loc, Value x,
                           ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(x.getType()).clone(shape);
  auto reshape = x.getDefiningOp<ReshapeOp>();
  if (reshape && reshape.getX().getType() == type)
    return reshape.getX();
  return ReshapeOp::create(builder, loc, type, x);
}

static void split(PermuteOp op, Split at) {
  ArrayRef<int64_t> from = op.getX().getType().getShape();
  int64_t rank = from.size();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  // Those behind as one dimension, which a convolution may have.
  Dimensions shape(from.take_front(at.middle));
  shape.push_back(ShapedType::getNumElements(from.drop_front(at.middle)));
  Dimensions transposed = llvm::to_vector(llvm::seq<int64_t>(shape.size()));
  std::rotate(transposed.begin() + at.begin, transposed.end() - 1,
              transposed.end());
  Value x = createReshape(builder, loc, op.getX(), shape);
  x = PermuteOp::create(builder, loc, x, transposed);
  Dimensions order = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::rotate(order.begin() + at.begin, order.begin() + at.middle, order.end());
  x = createReshape(builder, loc, x, applyPermutation(from, order));
  // Where the dimensions of the operand are by now.
  Dimensions places = invertPermutationVector(order), rest;
  for (int64_t dim : op.getPermutation())
    rest.push_back(places[dim]);
  op.replaceAllUsesWith(PermuteOp::create(builder, loc, x, rest).getResult());
  Operation *reshape = op.getX().getDefiningOp();
  op->erase();
  // A convolution must not seem to have another user.
  if (isa_and_nonnull<ReshapeOp>(reshape) && reshape->use_empty())
    reshape->erase();
}

namespace {
struct SplitPermutes : hamkaas::impl::SplitPermutesBase<SplitPermutes> {
  void runOnOperation() override {
    SmallVector<std::pair<PermuteOp, Split>> found;
    getOperation().walk([&](PermuteOp op) {
      std::optional<Split> at = findSplit(op);
      // Those of a kernel are not in memory.
      if (at && !isa<GroupOp>(op->getParentOp()))
        found.push_back({op, *at});
    });
    for (auto [op, at] : found)
      split(op, at);
  }
};
} // namespace
