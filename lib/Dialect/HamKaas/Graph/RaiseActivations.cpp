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

/// The x of 1 + exp(-x); null otherwise.
static Value matchLogisticDivisor(Value value) {
  auto sum = value.getDefiningOp<AddOp>();
  if (!sum || !isNumber(sum.getRhs(), 1.0))
    return nullptr;
  auto exponential = sum.getLhs().getDefiningOp<ExpOp>();
  if (!exponential)
    return nullptr;
  auto negative = exponential.getX().getDefiningOp<NegOp>();
  return negative ? negative.getX() : Value();
}

namespace {

/// 1 / (1 + exp(-x)).
template <typename OpTy> struct RaiseSigmoid : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Value divisor = getInverted(op);
    Value x = divisor ? matchLogisticDivisor(divisor) : Value();
    if (!x)
      return rewriter.notifyMatchFailure(op, "not 1 / (1 + exp(-x))");
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
    if (matchLogisticDivisor(op.getRhs()) != op.getLhs())
      return rewriter.notifyMatchFailure(op, "not x / (1 + exp(-x))");
    rewriter.replaceOpWithNewOp<SiluOp>(op, op.getLhs());
    return success();
  }
};

} // namespace

void hamkaas::populateRaiseActivationPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseSigmoid<DivOp>, RaiseSigmoid<PowOp>, RaiseSiluProduct,
               RaiseSiluQuotient>(patterns.getContext());
}
