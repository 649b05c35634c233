//===- ConvolutionsToProducts.cpp - Of windows of one element ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h"
#include "LayoutReshapes.h"

namespace hamkaas {
#define GEN_PASS_DEF_CONVOLUTIONSTOPRODUCTS
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Whether each position of the result is a product of one position of `x`.
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

static void replaceByProduct(ConvOp conv) {
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  Value x = asMatrix(builder, loc, takePositions(builder, conv));
  Value w = asMatrix(builder, loc, conv.getW());
  Value product = MatMulOp::create(builder, loc, x, w);
  conv.replaceAllUsesWith(
      ReshapeOp::create(builder, loc, conv.getType(), product).getResult());
  conv.erase();
}

namespace {
struct ConvolutionsToProducts
    : hamkaas::impl::ConvolutionsToProductsBase<ConvolutionsToProducts> {
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
