//===- RaiseComplex.cpp - Products of complex numbers -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "RaisePatterns.h"

using namespace mlir;
using namespace hamkaas;

/// Returns whether `more` is `less` with a last dimension of 1.
static bool hasAddedOne(Value less, Value more) {
  ArrayRef<int64_t> shape = getShape(more);
  return !shape.empty() && shape.back() == 1 &&
         shape.drop_back() == getShape(less);
}

/// `value` before a last dimension of 1 was added to it.
static Value skipAddedOne(Value value) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  return reshape && hasAddedOne(reshape.getX(), value) ? reshape.getX() : value;
}

/// `value` before a last dimension of 1 was taken from it.
static Value skipDroppedOne(Value value) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  return reshape && hasAddedOne(value, reshape.getX()) ? reshape.getX() : value;
}

namespace {

/// The real part (0) or the imaginary part (1) of complex numbers, which are
/// the last dimension of a tensor.
struct Part {
  Value numbers;
  int64_t number;
};

/// `real * factors - imaginary * others` of complex numbers.
struct RealProduct {
  Value numbers, factors, others;
};

} // namespace

static std::optional<Part> getPart(Value value) {
  auto slice = skipDroppedOne(value).getDefiningOp<StridedSliceOp>();
  if (!slice || !slice.getType().getElementType().isF32())
    return std::nullopt;
  ArrayRef<int64_t> from = getShape(slice.getX()), to = getShape(slice);
  if (from.empty() || from.back() != 2 || to.back() != 1 ||
      from.drop_back() != to.drop_back() ||
      llvm::any_of(slice.getOffsets().drop_back(),
                   [](int64_t offset) { return offset != 0; }))
    return std::nullopt;
  return Part{slice.getX(), slice.getOffsets().back()};
}

/// Finds part `number` of complex numbers as a factor of `product`, of
/// `numbers` if given, and the other factor; a null value if there is none.
static std::pair<Value, Value> matchFactors(Value product, int64_t number,
                                            Value numbers = nullptr) {
  auto mul = product.getDefiningOp<MulOp>();
  if (!mul)
    return {};
  for (auto [factor, other] : {std::pair(mul.getLhs(), mul.getRhs()),
                               std::pair(mul.getRhs(), mul.getLhs())}) {
    std::optional<Part> part = getPart(factor);
    // The other factor may be repeated, the numbers may not.
    if (part && part->number == number && factor.getType() == mul.getType() &&
        getShape(other).size() == getShape(factor).size() &&
        (!numbers || part->numbers == numbers))
      return {part->numbers, other};
  }
  return {};
}

static std::optional<RealProduct> matchReal(Value value) {
  auto sub = value.getDefiningOp<SubOp>();
  if (!sub)
    return std::nullopt;
  auto [numbers, factors] = matchFactors(sub.getLhs(), 0);
  if (!numbers)
    return std::nullopt;
  auto [same, others] = matchFactors(sub.getRhs(), 1, numbers);
  if (!same || factors.getType() != others.getType())
    return std::nullopt;
  return RealProduct{numbers, factors, others};
}

/// Returns whether `value` is `real * others + imaginary * factors`.
static bool isImaginary(Value value, const RealProduct &real) {
  auto add = value.getDefiningOp<AddOp>();
  if (!add)
    return false;
  auto is = [&](Value product, int64_t number, Value expected) {
    auto [numbers, factor] = matchFactors(product, number, real.numbers);
    return numbers && factor == expected;
  };
  return (is(add.getLhs(), 0, real.others) &&
          is(add.getRhs(), 1, real.factors)) ||
         (is(add.getRhs(), 0, real.others) &&
          is(add.getLhs(), 1, real.factors));
}

/// The first of two parts that `op` joins in its last dimension, if that is a
/// real part.
static std::optional<RealProduct> getRealPart(ConcatOp op) {
  if (op.getOperands().size() != 2 || op.getDim() + 1 != getShape(op).size())
    return std::nullopt;
  return matchReal(skipAddedOne(op.getOperands()[0]));
}

static Mismatch matchParts(ConcatOp op, const RealProduct &real) {
  if (!isImaginary(skipAddedOne(op.getOperands()[1]), real))
    return {"the imaginary part is not a * d + b * c", op};
  if (real.numbers.getType() != op.getType())
    return {"the parts are not those of pairs", op};
  return {};
}

namespace {

/// concat(a * c - b * d, a * d + b * c) of the parts a and b of complex
/// numbers: they are multiplied by c + di. Rotary positions (Su et al.,
/// RoFormer, 2021) are written so.
struct RaiseComplexProduct : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<RealProduct> real = getRealPart(op);
    if (!real)
      return rewriter.notifyMatchFailure(op, "no parts of complex products");
    if (Mismatch mismatch = matchParts(op, *real))
      return rewriter.notifyMatchFailure(op, mismatch.reason);
    int64_t rank = getShape(op).size();
    auto asColumn = [&](Value value) -> Value {
      auto type = cast<RankedTensorType>(value.getType());
      if (type.getRank() == rank)
        return value;
      SmallVector<int64_t> shape(type.getShape());
      shape.push_back(1);
      return ReshapeOp::create(rewriter, op.getLoc(), type.clone(shape), value);
    };
    Value factors = ConcatOp::create(
        rewriter, op.getLoc(),
        ValueRange{asColumn(real->factors), asColumn(real->others)}, rank - 1);
    rewriter.replaceOpWithNewOp<ComplexMulOp>(op, real->numbers, factors);
    return success();
  }
};

} // namespace

void hamkaas::populateRaiseComplexPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseComplexProduct>(patterns.getContext());
}

void hamkaas::findMissedComplex(Operation *op, MissedFn missed) {
  auto concat = dyn_cast<ConcatOp>(op);
  std::optional<RealProduct> real = concat ? getRealPart(concat) : std::nullopt;
  if (real)
    missed("complex_mul", op, matchParts(concat, *real));
}
