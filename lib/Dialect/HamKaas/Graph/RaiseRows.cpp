//===- RaiseRows.cpp - Normalizations and softmax ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RowOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "RaisePatterns.h"
#include "SimplifyPatterns.h"

using namespace mlir;
using namespace hamkaas;

static Value skipReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getX();
  return value;
}

/// The tensor whose rows `value`, one number a row, combines; null otherwise.
static Value getReduced(Value value, Combiner combiner) {
  auto reduce = skipReshapes(value).getDefiningOp<ReduceOp>();
  if (!reduce || reduce.getCombiner() != combiner)
    return nullptr;
  int64_t last = reduce.getX().getType().getRank() - 1;
  return reduce.getDims() == ArrayRef(last) ? reduce.getX() : Value();
}

/// The tensor of whose rows `value` is the mean: the sum, times 1 / n or
/// divided by n. Null otherwise.
static Value getAveraged(Value value) {
  Operation *op = skipReshapes(value).getDefiningOp();
  if (!isa_and_nonnull<MulOp, DivOp>(op))
    return nullptr;
  Value x = getReduced(op->getOperand(0), Combiner::Sum);
  if (!x)
    return nullptr;
  auto count = double(cast<RankedTensorType>(x.getType()).getShape().back());
  bool isMean =
      isNumber(op->getOperand(1), isa<MulOp>(op) ? 1.0 / count : count);
  return isMean ? x : Value();
}

/// The y of sqrt(y), or of y^0.5, which differ in negative numbers only.
static Value getSquared(Value value) {
  value = skipReshapes(value);
  if (auto root = value.getDefiningOp<SqrtOp>())
    return root.getX();
  auto pow = value.getDefiningOp<PowOp>();
  return pow && isNumber(pow.getRhs(), 0.5) ? pow.getLhs() : Value();
}

/// The y of x / sqrt(y), x * (1 / sqrt(y)) or x * y^-0.5, with x the lhs and y
/// one number for each of its rows.
static Value matchDividedByRoot(Operation *op) {
  Value divisor = getRowValue(op->getOperand(1), op->getOperand(0));
  if (!divisor)
    return nullptr;
  if (isa<DivOp>(op))
    return getSquared(divisor);
  auto pow = divisor.getDefiningOp<PowOp>();
  if (pow && isNumber(pow.getRhs(), -0.5))
    return pow.getLhs();
  Value inverted = getInverted(divisor);
  return inverted ? getSquared(inverted) : Value();
}

/// The epsilon of mean(x * x) + epsilon, with the mean of each row.
static std::optional<double> matchMeanSquare(Value value, Value x) {
  auto sum = skipReshapes(value).getDefiningOp<AddOp>();
  std::optional<APFloat> epsilon =
      sum ? getSplatFloat(sum.getRhs()) : std::nullopt;
  if (!epsilon || !epsilon->isFinite() || epsilon->isNegative())
    return std::nullopt;
  Value averaged = getAveraged(sum.getLhs());
  auto square = averaged ? averaged.getDefiningOp<MulOp>() : MulOp();
  if (!square || square.getLhs() != x || square.getRhs() != x)
    return std::nullopt;
  return epsilon->convertToDouble();
}

namespace {

/// (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon).
template <typename OpTy> struct RaiseLayerNorm : OpRewritePattern<OpTy> {
  // It is an RMS normalization of x - mean(x), too.
  RaiseLayerNorm(MLIRContext *context)
      : OpRewritePattern<OpTy>(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto centered = op.getLhs().template getDefiningOp<SubOp>();
    Value mean =
        centered ? getRowValue(centered.getRhs(), centered.getLhs()) : Value();
    if (!mean || getAveraged(mean) != centered.getLhs())
      return rewriter.notifyMatchFailure(op, "the lhs is not x - mean(x)");
    Value squared = matchDividedByRoot(op);
    std::optional<double> epsilon =
        squared ? matchMeanSquare(squared, centered) : std::nullopt;
    if (!epsilon)
      return rewriter.notifyMatchFailure(op, "the rhs is no deviation");
    Location loc = fuseLocations(centered, op);
    rewriter.replaceOp(
        op, LayerNormOp::create(rewriter, loc, op.getType(), centered.getLhs(),
                                rewriter.getF64FloatAttr(*epsilon)));
    return success();
  }
};

/// x / sqrt(mean(x * x) + epsilon), of float32. The gain of each column is 1.
template <typename OpTy> struct RaiseRmsNorm : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    Value squared =
        type.getElementType().isF32() ? matchDividedByRoot(op) : Value();
    std::optional<double> epsilon =
        squared ? matchMeanSquare(squared, op.getLhs()) : std::nullopt;
    if (!epsilon)
      return rewriter.notifyMatchFailure(op, "not x / sqrt(mean(x * x) + e)");
    Location loc = fuseLocations(squared.getDefiningOp(), op);
    auto gainType = type.clone({type.getShape().back()});
    Value gain = ConstantOp::create(rewriter, loc,
                                    DenseElementsAttr::get(gainType, 1.0f));
    rewriter.replaceOp(op,
                       RmsNormOp::create(rewriter, loc, op.getLhs(), gain,
                                         rewriter.getF64FloatAttr(*epsilon)));
    return success();
  }
};

/// rms_norm(x, 1) * w is rms_norm(x, w).
struct RaiseGain : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [normal, gain] : {std::pair(op.getLhs(), op.getRhs()),
                                std::pair(op.getRhs(), op.getLhs())}) {
      auto norm = normal.getDefiningOp<RmsNormOp>();
      if (!norm || !norm->hasOneUse() || !isNumber(norm.getW(), 1) ||
          norm.getType() != op.getType() || !isGain(gain, norm))
        continue;
      Location loc = fuseLocations(norm, op);
      Value w = ReshapeOp::create(rewriter, loc, norm.getW().getType(), gain);
      rewriter.replaceOp(op, RmsNormOp::create(rewriter, loc, norm.getX(), w,
                                               norm.getEpsilonAttr()));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "not rms_norm(x, 1) * w");
  }

private:
  /// Returns whether `gain` is one number for each column.
  static bool isGain(Value gain, RmsNormOp norm) {
    auto type = cast<RankedTensorType>(gain.getType());
    int64_t columns = norm.getType().getShape().back();
    return type.getShape().back() == columns &&
           type.getNumElements() == columns;
  }
};

/// exp(x - max(x)) / sum(exp(x - max(x))), or times 1 / sum.
template <typename OpTy> struct RaiseSoftmax : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto exponential = op.getLhs().template getDefiningOp<ExpOp>();
    auto shifted = exponential
                       ? exponential.getX().template getDefiningOp<SubOp>()
                       : SubOp();
    if (!shifted || !op.getType().getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "the lhs is not exp(x - y)");
    Value x = shifted.getLhs();
    Value largest = getRowValue(shifted.getRhs(), x);
    if (!largest || getReduced(largest, Combiner::Max) != x)
      return rewriter.notifyMatchFailure(op, "the lhs is not exp(x - max(x))");
    Value divisor = getRowValue(op.getRhs(), x);
    if (divisor && isa<MulOp>(op))
      divisor = getInverted(divisor);
    if (!divisor ||
        getReduced(divisor, Combiner::Sum) != exponential.getResult())
      return rewriter.notifyMatchFailure(op, "the rhs is not the sum");
    Location loc = fuseLocations(shifted, op);
    auto prefix = rewriter.getI64IntegerAttr(op.getType().getShape().back());
    rewriter.replaceOp(op,
                       SlicedSoftmaxOp::create(rewriter, loc, op.getType(), x,
                                               Value(), prefix, UnitAttr()));
    return success();
  }
};

} // namespace

void hamkaas::populateRaiseRowPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseLayerNorm<DivOp>, RaiseLayerNorm<MulOp>,
               RaiseRmsNorm<DivOp>, RaiseRmsNorm<MulOp>, RaiseGain,
               RaiseSoftmax<DivOp>, RaiseSoftmax<MulOp>>(patterns.getContext());
}
