//===- ExpandFloat16.cpp - Conversions of float16 by arithmetic -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandFloat16.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hamkaas;
using arith::CmpIPredicate;

namespace {

/// Arithmetic on 32-bit integers, scalars or vectors of the shape of `like`.
class BitsBuilder {
public:
  BitsBuilder(OpBuilder &builder, Location loc, Type like)
      : b(loc, builder), like(like) {}

  Type typeOf(Type element) const {
    auto vector = dyn_cast<VectorType>(like);
    return vector ? Type(vector.clone(element)) : element;
  }
  Value number(uint32_t value) {
    TypedAttr attribute = b.getI32IntegerAttr(static_cast<int32_t>(value));
    Type type = typeOf(b.getI32Type());
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(b, attribute);
  }
  Value bitAnd(Value l, uint32_t r) {
    return arith::AndIOp::create(b, l, number(r));
  }
  Value bitOr(Value l, Value r) { return arith::OrIOp::create(b, l, r); }
  Value shiftLeft(Value l, uint32_t r) {
    return arith::ShLIOp::create(b, l, number(r));
  }
  Value shiftRight(Value l, uint32_t r) {
    return arith::ShRUIOp::create(b, l, number(r));
  }
  Value add(Value l, Value r) { return arith::AddIOp::create(b, l, r); }
  Value subtract(Value l, uint32_t r) {
    return arith::SubIOp::create(b, l, number(r));
  }
  Value select(CmpIPredicate predicate, Value l, uint32_t r, Value ifTrue,
               Value ifFalse) {
    Value condition = arith::CmpIOp::create(b, predicate, l, number(r));
    return arith::SelectOp::create(b, condition, ifTrue, ifFalse);
  }
  Value asFloat(Value bits) {
    return arith::BitcastOp::create(b, typeOf(b.getF32Type()), bits);
  }
  Value asBits(Value number) {
    return arith::BitcastOp::create(b, typeOf(b.getI32Type()), number);
  }

  ImplicitLocOpBuilder b;

private:
  Type like;
};

struct ExpandExtF : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn()).isF16() ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not from float16 to float32");
    BitsBuilder f(rewriter, op.getLoc(), op.getType());
    Value narrow =
        arith::BitcastOp::create(f.b, f.typeOf(f.b.getI16Type()), op.getIn());
    Value bits =
        arith::ExtUIOp::create(f.b, f.typeOf(f.b.getI32Type()), narrow);
    Value magnitude = f.bitAnd(bits, 0x7fff);
    // With float16's exponent in a float32, the number is too small by 2^112;
    // multiplying by that is exact, also from subnormal numbers.
    Value scaled = f.asBits(
        arith::MulFOp::create(f.b, f.asFloat(f.shiftLeft(magnitude, 13)),
                              f.asFloat(f.number((127 + 112) << 23))));
    // Infinities and NaN keep the largest exponent.
    Value special = f.bitOr(scaled, f.number(0x7f800000));
    Value result =
        f.select(CmpIPredicate::uge, magnitude, 0x7c00, special, scaled);
    Value sign = f.shiftLeft(f.bitAnd(bits, 0x8000), 16);
    rewriter.replaceOp(op, f.asFloat(f.bitOr(result, sign)));
    return success();
  }
};

/// To nearest, halves to even.
struct ExpandTruncF : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn()).isF32() ||
        !getElementTypeOrSelf(op.getType()).isF16())
      return rewriter.notifyMatchFailure(op, "not from float32 to float16");
    BitsBuilder f(rewriter, op.getLoc(), op.getType());
    Value bits = f.asBits(op.getIn());
    Value magnitude = f.bitAnd(bits, 0x7fffffff);

    // Normal results: the exponent moves by 112, and half of the last bit is
    // added, less where that bit is even.
    Value odd = f.bitAnd(f.shiftRight(magnitude, 13), 1);
    Value rounded = f.add(f.subtract(magnitude, (112u << 23) - 0xfff), odd);
    Value normal = f.shiftRight(rounded, 13);
    // Subnormal ones: adding 0.5 rounds to multiples of 2^-24 in the low bits.
    Value half = f.asFloat(f.number(0x3f000000));
    Value sum = arith::AddFOp::create(f.b, f.asFloat(magnitude), half);
    Value subnormal = f.subtract(f.asBits(sum), 0x3f000000);
    // From 65536 on infinite; NaN stays.
    Value special = f.select(CmpIPredicate::ugt, magnitude, 0x7f800000,
                             f.number(0x7e00), f.number(0x7c00));
    Value result =
        f.select(CmpIPredicate::ult, magnitude, 113u << 23, subnormal, normal);
    result =
        f.select(CmpIPredicate::uge, magnitude, 143u << 23, special, result);
    Value sign = f.bitAnd(f.shiftRight(bits, 16), 0x8000);
    Value narrow = arith::TruncIOp::create(f.b, f.typeOf(f.b.getI16Type()),
                                           f.bitOr(result, sign));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), narrow);
    return success();
  }
};

} // namespace

void hamkaas::populateExpandFloat16Patterns(RewritePatternSet &patterns) {
  patterns.add<ExpandExtF, ExpandTruncF>(patterns.getContext());
}
