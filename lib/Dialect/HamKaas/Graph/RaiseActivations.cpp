//===- RaiseActivations.cpp - Sigmoid and SiLU ------------------*- C++ -*-===//
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

} // namespace

void hamkaas::populateRaiseActivationPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseSigmoid<DivOp>, RaiseSigmoid<PowOp>, RaiseSiluProduct,
               RaiseSiluQuotient>(patterns.getContext());
}

void hamkaas::findMissedActivation(Operation *op, MissedFn missed) {
  Value divisor =
      isa<DivOp, PowOp>(op) ? getInverted(op->getResult(0)) : Value();
  Value x;
  if (getShiftedExponential(divisor))
    missed("sigmoid", op, matchLogisticDivisor(divisor, x));
}
