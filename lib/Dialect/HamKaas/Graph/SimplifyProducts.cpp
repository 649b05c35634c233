//===- SimplifyProducts.cpp - Transposed products ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "SimplifyPatterns.h"

using namespace mlir;
using namespace hamkaas;

/// The matrix that `value` transposes; null if it is no transpose of one.
static Value getTransposed(Value value) {
  auto permute = value.getDefiningOp<PermuteOp>();
  if (!permute || permute.getPermutation() != ArrayRef<int64_t>{1, 0})
    return {};
  return permute.getX();
}

namespace {

/// The transpose of `a^T b` is `b^T a`. The gradient of weights that are stored
/// with their outputs first is such a product.
struct TransposeProduct : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PermuteOp op,
                                PatternRewriter &rewriter) const override {
    Value transposed = getTransposed(op);
    auto product =
        transposed ? transposed.getDefiningOp<MatMulOp>() : MatMulOp();
    if (!product || !product->hasOneUse())
      return rewriter.notifyMatchFailure(op, "expected a product of its own");
    Value left = getTransposed(product.getLhs());
    if (!left)
      return rewriter.notifyMatchFailure(op, "the left side is no transpose");
    Value right = product.getRhs();
    if (getElementCount(right.getType()) >
        getElementCount(left.getType()) + getElementCount(op.getType()))
      return rewriter.notifyMatchFailure(op, "it would move more elements");
    Location loc = fuseLocations(product, op);
    right = PermuteOp::create(rewriter, loc, right, ArrayRef<int64_t>{1, 0});
    rewriter.replaceOp(op, MatMulOp::create(rewriter, loc, right, left));
    return success();
  }
};

} // namespace

void hamkaas::populateProductPatterns(RewritePatternSet &patterns) {
  patterns.add<TransposeProduct>(patterns.getContext());
}
