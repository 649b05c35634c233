//===- SimplifyClamps.cpp - Limits of limits --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "SimplifyPatterns.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace hamkaas;
using llvm::APSInt;

namespace {

/// How far back a limit is looked for; more than any chain of clamps needs.
constexpr int maxDepth = 4;

/// Bounds of the elements of a value that are not NaN. `Number` is APFloat or
/// APSInt.
template <typename Number> struct Bounds {
  Number least, greatest;
};

} // namespace

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Compares as max and min do: -0.0 is less than 0.0.
static bool isLess(const APFloat &a, const APFloat &b) {
  if (a.isZero() && b.isZero())
    return a.isNegative() && !b.isNegative();
  return a < b;
}
static bool isLess(const APSInt &a, const APSInt &b) { return a < b; }

template <typename Number>
static Number getMax(const Number &a, const Number &b) {
  return isLess(a, b) ? b : a;
}
template <typename Number>
static Number getMin(const Number &a, const Number &b) {
  return isLess(a, b) ? a : b;
}

/// The range of the type that `number` has.
static Bounds<APFloat> getWholeRange(const APFloat &number) {
  return {APFloat::getInf(number.getSemantics(), /*Negative=*/true),
          APFloat::getInf(number.getSemantics())};
}
static Bounds<APSInt> getWholeRange(const APSInt &number) {
  return {APSInt::getMinValue(number.getBitWidth(), number.isUnsigned()),
          APSInt::getMaxValue(number.getBitWidth(), number.isUnsigned())};
}

/// The number that all elements of a constant are, if one can compare with it.
template <typename Number> static std::optional<Number> getLimit(Value value);

template <> std::optional<APFloat> getLimit(Value value) {
  std::optional<APFloat> number = getSplatFloat(value);
  return number && !number->isNaN() ? number : std::nullopt;
}
template <> std::optional<APSInt> getLimit(Value value) {
  std::optional<APInt> number = getSplatInteger(value);
  if (!number)
    return std::nullopt;
  return APSInt(*number, getElementTypeOrSelf(value).isUnsignedInteger());
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// The range of `value` within `whole`, that of its type.
template <typename Number>
static Bounds<Number> getRange(Value value, const Bounds<Number> &whole,
                               int depth = maxDepth) {
  Operation *op = value.getDefiningOp();
  if (depth == 0 || !isa_and_nonnull<MaxOp, MinOp, ReluOp>(op))
    return whole;
  std::optional<Number> limit;
  if constexpr (std::is_same_v<Number, APFloat>)
    // NOTE: relu leaves -0.0 as it is.
    if (isa<ReluOp>(op))
      limit = APFloat::getZero(whole.least.getSemantics(), /*Negative=*/true);
  if (!limit)
    limit = getLimit<Number>(op->getOperand(1));
  if (!limit)
    return whole;
  Bounds<Number> range = getRange(op->getOperand(0), whole, depth - 1);
  if (isa<MinOp>(op))
    return {getMin(range.least, *limit), getMin(range.greatest, *limit)};
  return {getMax(range.least, *limit), getMax(range.greatest, *limit)};
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// Drops a limit that no element reaches.
template <typename OpTy, typename Number>
struct DropLimit : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    std::optional<Number> limit = getLimit<Number>(op.getRhs());
    if (!limit)
      return rewriter.notifyMatchFailure(op, "the limit is no constant");
    Bounds<Number> range = getRange(op.getLhs(), getWholeRange(*limit));
    bool isMax = isa<MaxOp>(op);
    if (isMax ? isLess(range.least, *limit) : isLess(*limit, range.greatest))
      return rewriter.notifyMatchFailure(op, "the limit may be reached");
    rewriter.replaceOp(op, op.getLhs());
    return success();
  }
};

/// A limit of a limit of the same kind is one limit.
template <typename OpTy, typename Number>
struct MergeLimits : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getLhs().template getDefiningOp<OpTy>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "the lhs is no such limit");
    std::optional<Number> inner = getLimit<Number>(producer.getRhs());
    std::optional<Number> outer = getLimit<Number>(op.getRhs());
    if (!inner || !outer)
      return rewriter.notifyMatchFailure(op, "a limit is no constant");
    bool isMax = isa<MaxOp>(op);
    Value limit =
        createSplat(rewriter, op.getLoc(), op.getType().getRank(),
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
    Bounds<APFloat> range =
        getRange(op.getX(), getWholeRange(APFloat(type.getFloatSemantics())));
    if (range.least.isNegative() && !range.least.isZero())
      return rewriter.notifyMatchFailure(op, "the operand may be negative");
    rewriter.replaceOp(op, op.getX());
    return success();
  }
};

} // namespace

void hamkaas::populateClampPatterns(RewritePatternSet &patterns) {
  patterns
      .add<DropLimit<MaxOp, APFloat>, DropLimit<MinOp, APFloat>,
           DropLimit<MaxOp, APSInt>, DropLimit<MinOp, APSInt>,
           MergeLimits<MaxOp, APFloat>, MergeLimits<MinOp, APFloat>,
           MergeLimits<MaxOp, APSInt>, MergeLimits<MinOp, APSInt>, DropRelu>(
          patterns.getContext());
}
