//===- RoundToIntegers.cpp - Rounding that ends in integers -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantization rounds, adds the zero point, limits the sum to the numbers of
// the type and converts it towards zero. The conversion that rounds does two of
// these steps in one instruction, which leaves the zero point to integers:
//
//   limit(round(x) + z, least, most) = round(limit(x, least - z, most - z)) + z
//
// for integers `z`, `least` and `most`, as rounding keeps the order of numbers
// and leaves integers as they are. Where the sum itself is rounded, both sides
// are beyond the limits.
//
//===----------------------------------------------------------------------===//

#include "RoundToIntegers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hamkaas;

using arith::CmpFPredicate;

/// Integers up to it are float32 numbers, and so are their sums and
/// differences.
static constexpr int64_t largestInteger = 1 << 16;

static std::optional<int64_t> getInteger(Value value) {
  llvm::APFloat number(0.0);
  if (!matchPattern(value, m_ConstantFloat(&number)) || !number.isInteger())
    return std::nullopt;
  double integer = number.convertToDouble();
  if (std::abs(integer) > largestInteger)
    return std::nullopt;
  return static_cast<int64_t>(integer);
}

static bool isInteger(Value value, unsigned width) {
  return getElementTypeOrSelf(value.getType()).isInteger(width);
}

static Value createFloat(OpBuilder &builder, Location loc, Type type,
                         int64_t number) {
  TypedAttr attr = builder.getFloatAttr(getElementTypeOrSelf(type), number);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, attr);
  return arith::ConstantOp::create(builder, loc, attr);
}

static Value createInteger(OpBuilder &builder, Location loc, Type type,
                           int64_t number) {
  TypedAttr attr = builder.getIntegerAttr(getElementTypeOrSelf(type), number);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, attr);
  return arith::ConstantOp::create(builder, loc, attr);
}

namespace {

/// A select of an operand where `predicate` holds, of `other` elsewhere.
struct Selected {
  Value operand, other;
};

/// `limit(round(x) + zero, least, most)`; NaN is a number before or becomes
/// `least`.
struct Rounded {
  Value x;
  bool isNanZero;
  int64_t zero, least, most;
};

} // namespace

static std::optional<Selected> matchSelect(Value value,
                                           CmpFPredicate predicate) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare || compare.getPredicate() != predicate ||
      compare.getLhs() != select.getTrueValue())
    return std::nullopt;
  Value other = predicate == CmpFPredicate::ORD ? select.getTrueValue()
                                                : select.getFalseValue();
  if (compare.getRhs() != other)
    return std::nullopt;
  return Selected{select.getTrueValue(), select.getFalseValue()};
}

/// `x` of `x + 0.0`, which differs from it in the sign of zeros alone.
static Value skipZero(Value x) {
  auto add = x.getDefiningOp<arith::AddFOp>();
  return add && matchPattern(add.getRhs(), m_AnyZeroFloat()) ? add.getLhs() : x;
}

static std::optional<Rounded> matchRounded(Value value) {
  std::optional<Selected> below = matchSelect(value, CmpFPredicate::OLT);
  if (!below)
    return std::nullopt;
  std::optional<Selected> within =
      matchSelect(below->operand, CmpFPredicate::OGT);
  if (!within)
    return std::nullopt;
  std::optional<int64_t> least = getInteger(within->other);
  std::optional<int64_t> most = getInteger(below->other);
  if (!least || !most || *least > *most)
    return std::nullopt;

  Value sum = within->operand;
  std::optional<Selected> number = matchSelect(sum, CmpFPredicate::ORD);
  if (number && getInteger(number->other) != 0)
    return std::nullopt;
  if (number)
    sum = number->operand;
  std::optional<int64_t> zero = 0;
  Value rounded = sum;
  if (auto add = sum.getDefiningOp<arith::AddFOp>()) {
    zero = getInteger(add.getRhs());
    rounded = add.getLhs();
  }
  auto round = rounded.getDefiningOp<math::RoundEvenOp>();
  if (!zero || !round)
    return std::nullopt;
  return Rounded{skipZero(round.getOperand()), number.has_value(), *zero,
                 *least, *most};
}

/// A truncation keeps all of `least` to `most`: LLVM packs such vectors instead
/// of permuting their bytes.
static void markTruncations(Value integers, int64_t least, int64_t most) {
  for (Operation *user : integers.getUsers()) {
    auto trunc = dyn_cast<arith::TruncIOp>(user);
    if (!trunc)
      continue;
    unsigned width =
        getElementTypeOrSelf(trunc.getType()).getIntOrFloatBitWidth();
    auto flags = arith::IntegerOverflowFlags::none;
    if (llvm::isIntN(width, least) && llvm::isIntN(width, most))
      flags = flags | arith::IntegerOverflowFlags::nsw;
    if (least >= 0 && llvm::isUIntN(width, most))
      flags = flags | arith::IntegerOverflowFlags::nuw;
    trunc.setOverflowFlags(flags);
  }
}

namespace {

/// The conversion of rounded float32 numbers.
struct RoundByConversion : OpRewritePattern<arith::FPToSIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::FPToSIOp op,
                                PatternRewriter &rewriter) const override {
    Value value = op.getIn();
    std::optional<Rounded> rounded = matchRounded(value);
    if (!rounded || !getElementTypeOrSelf(value.getType()).isF32() ||
        !isInteger(op, 32))
      return rewriter.notifyMatchFailure(op, "expected limited float32");
    Location loc = op.getLoc();
    auto limit = [&](Value x, CmpFPredicate predicate, Value other,
                     int64_t number) -> Value {
      Value bound = createFloat(rewriter, loc, x.getType(), number);
      Value holds = arith::CmpFOp::create(rewriter, loc, predicate, x,
                                          other ? other : bound);
      return arith::SelectOp::create(rewriter, loc, holds, x, bound);
    };
    int64_t zero = rounded->zero;
    Value x = rounded->x;
    if (rounded->isNanZero)
      x = limit(x, CmpFPredicate::ORD, x, -zero);
    x = limit(x, CmpFPredicate::OGT, nullptr, rounded->least - zero);
    x = limit(x, CmpFPredicate::OLT, nullptr, rounded->most - zero);
    Value result = LLVM::LrintOp::create(rewriter, loc, op.getType(), x);
    if (zero != 0)
      result = arith::AddIOp::create(
          rewriter, loc, result,
          createInteger(rewriter, loc, op.getType(), zero));
    rewriter.replaceOp(op, result);
    markTruncations(result, rounded->least, rounded->most);
    return success();
  }
};

/// A wider integer of a truncated one.
template <typename ExtOp, arith::IntegerOverflowFlags flag>
struct WidenTruncated : OpRewritePattern<ExtOp> {
  using OpRewritePattern<ExtOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ExtOp op,
                                PatternRewriter &rewriter) const override {
    auto trunc = op.getIn().template getDefiningOp<arith::TruncIOp>();
    if (!trunc || !bitEnumContainsAll(trunc.getOverflowFlags(), flag))
      return rewriter.notifyMatchFailure(op, "expected a whole truncated one");
    Value wide = trunc.getIn();
    unsigned width = getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth();
    if (isInteger(wide, width)) {
      rewriter.replaceOp(op, wide);
      return success();
    }
    if (getElementTypeOrSelf(wide.getType()).getIntOrFloatBitWidth() < width)
      return rewriter.notifyMatchFailure(op, "wider than before");
    // A wider one has room for the sign of the unsigned, too.
    auto flags = arith::IntegerOverflowFlags::nsw;
    if constexpr (flag == arith::IntegerOverflowFlags::nuw)
      flags = flags | flag;
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, op.getType(), wide, flags);
    return success();
  }
};

/// A float of a truncated integer.
template <typename ConvertOp, arith::IntegerOverflowFlags flag>
struct ConvertTruncated : OpRewritePattern<ConvertOp> {
  using OpRewritePattern<ConvertOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertOp op,
                                PatternRewriter &rewriter) const override {
    auto trunc = op.getIn().template getDefiningOp<arith::TruncIOp>();
    if (!trunc || !bitEnumContainsAll(trunc.getOverflowFlags(), flag) ||
        !isInteger(trunc.getIn(), 32))
      return rewriter.notifyMatchFailure(op, "expected a whole truncated one");
    rewriter.replaceOpWithNewOp<arith::SIToFPOp>(op, op.getType(),
                                                 trunc.getIn());
    return success();
  }
};

/// A float of a rounded number, less a zero point that was added to it.
struct SubtractBeforeConversion : OpRewritePattern<arith::SubFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SubFOp op,
                                PatternRewriter &rewriter) const override {
    auto convert = op.getLhs().getDefiningOp<arith::SIToFPOp>();
    auto sum =
        convert ? convert.getIn().getDefiningOp<arith::AddIOp>() : nullptr;
    std::optional<int64_t> zero = getInteger(op.getRhs());
    llvm::APInt added;
    // Others may have sums that floats round.
    if (!sum || !sum.getLhs().getDefiningOp<LLVM::LrintOp>() || !zero ||
        !matchPattern(sum.getRhs(), m_ConstantInt(&added)) ||
        added.getSExtValue() != *zero)
      return rewriter.notifyMatchFailure(op, "expected the zero point");
    rewriter.replaceOpWithNewOp<arith::SIToFPOp>(op, op.getType(),
                                                 sum.getLhs());
    return success();
  }
};

} // namespace

void hamkaas::populateRoundToIntegersPatterns(RewritePatternSet &patterns) {
  constexpr auto nsw = arith::IntegerOverflowFlags::nsw;
  constexpr auto nuw = arith::IntegerOverflowFlags::nuw;
  patterns.add<RoundByConversion, SubtractBeforeConversion,
               WidenTruncated<arith::ExtSIOp, nsw>,
               WidenTruncated<arith::ExtUIOp, nuw>,
               ConvertTruncated<arith::SIToFPOp, nsw>,
               ConvertTruncated<arith::UIToFPOp, nuw>>(patterns.getContext());
}
