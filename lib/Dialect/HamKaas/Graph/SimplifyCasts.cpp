//===- SimplifyCasts.cpp - Casts and selections -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "SimplifyPatterns.h"

using namespace mlir;
using namespace hamkaas;

/// The bits of an integer that its sign does not take; a boolean has one.
static int64_t getValueBits(IntegerType type) {
  return type.getWidth() - (type.isSignless() && type.getWidth() > 1);
}

/// Returns whether `to` has every number of `from`.
static bool containsInteger(IntegerType to, IntegerType from) {
  bool fromIsSigned = from.isSignless() && from.getWidth() > 1;
  bool toIsSigned = to.isSignless() && to.getWidth() > 1;
  return getValueBits(to) >= getValueBits(from) && to.getWidth() > 1 &&
         (toIsSigned || !fromIsSigned);
}

static bool containsFloat(FloatType to, FloatType from) {
  const llvm::fltSemantics &wide = to.getFloatSemantics();
  const llvm::fltSemantics &narrow = from.getFloatSemantics();
  return APFloat::semanticsPrecision(wide) >=
             APFloat::semanticsPrecision(narrow) &&
         APFloat::semanticsMaxExponent(wide) >=
             APFloat::semanticsMaxExponent(narrow) &&
         APFloat::semanticsMinExponent(wide) <=
             APFloat::semanticsMinExponent(narrow);
}

/// Returns whether a cast keeps every number.
static bool isExact(Type from, Type to) {
  auto fromInteger = dyn_cast<IntegerType>(from);
  auto toInteger = dyn_cast<IntegerType>(to);
  if (fromInteger && toInteger)
    return containsInteger(toInteger, fromInteger);
  if (toInteger)
    return false;
  const llvm::fltSemantics &semantics = cast<FloatType>(to).getFloatSemantics();
  // NOTE: the least integer is a power of two and takes no more bits.
  if (fromInteger)
    return getValueBits(fromInteger) <=
               APFloat::semanticsPrecision(semantics) &&
           getValueBits(fromInteger) <=
               APFloat::semanticsMaxExponent(semantics);
  return containsFloat(cast<FloatType>(to), cast<FloatType>(from));
}

namespace {

/// A cast of an exact cast is one cast.
struct MergeCasts : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getX().getDefiningOp<CastOp>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "the operand is no cast");
    Type from = producer.getX().getType().getElementType();
    Type over = producer.getType().getElementType();
    Type to = op.getType().getElementType();
    // NOTE: a float is limited to the range of an integer, an integer wraps.
    bool differs = isa<IntegerType>(from) && isa<FloatType>(over) &&
                   isa<IntegerType>(to) && !to.isInteger(1) &&
                   !isExact(from, to);
    if (!isExact(from, over) || differs)
      return rewriter.notifyMatchFailure(op, "the first cast is not exact");
    Location loc = fuseLocations(producer, op);
    rewriter.replaceOp(
        op, CastOp::create(rewriter, loc, op.getType(), producer.getX()));
    return success();
  }
};

/// A selection by a constant, or between equal values.
struct DropSelect : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<APInt> condition = getSplatInteger(op.getCondition());
    if (!condition && op.getA() != op.getB())
      return rewriter.notifyMatchFailure(op, "the condition is no constant");
    rewriter.replaceOp(op, condition && condition->isZero() ? op.getB()
                                                            : op.getA());
    return success();
  }
};

/// A selection by not(c) is the other one by c.
struct SelectByNot : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto condition = op.getCondition().getDefiningOp<NotOp>();
    if (!condition)
      return rewriter.notifyMatchFailure(op, "the condition is no not");
    Location loc = fuseLocations(condition, op);
    auto select = SelectOp::create(rewriter, loc, op.getType(),
                                   condition.getX(), op.getB(), op.getA());
    rewriter.replaceOp(op, select);
    return success();
  }
};

} // namespace

void hamkaas::populateCastPatterns(RewritePatternSet &patterns) {
  patterns.add<MergeCasts, DropSelect, SelectByNot>(patterns.getContext());
}
