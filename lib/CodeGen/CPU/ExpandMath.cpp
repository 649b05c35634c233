//===- ExpandMath.cpp - Math functions as vector arithmetic -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandFloat16.h"
#include "ExpandFloat32Math.h"
#include "HamKaas/CodeGen/CPU/Passes.h"
#include "HamKaas/CodeGen/Kernel/ConvertThroughFloat32.h"
#include "HamKaas/CodeGen/Kernel/DescribeTarget.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/KernelFamily.h"
#include "HamKaas/Dialect/HamKaas/IR/OperandFacts.h"
#include "InterleaveChains.h"
#include "RoundToIntegers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace hamkaas {
#define GEN_PASS_DEF_EXPANDMATH
#include "HamKaas/CodeGen/CPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Vectors to interleave. Measured with AVX2 and AVX-512: two bring half of the
/// gain of four.
static constexpr int64_t interleavedChains = 4;

namespace {
/// Replaces a function by the result of `emit` on its argument.
template <typename OpTy, Value emit(Float32Builder &, Value)>
struct ExpandFloat32 : OpRewritePattern<OpTy> {
  ExpandFloat32(MLIRContext *context, Float32Features features)
      : OpRewritePattern<OpTy>(context), features(features) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not float32");
    Float32Builder f(rewriter, op.getLoc(), op.getType(), features);
    rewriter.replaceOp(op, emit(f, op.getOperand()));
    return success();
  }

private:
  Float32Features features;
};

/// The result for an operand that is NaN or at most 0, as its operation says or
/// as it can be seen.
struct ExpandExpOfNonPositive : OpRewritePattern<math::ExpOp> {
  ExpandExpOfNonPositive(MLIRContext *context, Float32Features features)
      : OpRewritePattern(context, /*benefit=*/2), features(features) {}

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not float32");
    auto negated = op.getOperand().getDefiningOp<arith::NegFOp>();
    bool isNegative =
        negated && negated.getOperand().getDefiningOp<math::AbsFOp>();
    bool isDifference = op->hasAttr(nonPositiveAttrName);
    if (!isNegative && !isDifference)
      return rewriter.notifyMatchFailure(op, "the operand may be above 0");
    Float32Builder f(rewriter, op.getLoc(), op.getType(), features);
    rewriter.replaceOp(op, isDifference
                               ? emitExpOfDifference(f, op.getOperand())
                               : emitExpOfNonPositive(f, op.getOperand()));
    return success();
  }

private:
  Float32Features features;
};

/// Vectors with a larger argument call libm for float64, which needs no
/// reduction of ours.
template <typename OpTy, int32_t quadrants>
struct ExpandSine : OpRewritePattern<OpTy> {
  ExpandSine(MLIRContext *context, Float32Features features)
      : OpRewritePattern<OpTy>(context), features(features) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    auto vector = dyn_cast<VectorType>(type);
    if (!getElementTypeOrSelf(type).isF32() ||
        (vector && vector.getRank() != 1))
      return rewriter.notifyMatchFailure(op, "expected a vector of float32");
    Location loc = op.getLoc();
    Value x = op.getOperand();
    Float32Builder f(rewriter, loc, type, features);
    Value isLarge = f.isLess(f.number(maxSineArgument), f.absolute(x));
    if (vector)
      isLarge = vector::ReductionOp::create(rewriter, loc,
                                            vector::CombiningKind::OR, isLarge);
    auto branch = scf::IfOp::create(
        rewriter, loc, isLarge,
        [&](OpBuilder &builder, Location loc) {
          Type wide = builder.getF64Type();
          if (vector)
            wide = vector.clone(wide);
          Value y = arith::ExtFOp::create(builder, loc, wide, x);
          y = arith::TruncFOp::create(builder, loc, type,
                                      OpTy::create(builder, loc, y));
          scf::YieldOp::create(builder, loc, y);
        },
        [&](OpBuilder &builder, Location loc) {
          Float32Builder inner(builder, loc, type, features);
          scf::YieldOp::create(builder, loc, emitSine(inner, x, quadrants));
        });
    rewriter.replaceOp(op, branch);
    return success();
  }

private:
  Float32Features features;
};

/// As in GELU. Where erf is near -1, the sum has lost the digits that a more
/// exact erf would have.
struct ExpandOnePlusErf : OpRewritePattern<arith::AddFOp> {
  ExpandOnePlusErf(MLIRContext *context, Float32Features features)
      : OpRewritePattern(context), features(features) {}

  LogicalResult matchAndRewrite(arith::AddFOp op,
                                PatternRewriter &rewriter) const override {
    auto erf = op.getLhs().getDefiningOp<math::ErfOp>();
    if (!erf || !erf->hasOneUse() || !matchPattern(op.getRhs(), m_OneFloat()) ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "expected erf(x) + 1 of float32");
    Float32Builder f(rewriter, op.getLoc(), op.getType(), features);
    rewriter.replaceOp(op, emitOnePlusErf(f, erf.getOperand()));
    return success();
  }

private:
  Float32Features features;
};

/// 1 / (1 + exp(-x)) as one function, of fewer roundings.
struct ExpandSigmoid : OpRewritePattern<arith::DivFOp> {
  ExpandSigmoid(MLIRContext *context, Float32Features features)
      : OpRewritePattern(context), features(features) {}

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    auto sum = op.getRhs().getDefiningOp<arith::AddFOp>();
    // Folding has moved the constant to the right.
    auto exp = sum ? sum.getLhs().getDefiningOp<math::ExpOp>() : nullptr;
    auto neg = exp ? exp.getOperand().getDefiningOp<arith::NegFOp>() : nullptr;
    if (!neg || !exp->hasOneUse() || !sum->hasOneUse() ||
        !matchPattern(op.getLhs(), m_OneFloat()) ||
        !matchPattern(sum.getRhs(), m_OneFloat()) ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "expected a sigmoid of float32");
    Float32Builder f(rewriter, op.getLoc(), op.getType(), features);
    rewriter.replaceOp(op, emitSigmoid(f, neg.getOperand()));
    return success();
  }

private:
  Float32Features features;
};

/// Without an instruction for it, LLVM would call fmaf of libm for each lane.
struct SplitFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    Value product =
        arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};

struct ExpandMathPass : hamkaas::impl::ExpandMathBase<ExpandMathPass> {
  using ExpandMathBase::ExpandMathBase;

  void runOnOperation() override {
    // NOTE: the driver of patterns folds, too, and @main must keep the views
    // that a plan is made of.
    if (!hasWork())
      return;
    FailureOr<TargetDescription> target = describeTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    MLIRContext *context = &getContext();
    llvm::SetVector<Block *> blocks;
    getOperation().walk([&](Operation *op) {
      if (isa<math::ExpOp, math::ErfOp, math::LogOp, math::TanhOp>(op))
        blocks.insert(op->getBlock());
    });
    Float32Features features{target->fma, target->scale};
    // Before the patterns of single functions.
    RewritePatternSet sums(context);
    sums.add<ExpandOnePlusErf, ExpandSigmoid>(context, features);
    if (failed(applyPatternsGreedily(getOperation(), std::move(sums))))
      return signalPassFailure();
    RewritePatternSet patterns(context);
    patterns.add<ExpandExpOfNonPositive, ExpandFloat32<math::ExpOp, emitExp>,
                 ExpandFloat32<math::ErfOp, emitErf>,
                 ExpandFloat32<math::LogOp, emitLog>,
                 ExpandFloat32<math::TanhOp, emitTanh>>(context, features);
    // Without multiply-adds, and on GPUs, there are functions of a library.
    if (target->fma && target->machine->l1Bytes > 0)
      patterns.add<ExpandSine<math::SinOp, 0>, ExpandSine<math::CosOp, 1>>(
          context, features);
    populateRoundToIntegersPatterns(patterns);
    // NOTE: every level of x86-64 with multiply-adds also converts float16.
    if (!target->fma) {
      patterns.add<SplitFma>(context);
      populateConvertThroughFloat32Patterns(patterns);
      populateExpandFloat16Patterns(patterns);
    }
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    for (Block *block : blocks)
      interleaveChains(*block, interleavedChains);
    // LLVM would undo that to save registers: sigmoid of 320 x 3000 takes 0.30
    // ms instead of 0.34 where it must not, `gelu` of 768 x 1024 0.42 instead
    // of 0.54, softplus 0.91 instead of 1.23 (AMD Zen 3).
    if (!blocks.empty() && target->hasFewRegisters() && isSimpleLoop())
      getOperation()->setAttr(HamKaasDialect::keepsOrderAttrName,
                              UnitAttr::get(context));
  }

private:
  /// Products depend on LLVM's order.
  bool isSimpleLoop() {
    std::optional<KernelFamily> family = getKernelFamily(getOperation());
    return family == KernelFamily::Elementwise || family == KernelFamily::Row;
  }

  bool hasWork() {
    return getOperation()
        .walk([](Operation *op) {
          bool isOfPatterns =
              isa_and_present<math::MathDialect>(op->getDialect()) ||
              isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp,
                  arith::UIToFPOp>(op);
          return isOfPatterns ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }
};
} // namespace
