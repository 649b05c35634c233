//===- ExpandMath.cpp - Math functions as vector arithmetic -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandFloat16.h"
#include "HamKaas/CodeGen/CPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace hamkaas {
#define GEN_PASS_DEF_EXPANDMATH
#include "HamKaas/CodeGen/CPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {
/// Arithmetic on values of one float32 type, scalar or vector, and on integers
/// of the same shape.
class Float32Builder {
public:
  Float32Builder(OpBuilder &builder, Location loc, Type type)
      : builder(loc, builder), type(type) {
    Type i32 = this->builder.getI32Type();
    auto vector = dyn_cast<VectorType>(type);
    integerType = vector ? vector.clone(i32) : i32;
  }

  Value number(double value) { return splat(builder.getF32FloatAttr(value)); }
  Value integer(int32_t value) {
    return splat(builder.getI32IntegerAttr(value));
  }
  Value add(Value a, Value b) { return arith::AddFOp::create(builder, a, b); }
  Value subtract(Value a, Value b) {
    return arith::SubFOp::create(builder, a, b);
  }
  Value multiply(Value a, Value b) {
    return arith::MulFOp::create(builder, a, b);
  }
  /// `a * b + c`; fused where the target can, so either rounding must do.
  Value multiplyAdd(Value a, Value b, Value c) {
    if (fused)
      return math::FmaOp::create(builder, a, b, c);
    return add(multiply(a, b), c);
  }
  /// Keeps NaN, unlike the lesser of two numbers in most readings.
  Value clamp(Value x, double low, double high) {
    Value lowest = number(low), highest = number(high);
    x = select(arith::CmpFPredicate::OLT, x, lowest, lowest, x);
    return select(arith::CmpFPredicate::OGT, x, highest, highest, x);
  }
  Value bits(Value x) {
    return arith::BitcastOp::create(builder, integerType, x);
  }
  Value fromBits(Value x) { return arith::BitcastOp::create(builder, type, x); }
  Value shiftLeft(Value x, int32_t by) {
    return arith::ShLIOp::create(builder, x, integer(by));
  }
  Value shiftRight(Value x, int32_t by) {
    return arith::ShRUIOp::create(builder, x, integer(by));
  }
  Value subtractIntegers(Value a, Value b) {
    return arith::SubIOp::create(builder, a, b);
  }

  bool fused = true;

private:
  Value select(arith::CmpFPredicate predicate, Value a, Value b, Value ifTrue,
               Value ifFalse) {
    Value condition = arith::CmpFOp::create(builder, predicate, a, b);
    return arith::SelectOp::create(builder, condition, ifTrue, ifFalse);
  }
  Value splat(TypedAttr value) {
    Type scalar = value.getType();
    if (auto vector = dyn_cast<VectorType>(type))
      value = DenseElementsAttr::get(vector.clone(scalar), Attribute(value));
    return arith::ConstantOp::create(builder, value);
  }

  ImplicitLocOpBuilder builder;
  Type type, integerType;
};

/// `x * 2^n` of float32 by one instruction of AVX-512, with one rounding.
Value emitScale(OpBuilder &builder, Location loc, Value x, Value n) {
  auto type = cast<VectorType>(x.getType());
  int64_t lanes = type.getNumElements();
  auto integer = [&](unsigned width, int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, width);
  };
  // All lanes, so the third operand, which others would keep, is none.
  SmallVector<Value> operands{x, n, x,
                              integer(std::max<int64_t>(lanes, 8), -1)};
  if (lanes == 16)
    operands.push_back(integer(32, /*the current rounding=*/4));
  auto name = builder.getStringAttr("llvm.x86.avx512.mask.scalef.ps." +
                                    Twine(32 * lanes));
  return LLVM::CallIntrinsicOp::create(builder, loc, type, name, operands)
      .getResult(0);
}

/// exp(x) = 2^n * exp(r) with n the integer nearest to x / ln 2 and |r| at most
/// half of ln 2; exp(r) by a polynomial whose error relative to exp(r) is the
/// least there is for its degree, 3e-9. The error is below 2 ulp everywhere,
/// subnormal results included.
struct ExpandExp : OpRewritePattern<math::ExpOp> {
  ExpandExp(MLIRContext *context, bool fused, bool scales)
      : OpRewritePattern(context), fused(fused), scales(scales) {}

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not float32");
    Float32Builder f(rewriter, op.getLoc(), op.getType());
    f.fused = fused;
    auto vector = dyn_cast<VectorType>(op.getType());
    bool hasScale = scales && vector &&
                    llvm::is_contained({4, 8, 16}, vector.getNumElements());
    // Beyond these bounds the result is 0 or infinite anyway. NaN passes
    // through every step below, as no float is ever converted to an integer.
    Value x = f.clamp(op.getOperand(), -105.0, 89.0);

    // Adding this rounds to an integer, which is then in the low bits. They are
    // offset by 254, twice the exponent's bias, for the halving below.
    Value magic = f.number(hasScale ? 12582912.0 : 12582912.0 + 254.0);
    Value shifted = f.multiplyAdd(x, f.number(1.44269504088896341), magic);
    Value n = f.subtract(shifted, magic);
    // ln 2 in two parts, the first so short that its multiples are exact.
    Value r = f.multiplyAdd(n, f.number(-0.693359375), x);
    r = f.multiplyAdd(n, f.number(2.12194440e-4), r);

    Value p = f.number(1.3814540579915047e-3);
    for (double coefficient :
         {8.36874544620514e-3, 4.166838899254799e-2, 1.666652113199234e-1,
          4.999999403953552e-1, 1.0, 1.0})
      p = f.multiplyAdd(p, r, f.number(coefficient));
    rewriter.replaceOp(op, hasScale ? emitScale(rewriter, op.getLoc(), p, n)
                                    : scaleInTwoSteps(f, p, shifted));
    return success();
  }

private:
  /// Two factors of about 2^(n/2) each: 2^n itself need not be a normal number.
  /// Their exponents are n/2 + 127, rounded down and up.
  static Value scaleInTwoSteps(Float32Builder &f, Value p, Value shifted) {
    Value bits = f.bits(shifted);
    Value half = f.shiftRight(bits, 1);
    Value otherHalf = f.subtractIntegers(bits, half);
    Value scaled = f.multiply(p, f.fromBits(f.shiftLeft(half, 23)));
    return f.multiply(scaled, f.fromBits(f.shiftLeft(otherHalf, 23)));
  }

  bool fused, scales;
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
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<ExpandExp>(context, fma, scale);
    // NOTE: every level of x86-64 with multiply-adds also converts float16.
    if (!fma) {
      patterns.add<SplitFma>(context);
      populateExpandFloat16Patterns(patterns);
    }
    // Those of upstream that are as accurate as float32 allows.
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return name == math::ErfOp::getOperationName() ||
             name == math::LogOp::getOperationName() ||
             name == math::TanhOp::getOperationName();
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
