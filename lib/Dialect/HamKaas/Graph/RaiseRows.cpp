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

/// The y of x / sqrt(y), x * (1 / sqrt(y)) or x * y^-0.5, with x the lhs of
/// `op` and `divisor` its rhs, but for its shape.
static Value getRooted(Operation *op, Value divisor) {
  if (isa<DivOp>(op))
    return getSquared(divisor);
  auto pow = divisor.getDefiningOp<PowOp>();
  if (pow && isNumber(pow.getRhs(), -0.5))
    return pow.getLhs();
  Value inverted = getInverted(divisor);
  return inverted ? getSquared(inverted) : Value();
}

/// Matches x / sqrt(mean(x * x) + epsilon), with the mean of each row.
static Mismatch matchRmsNorm(Operation *op, Operation *&root, double &epsilon) {
  Value x = op->getOperand(0);
  Value divisor = getRowValue(op->getOperand(1), x);
  if (!divisor)
    return {"the divisor is not one number for each row", op};
  Value rooted = getRooted(op, divisor);
  if (!rooted)
    return {"the divisor is no square root", divisor.getDefiningOp()};
  root = rooted.getDefiningOp();
  auto sum = skipReshapes(rooted).getDefiningOp<AddOp>();
  if (!sum)
    return {"no epsilon is added under the root", root};
  std::optional<APFloat> added = getSplatFloat(sum.getRhs());
  if (!added || !added->isFinite() || added->isNegative())
    return {"the epsilon is not one finite number of at least 0", sum};
  Value averaged = getAveraged(sum.getLhs());
  if (!averaged)
    return {"the epsilon is not added to the mean of each row", sum};
  auto square = averaged.getDefiningOp<MulOp>();
  if (!square || square.getLhs() != x || square.getRhs() != x)
    return {"the mean is not that of the squares of the dividend", sum};
  epsilon = added->convertToDouble();
  return {};
}

/// Matches (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon).
static Mismatch matchLayerNorm(Operation *op, double &epsilon) {
  auto centered = op->getOperand(0).getDefiningOp<SubOp>();
  if (!centered)
    return {"the dividend is not x - mean(x)"};
  Value mean = getRowValue(centered.getRhs(), centered.getLhs());
  if (!mean || getAveraged(mean) != centered.getLhs())
    return {"what is subtracted is not the mean of each row", centered};
  Operation *root = nullptr;
  return matchRmsNorm(op, root, epsilon);
}

/// Matches exp(x - max(x)) / sum(exp(x - max(x))) for each row.
static Mismatch matchSoftmax(Operation *op, SubOp &shifted) {
  auto exponential = op->getOperand(0).getDefiningOp<ExpOp>();
  if (!exponential)
    return {"the dividend is not exp(x)"};
  if (!exponential.getType().getElementType().isF32())
    return {"the elements are not float32", op};
  shifted = exponential.getX().getDefiningOp<SubOp>();
  if (!shifted)
    return {"nothing is subtracted from the exponent", exponential};
  Value x = shifted.getLhs();
  Value largest = getRowValue(shifted.getRhs(), x);
  if (!largest || getReduced(largest, Combiner::Max) != x)
    return {"what is subtracted is not the maximum of each row", shifted};
  Value divisor = getRowValue(op->getOperand(1), x);
  if (divisor && isa<MulOp>(op))
    divisor = getInverted(divisor);
  if (!divisor || getReduced(divisor, Combiner::Sum) != exponential.getResult())
    return {"the divisor is not the sum of each row", op};
  return {};
}

/// Returns whether `gain` is one number for each column.
static bool isGain(Value gain, RmsNormOp norm) {
  auto type = cast<RankedTensorType>(gain.getType());
  int64_t columns = norm.getType().getShape().back();
  return type.getNumElements() == columns && type.getShape().back() == columns;
}

/// The rms_norm(x, 1) and the w that `op` multiplies; null if it does not.
static std::pair<RmsNormOp, Value> getGain(MulOp op) {
  for (auto [normal, gain] : {std::pair(op.getLhs(), op.getRhs()),
                              std::pair(op.getRhs(), op.getLhs())}) {
    auto norm = normal.getDefiningOp<RmsNormOp>();
    if (norm && isNumber(norm.getW(), 1) && norm.getType() == op.getType() &&
        isGain(gain, norm))
      return {norm, gain};
  }
  return {};
}

static Mismatch matchGain(RmsNormOp norm) {
  if (!norm->hasOneUse())
    return {"something else needs the rows without their gain", norm};
  return {};
}

namespace {

/// (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon).
template <typename OpTy> struct RaiseLayerNorm : OpRewritePattern<OpTy> {
  // It is an RMS normalization of x - mean(x), too.
  RaiseLayerNorm(MLIRContext *context)
      : OpRewritePattern<OpTy>(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    double epsilon;
    if (Mismatch mismatch = matchLayerNorm(op, epsilon))
      return rewriter.notifyMatchFailure(op, mismatch.reason);
    auto centered = op.getLhs().template getDefiningOp<SubOp>();
    Location loc = fuseLocations(centered, op);
    rewriter.replaceOp(
        op, LayerNormOp::create(rewriter, loc, op.getType(), centered.getLhs(),
                                rewriter.getF64FloatAttr(epsilon)));
    return success();
  }
};

/// x / sqrt(mean(x * x) + epsilon), of float32. The gain of each column is 1.
template <typename OpTy> struct RaiseRmsNorm : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    if (!type.getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "the elements are not float32");
    Operation *root = nullptr;
    double epsilon;
    if (Mismatch mismatch = matchRmsNorm(op, root, epsilon))
      return rewriter.notifyMatchFailure(op, mismatch.reason);
    Location loc = fuseLocations(root, op);
    auto gainType = type.clone({type.getShape().back()});
    Value gain = ConstantOp::create(rewriter, loc,
                                    DenseElementsAttr::get(gainType, 1.0f));
    rewriter.replaceOp(op,
                       RmsNormOp::create(rewriter, loc, op.getLhs(), gain,
                                         rewriter.getF64FloatAttr(epsilon)));
    return success();
  }
};

/// rms_norm(x, 1) * w is rms_norm(x, w).
struct RaiseGain : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    auto [norm, gain] = getGain(op);
    if (!norm)
      return rewriter.notifyMatchFailure(op, "not rms_norm(x, 1) * w");
    if (Mismatch mismatch = matchGain(norm))
      return rewriter.notifyMatchFailure(op, mismatch.reason);
    Location loc = fuseLocations(norm, op);
    Value w = ReshapeOp::create(rewriter, loc, norm.getW().getType(), gain);
    rewriter.replaceOp(op, RmsNormOp::create(rewriter, loc, norm.getX(), w,
                                             norm.getEpsilonAttr()));
    return success();
  }
};

/// exp(x - max(x)) / sum(exp(x - max(x))), or times 1 / sum.
template <typename OpTy> struct RaiseSoftmax : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    SubOp shifted;
    if (Mismatch mismatch = matchSoftmax(op, shifted))
      return rewriter.notifyMatchFailure(op, mismatch.reason);
    Location loc = fuseLocations(shifted, op);
    auto prefix = rewriter.getI64IntegerAttr(op.getType().getShape().back());
    rewriter.replaceOp(op, SlicedSoftmaxOp::create(rewriter, loc, op.getType(),
                                                   shifted.getLhs(), Value(),
                                                   prefix, UnitAttr()));
    return success();
  }
};

} // namespace

void hamkaas::populateRaiseRowPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseLayerNorm<DivOp>, RaiseLayerNorm<MulOp>,
               RaiseRmsNorm<DivOp>, RaiseRmsNorm<MulOp>, RaiseGain,
               RaiseSoftmax<DivOp>, RaiseSoftmax<MulOp>>(patterns.getContext());
}

//===----------------------------------------------------------------------===//
// Near misses
//===----------------------------------------------------------------------===//

/// The tensor that `value` sums, over any dimensions; the sum may be multiplied
/// by numbers, and numbers added. Null if there is no sum.
static Value getSummed(Value value) {
  while (Operation *op = skipRepetition(value).getDefiningOp()) {
    auto reduce = dyn_cast<ReduceOp>(op);
    if (reduce)
      return reduce.getCombiner() == Combiner::Sum ? reduce.getX() : Value();
    if (!isa<AddOp, MulOp, DivOp>(op) || !getSplatFloat(op->getOperand(1)))
      return nullptr;
    value = op->getOperand(0);
  }
  return nullptr;
}

/// Returns whether `value` is x - mean(x), over any dimensions.
static bool isLikeCentered(Value value) {
  auto sub = value.getDefiningOp<SubOp>();
  return sub && getSummed(sub.getRhs()) == sub.getLhs();
}

/// Returns whether `op` divides by a root as a normalization does: that of a
/// mean of squares, or anything that follows a mean. A sum of squares alone is
/// that of a length.
static bool isLikeNorm(Operation *op) {
  Value rooted = getRooted(op, skipRepetition(op->getOperand(1)));
  if (!rooted)
    return false;
  if (isLikeCentered(op->getOperand(0)))
    return true;
  Value summed = getSummed(rooted);
  auto square = summed ? summed.getDefiningOp<MulOp>() : MulOp();
  return square && square.getLhs() == square.getRhs() &&
         !skipRepetition(rooted).getDefiningOp<ReduceOp>();
}

/// Returns whether `op` divides exp(x) by a sum of it, over any dimensions.
static bool isLikeSoftmax(Operation *op) {
  if (!op->getOperand(0).getDefiningOp<ExpOp>())
    return false;
  Value divisor = skipRepetition(op->getOperand(1));
  if (isa<MulOp>(op))
    divisor = getInverted(divisor);
  return divisor && getSummed(divisor) == op->getOperand(0);
}

static Mismatch matchNorm(Operation *op) {
  Operation *root = nullptr;
  double epsilon;
  if (isLikeCentered(op->getOperand(0)))
    return matchLayerNorm(op, epsilon);
  if (!getElementTypeOrSelf(op->getResult(0)).isF32())
    return {"the elements are not float32", op};
  return matchRmsNorm(op, root, epsilon);
}

void hamkaas::findMissedRow(Operation *op, MissedFn missed) {
  if (!isa<MulOp, DivOp>(op))
    return;
  SubOp shifted;
  if (isLikeNorm(op)) {
    bool isLayer = isLikeCentered(op->getOperand(0));
    missed(isLayer ? llvm::StringLiteral("layer_norm")
                   : llvm::StringLiteral("rms_norm"),
           op, matchNorm(op));
  } else if (isLikeSoftmax(op)) {
    missed("sliced_softmax", op, matchSoftmax(op, shifted));
  } else if (auto mul = dyn_cast<MulOp>(op)) {
    if (RmsNormOp norm = getGain(mul).first)
      missed("rms_norm", op, matchGain(norm));
  }
}
