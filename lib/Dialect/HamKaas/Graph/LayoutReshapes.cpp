//===- LayoutReshapes.cpp - Dimensions of 1 around permutes -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/LayoutReshapes.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

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
