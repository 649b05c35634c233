//===- PointwiseConvToMatMul.cpp - Of windows of one element ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/LayoutReshapes.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace hamkaas {
#define GEN_PASS_DEF_POINTWISECONVTOMATMUL
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Returns whether each position of the result is a product of one position of
/// `x`.
static bool isProduct(ConvOp conv) {
  ArrayRef<int64_t> window = conv.getW().getType().getShape().drop_back(2);
  return conv.getType().getElementType().isF32() && conv.getGroups() == 1 &&
         !conv.isPadded() &&
         llvm::all_of(window, [](int64_t size) { return size == 1; });
}

/// The positions of `x` that windows are at.
static Value takePositions(OpBuilder &builder, ConvOp conv) {
  RankedTensorType type = conv.getX().getType();
  SmallVector<int64_t> sizes(conv.getType().getShape());
  sizes.back() = type.getShape().back();
  if (type.getShape() == ArrayRef(sizes))
    return conv.getX();
  SmallVector<int64_t> strides{1};
  llvm::append_range(strides, conv.getStrides());
  strides.push_back(1);
  SmallVector<int64_t> offsets(sizes.size(), 0);
  return StridedSliceOp::create(builder, conv.getLoc(), type.clone(sizes),
                                conv.getX(), offsets, sizes, strides);
}

/// `value` as a matrix whose columns are its last dimension.
static Value asMatrix(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t columns = type.getShape().back();
  SmallVector<int64_t> shape{getElementCount(type) / columns, columns};
  return ReshapeOp::create(builder, loc, type.clone(shape), value);
}

/// The permute of `conv`'s only use, if `conv` reads and that writes images
/// whose channels come first; null otherwise.
static PermuteOp findChannelsFirst(ConvOp conv) {
  auto before = conv.getX().getDefiningOp<PermuteOp>();
  auto after = conv->hasOneUse() ? dyn_cast<PermuteOp>(*conv->user_begin())
                                 : PermuteOp();
  int64_t rank = conv.getType().getRank();
  // [0, 2, ..., 1] before, and its inverse after.
  auto channelsLast = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::rotate(channelsLast.begin() + 1, channelsLast.begin() + 2,
              channelsLast.end());
  bool isFound = before && after && conv.getX().hasOneUse() &&
                 conv.getX().getType().getShape().front() == 1 &&
                 before.getPermutation() == ArrayRef(channelsLast) &&
                 after.getPermutation() ==
                     ArrayRef(invertPermutationVector(channelsLast)) &&
                 llvm::all_of(conv.getStrides(),
                              [](int64_t stride) { return stride == 1; });
  return isFound ? after : PermuteOp();
}

static MatMulOp createProduct(OpBuilder &builder, ConvOp conv, Value lhs,
                              Value rhs) {
  auto product = MatMulOp::create(builder, conv.getLoc(), lhs, rhs);
  setKnobs(product, dropKnob(getKnobs(conv), winogradKnob));
  return product;
}

/// One image whose channels come first is a matrix with the positions as
/// columns: nothing is permuted but the weights.
static void replaceByTransposedProduct(ConvOp conv, PermuteOp after) {
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  auto before = conv.getX().getDefiningOp<PermuteOp>();
  RankedTensorType type = before.getX().getType();
  int64_t channels = type.getShape()[1];
  SmallVector<int64_t> shape{channels, getElementCount(type) / channels};
  Value x = ReshapeOp::create(builder, loc, type.clone(shape), before.getX());
  Value w = PermuteOp::create(builder, loc, asMatrix(builder, loc, conv.getW()),
                              ArrayRef<int64_t>{1, 0});
  MatMulOp product = createProduct(builder, conv, w, x);
  after.replaceAllUsesWith(
      ReshapeOp::create(builder, loc, after.getType(), product).getResult());
  after.erase();
  conv.erase();
  before.erase();
}

static void replaceByProduct(ConvOp conv) {
  if (PermuteOp after = findChannelsFirst(conv))
    return replaceByTransposedProduct(conv, after);
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  Value x = asMatrix(builder, loc, takePositions(builder, conv));
  Value w = asMatrix(builder, loc, conv.getW());
  MatMulOp product = createProduct(builder, conv, x, w);
  conv.replaceAllUsesWith(
      ReshapeOp::create(builder, loc, conv.getType(), product).getResult());
  conv.erase();
}

namespace {
struct PointwiseConvToMatMul
    : hamkaas::impl::PointwiseConvToMatMulBase<PointwiseConvToMatMul> {
  void runOnOperation() override {
    llvm::SetVector<Block *> changed;
    SmallVector<ConvOp> convolutions;
    getOperation().walk([&](ConvOp conv) {
      if (isProduct(conv))
        convolutions.push_back(conv);
    });
    for (ConvOp conv : convolutions) {
      changed.insert(conv->getBlock());
      replaceByProduct(conv);
    }
    for (Block *block : changed)
      moveReshapesBehindPointwise(*block);
  }
};
} // namespace
