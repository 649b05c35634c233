//===- SimplifyBroadcasts.cpp - Repeated operands ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "SimplifyPatterns.h"

using namespace mlir;
using namespace hamkaas;

/// The operand of a broadcast, null for any other value.
static Value getRepeated(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  return broadcast ? broadcast.getX() : Value();
}

namespace {

/// An operation repeats its rhs itself.
template <typename OpTy> struct BroadcastRhs : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Value repeated = getRepeated(op.getRhs());
    if (!repeated)
      return rewriter.notifyMatchFailure(op, "the rhs is no broadcast");
    Operation *broadcast = op.getRhs().getDefiningOp();
    rewriter.modifyOpInPlace(op, [&] {
      op.getRhsMutable().assign(repeated);
      op->setLoc(fuseLocations(broadcast, op));
    });
    return success();
  }
};

/// Makes a constant whose elements are equal, or a broadcast, the rhs.
template <typename OpTy> struct SwapOperands : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (op.getLhs().getType() != op.getRhs().getType() ||
        !isRepeated(op.getLhs()) || isRepeated(op.getRhs()))
      return rewriter.notifyMatchFailure(op, "the operands are in order");
    Value lhs = op.getLhs(), rhs = op.getRhs();
    rewriter.modifyOpInPlace(op, [&] {
      op.getLhsMutable().assign(rhs);
      op.getRhsMutable().assign(lhs);
      if constexpr (std::is_same_v<OpTy, CompareOp>)
        op.setPredicate(swap(op.getPredicate()));
    });
    return success();
  }

private:
  static bool isRepeated(Value value) {
    return getRepeated(value) || getConstantElements(value);
  }
  static ComparePredicate swap(ComparePredicate predicate) {
    switch (predicate) {
    case ComparePredicate::Lt:
      return ComparePredicate::Gt;
    case ComparePredicate::Le:
      return ComparePredicate::Ge;
    case ComparePredicate::Gt:
      return ComparePredicate::Lt;
    case ComparePredicate::Ge:
      return ComparePredicate::Le;
    default:
      return predicate;
    }
  }
};

/// broadcast(b) - x is neg(x) + b.
struct SwapSub : OpRewritePattern<SubOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SubOp op,
                                PatternRewriter &rewriter) const override {
    Value repeated = getRepeated(op.getLhs());
    if (!repeated || op.getRhs().getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "the lhs is no broadcast");
    Operation *broadcast = op.getLhs().getDefiningOp();
    Location loc = fuseLocations(broadcast, op);
    Value negative = NegOp::create(rewriter, op.getLoc(), op.getRhs());
    auto sum = AddOp::create(rewriter, loc, negative, repeated);
    rewriter.replaceOp(op, sum);
    return success();
  }
};

/// A constant whose elements are equal needs one of them as rhs.
template <typename OpTy> struct ShrinkSplat : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getRhs().getType());
    DenseElementsAttr elements = getConstantElements(op.getRhs());
    if (!elements || !elements.isSplat() || type.getNumElements() == 1)
      return rewriter.notifyMatchFailure(op, "the rhs is no repeated constant");
    auto small = type.clone(SmallVector<int64_t>(type.getRank(), 1));
    auto constant = ConstantOp::create(rewriter, op.getRhs().getLoc(),
                                       elements.resizeSplat(small));
    rewriter.modifyOpInPlace(op, [&] { op.getRhsMutable().assign(constant); });
    return success();
  }
};

template <typename... OpTys> void addRhsPatterns(RewritePatternSet &patterns) {
  patterns.add<BroadcastRhs<OpTys>..., ShrinkSplat<OpTys>...>(
      patterns.getContext());
}

} // namespace

void hamkaas::populateBroadcastPatterns(RewritePatternSet &patterns) {
  addRhsPatterns<AddOp, SubOp, MulOp, DivOp, MaxOp, MinOp, PowOp, RemOp, ModOp,
                 AndOp, OrOp, XorOp, ShiftLeftOp, ShiftRightOp, CompareOp>(
      patterns);
  patterns.add<SwapOperands<AddOp>, SwapOperands<MulOp>, SwapOperands<MaxOp>,
               SwapOperands<MinOp>, SwapOperands<AndOp>, SwapOperands<OrOp>,
               SwapOperands<XorOp>, SwapOperands<CompareOp>, SwapSub>(
      patterns.getContext());
}
