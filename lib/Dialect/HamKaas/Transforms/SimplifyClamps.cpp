//===- SimplifyClamps.cpp - Limits of limits --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "SimplifyPatterns.h"

using namespace mlir;
using namespace hamkaas;

namespace {

/// How far back a limit is looked for; more than any chain of clamps needs.
constexpr int maxDepth = 4;

/// What is known of the elements of a value that are not NaN.
struct Bounds {
  APFloat least, greatest;
};

} // namespace

/// Compares as max and min do: -0.0 is less than 0.0.
static bool isLess(const APFloat &a, const APFloat &b) {
  if (a.isZero() && b.isZero())
    return a.isNegative() && !b.isNegative();
  return a < b;
}
static APFloat getMax(const APFloat &a, const APFloat &b) {
  return isLess(a, b) ? b : a;
}
static APFloat getMin(const APFloat &a, const APFloat &b) {
  return isLess(a, b) ? a : b;
}

static Bounds getWholeRange(const llvm::fltSemantics &semantics) {
  return {APFloat::getInf(semantics, /*Negative=*/true),
          APFloat::getInf(semantics)};
}

static Bounds getRange(Value value, const llvm::fltSemantics &semantics,
                      int depth = maxDepth) {
  Bounds whole = getWholeRange(semantics);
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return whole;
  if (isa<ReluOp>(op)) {
    Bounds range = getRange(op->getOperand(0), semantics, depth - 1);
    // NOTE: relu leaves -0.0 as it is.
    APFloat zero = APFloat::getZero(semantics, /*Negative=*/true);
    return {getMax(range.least, zero), getMax(range.greatest, zero)};
  }
  if (!isa<MaxOp, MinOp>(op))
    return whole;
  std::optional<APFloat> limit = getSplatFloat(op->getOperand(1));
  if (!limit || limit->isNaN())
    return whole;
  Bounds range = getRange(op->getOperand(0), semantics, depth - 1);
  if (isa<MaxOp>(op))
    return {getMax(range.least, *limit), getMax(range.greatest, *limit)};
  return {getMin(range.least, *limit), getMin(range.greatest, *limit)};
}

namespace {

/// Drops a limit that no element reaches.
template <typename OpTy> struct DropLimit : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    std::optional<APFloat> limit = getSplatFloat(op.getRhs());
    if (!limit || limit->isNaN())
      return rewriter.notifyMatchFailure(op, "the limit is no constant");
    Bounds range = getRange(op.getLhs(), limit->getSemantics());
    bool isMax = isa<MaxOp>(op);
    if (isMax ? isLess(range.least, *limit) : isLess(*limit, range.greatest))
      return rewriter.notifyMatchFailure(op, "the limit may be reached");
    rewriter.replaceOp(op, op.getLhs());
    return success();
  }
};

/// A limit of a limit of the same kind is one limit.
template <typename OpTy> struct MergeLimits : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getLhs().template getDefiningOp<OpTy>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "the lhs is no such limit");
    std::optional<APFloat> inner = getSplatFloat(producer.getRhs());
    std::optional<APFloat> outer = getSplatFloat(op.getRhs());
    if (!inner || !outer || inner->isNaN() || outer->isNaN())
      return rewriter.notifyMatchFailure(op, "a limit is no constant");
    bool isMax = isa<MaxOp>(op);
    Value limit = createSplat(
        rewriter, op.getLoc(), op.getType().getRank(),
        op.getType().getElementType(),
        isMax ? getMax(*inner, *outer) : getMin(*inner, *outer));
    Location loc = fuseLocations(producer, op);
    auto merged = OpTy::create(rewriter, loc, producer.getLhs(), limit);
    rewriter.replaceOp(op, merged);
    return success();
  }
};

/// relu of what is never less than zero.
struct DropRelu : OpRewritePattern<ReluOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReluOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<FloatType>(op.getType().getElementType());
    Bounds range = getRange(op.getX(), type.getFloatSemantics());
    if (range.least.isNegative() && !range.least.isZero())
      return rewriter.notifyMatchFailure(op, "the operand may be negative");
    rewriter.replaceOp(op, op.getX());
    return success();
  }
};

} // namespace

void hamkaas::populateClampPatterns(RewritePatternSet &patterns) {
  patterns.add<DropLimit<MaxOp>, DropLimit<MinOp>, MergeLimits<MaxOp>,
               MergeLimits<MinOp>, DropRelu>(patterns.getContext());
}
