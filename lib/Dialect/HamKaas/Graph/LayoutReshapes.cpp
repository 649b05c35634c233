//===- LayoutReshapes.cpp - Dimensions of 1 around permutes -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/LayoutReshapes.h"
#include "HamKaas/Dialect/HamKaas/Graph/PermutableOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace hamkaas;

using Dimensions = SmallVector<int64_t>;

/// The dimensions of `shape` that are not 1.
static Dimensions getPlaces(ArrayRef<int64_t> shape) {
  return llvm::filter_to_vector(llvm::seq<int64_t>(0, shape.size()),
                                [&](int64_t dim) { return shape[dim] != 1; });
}

/// Restricts `permutation` of `shape` to its larger dimensions, and embeds it
/// in `rank` dimensions, where these are at `places`.
static Dimensions movePermutation(ArrayRef<int64_t> permutation,
                                  ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> places, int64_t rank) {
  Dimensions from = getPlaces(shape);
  Dimensions moved = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  size_t next = 0;
  for (int64_t dim : permutation)
    if (shape[dim] != 1)
      moved[places[next++]] = places[llvm::find(from, dim) - from.begin()];
  return moved;
}

/// Returns whether a reshape keeps all dimensions that are not 1.
static bool keepsPlaces(ReshapeOp reshape) {
  auto isNotOne = [](int64_t size) { return size != 1; };
  return llvm::equal(
      llvm::make_filter_range(reshape.getX().getType().getShape(), isNotOne),
      llvm::make_filter_range(reshape.getType().getShape(), isNotOne));
}

/// Makes `reshape` of a permute the permute of a reshape, and returns that.
static ReshapeOp moveBeforePermute(ReshapeOp reshape) {
  auto permute = reshape.getX().getDefiningOp<PermuteOp>();
  if (!permute || !permute->hasOneUse() || !keepsPlaces(reshape))
    return nullptr;
  RankedTensorType type = reshape.getType();
  Dimensions permutation = movePermutation(
      permute.getPermutation(), permute.getX().getType().getShape(),
      getPlaces(type.getShape()), type.getRank());
  OpBuilder builder(reshape);
  auto before = ReshapeOp::create(
      builder, reshape.getLoc(),
      type.clone(applyPermutation(type.getShape(),
                                  invertPermutationVector(permutation))),
      permute.getX());
  reshape.replaceAllUsesWith(
      PermuteOp::create(builder, permute.getLoc(), before, permutation)
          .getResult());
  reshape->erase();
  permute->erase();
  return before;
}

/// Makes `permute` of a reshape the reshape of a permute.
static void moveBeforeReshape(PermuteOp permute, ReshapeOp reshape) {
  RankedTensorType type = reshape.getX().getType();
  Dimensions permutation =
      movePermutation(permute.getPermutation(), reshape.getType().getShape(),
                      getPlaces(type.getShape()), type.getRank());
  OpBuilder builder(permute);
  auto before =
      PermuteOp::create(builder, permute.getLoc(), reshape.getX(), permutation);
  permute.replaceAllUsesWith(
      ReshapeOp::create(builder, reshape.getLoc(), permute.getType(), before)
          .getResult());
  permute->erase();
  reshape->erase();
}

void hamkaas::moveReshapesOutward(Block &block) {
  llvm::DenseSet<Operation *> moved;
  for (auto reshape : llvm::make_early_inc_range(block.getOps<ReshapeOp>()))
    if (ReshapeOp before = moveBeforePermute(reshape))
      moved.insert(before);
  for (auto permute : llvm::make_early_inc_range(block.getOps<PermuteOp>())) {
    auto reshape = permute.getX().getDefiningOp<ReshapeOp>();
    if (reshape && reshape->hasOneUse() && keepsPlaces(reshape) &&
        !moved.contains(reshape))
      moveBeforeReshape(permute, reshape);
  }
}

//===----------------------------------------------------------------------===//
// Permutes around a reshape
//===----------------------------------------------------------------------===//

/// More operations than an activation and what is added before it.
static constexpr int maxPointwise = 16;

using Groups = SmallVector<ReassociationIndices>;

/// The permute of `x` by `permutation`; that of its operand if `x` is one, too.
static Value createPermute(OpBuilder &builder, Location loc, Value x,
                           ArrayRef<int64_t> permutation) {
  Dimensions combined(permutation);
  if (auto producer = x.getDefiningOp<PermuteOp>()) {
    combined = applyPermutation(producer.getPermutation(), permutation);
    x = producer.getX();
    loc = builder.getFusedLoc({producer.getLoc(), loc});
  }
  return PermuteOp::create(builder, loc, x, combined);
}

namespace {
/// Operations between two permutes: a reshape, which merges dimensions, and
/// pointwise ones behind it.
struct MergedPermutes {
  ReshapeOp reshape;
  /// The first one first.
  SmallVector<Operation *> pointwise;
};
} // namespace

static std::optional<MergedPermutes> findMerge(PermuteOp permute) {
  MergedPermutes merge;
  Value value = permute.getX();
  while (value.hasOneUse() && int(merge.pointwise.size()) < maxPointwise) {
    merge.reshape = value.getDefiningOp<ReshapeOp>();
    if (merge.reshape)
      break;
    auto op = value.getDefiningOp<KernelOpInterface>();
    if (!op || !op.isPointwise() || op->getBlock() != permute->getBlock() ||
        op->getOperand(0).getType() != value.getType())
      return std::nullopt;
    merge.pointwise.insert(merge.pointwise.begin(), op);
    value = op->getOperand(0);
  }
  auto first = merge.reshape ? merge.reshape.getX().getDefiningOp<PermuteOp>()
                             : PermuteOp();
  if (!first || !first->hasOneUse())
    return std::nullopt;
  return merge;
}

/// `operand` of a pointwise operation permuted, if that moves no element; null
/// otherwise.
static Value permuteInPlace(OpBuilder &builder, Value operand,
                            ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(operand.getType());
  if (!keepsOrder(type.getShape(), permutation))
    return nullptr;
  return ReshapeOp::create(
      builder, operand.getLoc(),
      type.clone(applyPermutation(type.getShape(), permutation)), operand);
}

/// Returns whether all operands but the first are permuted without moving them.
static bool canPermute(Operation *op, ArrayRef<int64_t> permutation) {
  return llvm::all_of(op->getOperands().drop_front(), [&](Value operand) {
    return keepsOrder(cast<ShapedType>(operand.getType()).getShape(),
                      permutation);
  });
}

/// The reshape of a permute that `permute` of `reshape`, which merges `groups`
/// of dimensions, is.
static Value createBeforeMerge(OpBuilder &builder, PermuteOp permute,
                               ReshapeOp reshape, const Groups &groups) {
  Dimensions permutation;
  for (int64_t dim : permute.getPermutation())
    llvm::append_range(permutation, groups[dim]);
  Value before =
      createPermute(builder, permute.getLoc(), reshape.getX(), permutation);
  RankedTensorType type = reshape.getType();
  return ReshapeOp::create(
      builder, reshape.getLoc(),
      type.clone(applyPermutation(type.getShape(), permute.getPermutation())),
      before);
}

/// reshape(permute(x)), then permuted.
static void mergeBehind(PermuteOp permute) {
  std::optional<MergedPermutes> merge = findMerge(permute);
  if (!merge)
    return;
  ReshapeOp reshape = merge->reshape;
  RankedTensorType from = reshape.getX().getType(), to = reshape.getType();
  auto groups = getReassociationIndicesForReshape(from, to);
  if (from.getRank() <= to.getRank() || !groups ||
      !llvm::all_of(merge->pointwise, [&](Operation *op) {
        return canPermute(op, permute.getPermutation());
      }))
    return;
  OpBuilder builder(permute);
  Value value = createBeforeMerge(builder, permute, reshape, *groups);
  for (Operation *op : merge->pointwise) {
    SmallVector<Value> operands{value};
    for (Value operand : op->getOperands().drop_front())
      operands.push_back(
          permuteInPlace(builder, operand, permute.getPermutation()));
    value = createPermuted(op, builder, permute.getPermutation(), operands);
  }
  permute.replaceAllUsesWith(value);
  permute->erase();
  for (Operation *op : llvm::reverse(merge->pointwise))
    op->erase();
  reshape->erase();
}

/// permute(x), reshaped, which splits dimensions, then permuted.
static void mergeBefore(PermuteOp permute) {
  auto reshape = permute.getX().getDefiningOp<ReshapeOp>();
  auto first =
      reshape ? reshape.getX().getDefiningOp<PermuteOp>() : PermuteOp();
  if (!first || !first->hasOneUse() || !reshape->hasOneUse())
    return;
  RankedTensorType from = reshape.getX().getType(), to = reshape.getType();
  auto groups = getReassociationIndicesForReshape(from, to);
  if (from.getRank() >= to.getRank() || !groups)
    return;
  // Each dimension of the operand is split as it is behind the permute.
  ArrayRef<int64_t> order = first.getPermutation();
  Dimensions shape, begins(order.size()), split;
  for (auto [dim, place] : llvm::enumerate(invertPermutationVector(order))) {
    begins[dim] = shape.size();
    for (int64_t part : (*groups)[place])
      shape.push_back(to.getDimSize(part));
  }
  for (auto [place, dim] : llvm::enumerate(order))
    for (size_t i = 0; i < (*groups)[place].size(); ++i)
      split.push_back(begins[dim] + i);
  OpBuilder builder(permute);
  Value x = ReshapeOp::create(builder, reshape.getLoc(), to.clone(shape),
                              first.getX());
  permute.replaceAllUsesWith(createPermute(
      builder, builder.getFusedLoc({first.getLoc(), permute.getLoc()}), x,
      applyPermutation(split, permute.getPermutation())));
  permute->erase();
  reshape->erase();
  first->erase();
}

void hamkaas::mergePermutesAroundReshapes(Block &block) {
  for (auto permute : llvm::make_early_inc_range(block.getOps<PermuteOp>()))
    mergeBehind(permute);
  for (auto permute : llvm::make_early_inc_range(block.getOps<PermuteOp>()))
    mergeBefore(permute);
  SmallVector<PermuteOp> left(block.getOps<PermuteOp>());
  for (PermuteOp permute : llvm::reverse(left))
    if (permute.use_empty())
      permute->erase();
}
