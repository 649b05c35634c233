//===- SimplifyArithmetic.cpp - Algebra of numbers --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "SimplifyPatterns.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Neutral operands
//===----------------------------------------------------------------------===//

/// The float that leaves any lhs of the operation as it is, bit by bit.
static std::optional<double> getNeutralFloat(Operation *op) {
  if (isa<MulOp, DivOp, PowOp>(op))
    return 1.0;
  // NOTE: -0.0 + 0.0 is 0.0, but x + -0.0 and x - 0.0 are x.
  if (isa<AddOp>(op))
    return -0.0;
  if (isa<SubOp>(op))
    return 0.0;
  if (isa<MaxOp>(op))
    return -std::numeric_limits<double>::infinity();
  if (isa<MinOp>(op))
    return std::numeric_limits<double>::infinity();
  return std::nullopt;
}

static bool isNeutralFloat(Operation *op, const APFloat &value) {
  std::optional<double> neutral = getNeutralFloat(op);
  if (!neutral)
    return false;
  APFloat expected(*neutral);
  bool losesInfo;
  expected.convert(value.getSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
  return value.bitwiseIsEqual(expected);
}

static bool isNeutralInteger(Operation *op, const APInt &value) {
  if (isa<MulOp, DivOp>(op))
    return value.isOne();
  if (isa<AndOp>(op))
    return value.isAllOnes();
  return isa<AddOp, SubOp, OrOp, XorOp, ShiftLeftOp, ShiftRightOp>(op) &&
         value.isZero();
}

namespace {

template <typename OpTy> struct DropNeutralOperand : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    bool isNeutral = false;
    if (std::optional<APFloat> value = getSplatFloat(op.getRhs()))
      isNeutral = isNeutralFloat(op, *value);
    else if (std::optional<APInt> value = getSplatInteger(op.getRhs()))
      isNeutral = isNeutralInteger(op, *value);
    if (!isNeutral)
      return rewriter.notifyMatchFailure(op, "the rhs is not neutral");
    rewriter.replaceOp(op, op.getLhs());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Pairs of operations
//===----------------------------------------------------------------------===//

/// not(not(x)) and neg(neg(x)).
template <typename OpTy> struct DropPair : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getX().template getDefiningOp<OpTy>();
    if (!producer)
      return rewriter.notifyMatchFailure(op,
                                         "the operand is no such operation");
    rewriter.replaceOp(op, producer.getX());
    return success();
  }
};

/// abs(abs(x)) and abs(neg(x)) are abs(x).
struct SimplifyAbs : OpRewritePattern<AbsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AbsOp op,
                                PatternRewriter &rewriter) const override {
    Operation *producer = op.getX().getDefiningOp();
    if (!isa_and_nonnull<AbsOp, NegOp>(producer))
      return rewriter.notifyMatchFailure(op, "the operand is no abs or neg");
    rewriter.modifyOpInPlace(op, [&] {
      op.getXMutable().assign(producer->getOperand(0));
      op->setLoc(fuseLocations(producer, op));
    });
    return success();
  }
};

/// x + neg(y) is x - y, and x - neg(y) is x + y.
template <typename OpTy, typename OppositeOp>
struct AbsorbNeg : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto neg = op.getRhs().template getDefiningOp<NegOp>();
    if (!neg)
      return rewriter.notifyMatchFailure(op, "the rhs is no neg");
    Location loc = fuseLocations(neg, op);
    auto opposite = OppositeOp::create(rewriter, loc, op.getLhs(), neg.getX());
    rewriter.replaceOp(op, opposite);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// x * -1 is neg(x).
struct MulToNeg : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<APFloat> value = getSplatFloat(op.getRhs());
    if (!value || !value->isExactlyValue(-1.0))
      return rewriter.notifyMatchFailure(op, "the rhs is not -1");
    rewriter.replaceOpWithNewOp<NegOp>(op, op.getLhs());
    return success();
  }
};

/// x / c is x * (1 / c) where 1 / c is exact: for powers of two.
struct DivToMul : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    DenseElementsAttr divisors = getConstantElements(op.getRhs());
    if (!divisors || !isa<FloatType>(divisors.getElementType()))
      return rewriter.notifyMatchFailure(op, "the divisor is no constant");
    SmallVector<APFloat> inverses;
    if (divisors.isSplat()) {
      if (!addInverse(divisors.getSplatValue<APFloat>(), inverses))
        return rewriter.notifyMatchFailure(op, "the inverse is not exact");
    } else {
      for (const APFloat &divisor : divisors.getValues<APFloat>())
        if (!addInverse(divisor, inverses))
          return rewriter.notifyMatchFailure(op, "an inverse is not exact");
    }
    auto factors = ConstantOp::create(
        rewriter, op.getRhs().getLoc(),
        DenseElementsAttr::get(divisors.getType(), inverses));
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getLhs(), factors);
    return success();
  }

private:
  static bool addInverse(const APFloat &value,
                         SmallVectorImpl<APFloat> &inverses) {
    APFloat inverse(0.0);
    if (!value.getExactInverse(&inverse))
      return false;
    inverses.push_back(inverse);
    return true;
  }
};

/// x^2 is x * x: a product is rounded no worse than a power. So is x^3 as
/// x * x * x, unless the type has few bits.
struct PowToMul : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PowOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<APFloat> value = getSplatFloat(op.getRhs());
    bool isSquare = value && value->isExactlyValue(2.0);
    bool isWide = op.getType().getElementTypeBitWidth() >= 32;
    if (!isSquare && !(value && isWide && value->isExactlyValue(3.0)))
      return rewriter.notifyMatchFailure(op, "the exponent is not 2 or 3");
    Value x = op.getLhs();
    Value product = MulOp::create(rewriter, op.getLoc(), x, x);
    if (!isSquare)
      product = MulOp::create(rewriter, op.getLoc(), product, x);
    rewriter.replaceOp(op, product);
    return success();
  }
};

} // namespace

void hamkaas::populateArithmeticPatterns(RewritePatternSet &patterns) {
  patterns.add<DropNeutralOperand<AddOp>, DropNeutralOperand<SubOp>,
               DropNeutralOperand<MulOp>, DropNeutralOperand<DivOp>,
               DropNeutralOperand<PowOp>, DropNeutralOperand<MaxOp>,
               DropNeutralOperand<MinOp>, DropNeutralOperand<AndOp>,
               DropNeutralOperand<OrOp>, DropNeutralOperand<XorOp>,
               DropNeutralOperand<ShiftLeftOp>,
               DropNeutralOperand<ShiftRightOp>, DropPair<NotOp>,
               DropPair<NegOp>, SimplifyAbs, AbsorbNeg<AddOp, SubOp>,
               AbsorbNeg<SubOp, AddOp>, MulToNeg, DivToMul, PowToMul>(
      patterns.getContext());
}
