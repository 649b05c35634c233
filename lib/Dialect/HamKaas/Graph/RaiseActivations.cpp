//===- RaiseActivations.cpp - Sigmoid, SiLU, Mish ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "RaisePatterns.h"
#include "SimplifyPatterns.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hamkaas;

/// The exp(x) of a number + exp(x); null otherwise.
static ExpOp getShiftedExponential(Value value) {
  auto sum = value ? value.getDefiningOp<AddOp>() : AddOp();
  return sum && getSplatFloat(sum.getRhs())
             ? sum.getLhs().getDefiningOp<ExpOp>()
             : ExpOp();
}

/// Finds the x of 1 + exp(-x).
static Mismatch matchLogisticDivisor(Value value, Value &x) {
  ExpOp exponential = getShiftedExponential(value);
  if (!exponential)
    return {"the divisor is not 1 + exp(-x)"};
  auto sum = value.getDefiningOp<AddOp>();
  if (!isNumber(sum.getRhs(), 1.0))
    return {"the number added to the exponential is not 1", sum};
  auto negative = exponential.getX().getDefiningOp<NegOp>();
  if (!negative)
    return {"the exponent is not negated", exponential};
  x = negative.getX();
  return {};
}

namespace {
/// Matches a number, repeated or not.
struct NumberMatcher {
  double number;
  bool match(Value value) const {
    return isNumber(skipRepetition(value), number);
  }
};
} // namespace

/// The x of max(x, 0) + log1p(exp(-|x|)), as frontends compose softplus; null
/// if `value` is something else.
static Value matchSoftplus(Value value) {
  auto sum = value.getDefiningOp<AddOp>();
  auto positive = sum ? sum.getLhs().getDefiningOp<MaxOp>() : MaxOp();
  auto log1p = sum ? sum.getRhs().getDefiningOp<SelectOp>() : SelectOp();
  auto isTiny =
      log1p ? log1p.getCondition().getDefiningOp<CompareOp>() : CompareOp();
  if (!positive || !isTiny || isTiny.getPredicate() != ComparePredicate::Eq)
    return {};
  using matchers::m_Val;
  Value x = positive.getLhs(), power = log1p.getA();
  NumberMatcher one{1};
  auto shifted = m_Op<AddOp>(m_Val(power), one);
  auto divisor = m_Op<SelectOp>(m_Val(isTiny), one, m_Op<SubOp>(shifted, one));
  auto quotient = m_Op<DivOp>(m_Val(power), divisor);
  bool matches =
      isNumber(positive.getRhs(), 0) &&
      matchPattern(power, m_Op<ExpOp>(m_Op<NegOp>(m_Op<AbsOp>(m_Val(x))))) &&
      matchPattern(isTiny.getOperation(), m_Op<CompareOp>(shifted, one)) &&
      matchPattern(log1p.getB(), m_Op<MulOp>(m_Op<LogOp>(shifted), quotient));
  return matches ? x : Value();
}

namespace {

/// 1 / (1 + exp(-x)).
template <typename OpTy> struct RaiseSigmoid : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Value x;
    if (Mismatch mismatch = matchLogisticDivisor(getInverted(op), x))
      return rewriter.notifyMatchFailure(op, mismatch.reason);
    rewriter.replaceOpWithNewOp<SigmoidOp>(op, x);
    return success();
  }
};

/// x * sigmoid(x).
struct RaiseSiluProduct : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [x, other] : {std::pair(op.getLhs(), op.getRhs()),
                            std::pair(op.getRhs(), op.getLhs())}) {
      auto sigmoid = other.getDefiningOp<SigmoidOp>();
      if (!sigmoid || sigmoid.getX() != x)
        continue;
      Location loc = fuseLocations(sigmoid, op);
      rewriter.replaceOp(op, SiluOp::create(rewriter, loc, x));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "not x * sigmoid(x)");
  }
};

/// x / (1 + exp(-x)).
struct RaiseSiluQuotient : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    Value x;
    if (Mismatch mismatch = matchLogisticDivisor(op.getRhs(), x))
      return rewriter.notifyMatchFailure(op, mismatch.reason);
    if (x != op.getLhs())
      return rewriter.notifyMatchFailure(op, "the dividend is not x");
    rewriter.replaceOpWithNewOp<SiluOp>(op, op.getLhs());
    return success();
  }
};

/// tanh(softplus(x)), the factor of Mish, with one exponential: of
/// p = exp(x) and n = p (p + 2) it is n / (n + 2). That is 1 long before p^2
/// overflows.
struct RaiseTanhOfSoftplus : OpRewritePattern<TanhOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TanhOp op,
                                PatternRewriter &rewriter) const override {
    static constexpr double saturated = 20;
    RankedTensorType type = op.getType();
    Type element = type.getElementType();
    Value x = matchSoftplus(op.getX());
    if (!x || !(element.isF32() || element.isF64()))
      return rewriter.notifyMatchFailure(op, "not tanh(softplus(x))");
    Location loc = fuseLocations(op.getX().getDefiningOp(), op);
    auto number = [&](double value) {
      APFloat converted(value);
      bool losesInfo = false;
      converted.convert(cast<FloatType>(element).getFloatSemantics(),
                        APFloat::rmNearestTiesToEven, &losesInfo);
      return createSplat(rewriter, loc, type.getRank(), element, converted);
    };
    Value clamped = MinOp::create(rewriter, loc, x, number(saturated));
    Value power = ExpOp::create(rewriter, loc, clamped);
    Value two = number(2);
    Value n = MulOp::create(rewriter, loc, power,
                            AddOp::create(rewriter, loc, power, two));
    rewriter.replaceOpWithNewOp<DivOp>(op, n,
                                       AddOp::create(rewriter, loc, n, two));
    return success();
  }
};

} // namespace

void hamkaas::populateRaiseActivationPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseSigmoid<DivOp>, RaiseSigmoid<PowOp>, RaiseSiluProduct,
               RaiseSiluQuotient, RaiseTanhOfSoftplus>(patterns.getContext());
}

void hamkaas::findMissedActivation(Operation *op, MissedFn missed) {
  Value divisor =
      isa<DivOp, PowOp>(op) ? getInverted(op->getResult(0)) : Value();
  Value x;
  if (getShiftedExponential(divisor))
    missed("sigmoid", op, matchLogisticDivisor(divisor, x));
}
