//===- Elementwise.cpp - Lowering of elementwise operations -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace hamkaas;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using Element = const ElementBuilder &;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static Value buildRelu(Element e, ValueRange x) {
  // `x < 0 ? 0 : x` is one instruction where arith.maximumf is four. NaN and
  // -0.0 stay because they are not below 0.
  Value zero = e.number(0);
  return e.select(e.compare(CmpFPredicate::OLT, x[0], zero), zero, x[0]);
}

static Value buildSilu(Element e, ValueRange x) {
  // With t = exp(-|x|) <= 1 nothing overflows: x / (1 + t) for x >= 0,
  // otherwise x * t / (1 + t), which is NaN for negative infinity.
  Value zero = e.number(0), one = e.number(1);
  Value absolute = math::AbsFOp::create(e.b, x[0]);
  Value t = math::ExpOp::create(e.b, arith::NegFOp::create(e.b, absolute));
  Value negative = e.compare(CmpFPredicate::OLT, x[0], zero);
  Value scale = e.select(negative, t, one);
  Value numerator = arith::MulFOp::create(e.b, x[0], scale);
  Value denominator = arith::AddFOp::create(e.b, one, t);
  return arith::DivFOp::create(e.b, numerator, denominator);
}

static Value buildGelu(Element e, ValueRange x) {
  auto mul = [&](Value l, Value r) -> Value {
    return arith::MulFOp::create(e.b, l, r);
  };
  auto add = [&](Value l, Value r) -> Value {
    return arith::AddFOp::create(e.b, l, r);
  };
  if (cast<GeluOp>(e.op).getApproximate() == GeluApproximation::Tanh) {
    // (1 + tanh(y)) / 2 is the sigmoid of 2y, which takes an exponential alone
    // and keeps its digits where 1 + tanh(y) is near 0.
    double linear = -2 * std::sqrt(M_2_PI);
    Value square = mul(x[0], x[0]);
    Value factor =
        add(mul(square, e.number(linear * 0.044715)), e.number(linear));
    Value t = math::ExpOp::create(e.b, mul(x[0], factor));
    return arith::DivFOp::create(e.b, x[0], add(e.number(1), t));
  }
  Value inner = math::ErfOp::create(e.b, mul(x[0], e.number(M_SQRT1_2)));
  // NOTE: half of x could be no number of the type any more.
  return mul(x[0], mul(add(inner, e.number(1)), e.number(0.5)));
}

static Value buildHardSwish(Element e, ValueRange x) {
  Value zero = e.number(0), one = e.number(1);
  Value scaled = arith::MulFOp::create(e.b, x[0], e.number(1.0 / 6));
  Value line = arith::AddFOp::create(e.b, scaled, e.number(0.5));
  // NaN is neither below 0 nor above 1.
  line = e.select(e.compare(CmpFPredicate::OLT, line, zero), zero, line);
  line = e.select(e.compare(CmpFPredicate::OGT, line, one), one, line);
  return arith::MulFOp::create(e.b, x[0], line);
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// Divides integers so that no operands trap: a division by 0 gives 0, and one
/// by -1, which overflows once, is a change of the sign.
template <typename SignedOp, typename UnsignedOp>
static Value buildIntegerDivision(Element e, Value l, Value r,
                                  Value byMinusOne) {
  Value zero = e.number(0), one = e.number(1);
  Value isZero = e.compare(CmpIPredicate::eq, r, zero);
  if (e.isUnsigned()) {
    Value result = UnsignedOp::create(e.b, l, e.select(isZero, one, r));
    return e.select(isZero, zero, result);
  }
  Value isMinusOne = e.compare(CmpIPredicate::eq, r, e.number(-1));
  Value isSpecial = arith::OrIOp::create(e.b, isZero, isMinusOne);
  Value result = SignedOp::create(e.b, l, e.select(isSpecial, one, r));
  result = e.select(isMinusOne, byMinusOne, result);
  return e.select(isZero, zero, result);
}

static Value buildDiv(Element e, ValueRange x) {
  if (e.isFloat())
    return arith::DivFOp::create(e.b, x[0], x[1]);
  Value negated = arith::SubIOp::create(e.b, e.number(0), x[0]);
  return buildIntegerDivision<arith::DivSIOp, arith::DivUIOp>(e, x[0], x[1],
                                                              negated);
}

static Value buildRem(Element e, ValueRange x) {
  if (e.isFloat())
    return arith::RemFOp::create(e.b, x[0], x[1]);
  return buildIntegerDivision<arith::RemSIOp, arith::RemUIOp>(e, x[0], x[1],
                                                              e.number(0));
}

/// The remainder, moved to the side of 0 where the divisor is.
static Value buildMod(Element e, ValueRange x) {
  Value remainder = buildRem(e, x);
  if (e.isUnsigned())
    return remainder;
  Value zero = e.number(0);
  Value moved = e.apply<arith::AddFOp, arith::AddIOp>(remainder, x[1]);
  auto isNegative = [&](Value value) {
    return e.isFloat() ? e.compare(CmpFPredicate::OLT, value, zero)
                       : e.compare(CmpIPredicate::slt, value, zero);
  };
  Value isOther =
      arith::XOrIOp::create(e.b, isNegative(remainder), isNegative(x[1]));
  Value isSome = e.isFloat() ? e.compare(CmpFPredicate::ONE, remainder, zero)
                             : e.compare(CmpIPredicate::ne, remainder, zero);
  return e.select(arith::AndIOp::create(e.b, isOther, isSome), moved,
                  remainder);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static Value buildMax(Element e, ValueRange x) {
  if (e.isUnsigned())
    return arith::MaxUIOp::create(e.b, x[0], x[1]);
  return e.apply<arith::MaximumFOp, arith::MaxSIOp>(x[0], x[1]);
}

static Value buildMin(Element e, ValueRange x) {
  if (e.isUnsigned())
    return arith::MinUIOp::create(e.b, x[0], x[1]);
  return e.apply<arith::MinimumFOp, arith::MinSIOp>(x[0], x[1]);
}

static Value buildCompare(Element e, ValueRange x) {
  static constexpr CmpFPredicate floats[] = {
      CmpFPredicate::OEQ, CmpFPredicate::UNE, CmpFPredicate::OLT,
      CmpFPredicate::OLE, CmpFPredicate::OGT, CmpFPredicate::OGE};
  static constexpr CmpIPredicate signedIntegers[] = {
      CmpIPredicate::eq,  CmpIPredicate::ne,  CmpIPredicate::slt,
      CmpIPredicate::sle, CmpIPredicate::sgt, CmpIPredicate::sge};
  static constexpr CmpIPredicate unsignedIntegers[] = {
      CmpIPredicate::eq,  CmpIPredicate::ne,  CmpIPredicate::ult,
      CmpIPredicate::ule, CmpIPredicate::ugt, CmpIPredicate::uge};
  auto predicate = static_cast<size_t>(cast<CompareOp>(e.op).getPredicate());
  if (e.isFloat())
    return e.compare(floats[predicate], x[0], x[1]);
  return e.compare(
      (e.isUnsigned() ? unsignedIntegers : signedIntegers)[predicate], x[0],
      x[1]);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// Shifts by at most the type's bits, beyond which no bit is left.
template <typename ShiftOp>
static Value buildShift(Element e, Value l, Value r, Value beyond) {
  Value width = e.number(e.type.getIntOrFloatBitWidth());
  // Unsigned, so that negative amounts count as large.
  Value inside = e.compare(CmpIPredicate::ult, r, width);
  Value shifted = ShiftOp::create(e.b, l, e.select(inside, r, e.number(0)));
  return e.select(inside, shifted, beyond);
}

static Value buildShiftRight(Element e, ValueRange x) {
  if (e.isUnsigned())
    return buildShift<arith::ShRUIOp>(e, x[0], x[1], e.number(0));
  Value negative = e.compare(CmpIPredicate::slt, x[0], e.number(0));
  return buildShift<arith::ShRSIOp>(
      e, x[0], x[1], e.select(negative, e.number(-1), e.number(0)));
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// The widest integers whose limits are floats, and numbers of 32 bits.
static constexpr unsigned largestExact = 16;

/// As below, by limits that are numbers of the type.
static Value buildFloatToNarrow(Element e, Value x, IntegerType to) {
  unsigned width = to.getWidth();
  double limit = std::ldexp(1.0, to.isUnsigned() ? width : width - 1);
  Value least = e.number(to.isUnsigned() ? 0 : -limit);
  Value most = e.number(limit - 1);
  // NaN is above nothing.
  if (!to.isUnsigned())
    x = e.select(e.compare(CmpFPredicate::ORD, x, x), x, e.number(0));
  x = e.select(e.compare(CmpFPredicate::OGT, x, least), x, least);
  x = e.select(e.compare(CmpFPredicate::OLT, x, most), x, most);
  Value wide = arith::FPToSIOp::create(e.b, e.b.getI32Type(), x);
  return arith::TruncIOp::create(e.b, getComputeType(to), wide);
}

/// Towards 0. What is beyond the integers becomes the nearest of them, NaN
/// becomes 0: the instruction alone would leave both undefined.
static Value buildFloatToInteger(Element e, Value x, IntegerType to) {
  bool isUnsigned = to.isUnsigned();
  unsigned width = to.getWidth();
  Type type = getComputeType(to);
  double limit = std::ldexp(1.0, isUnsigned ? width : width - 1);
  if (width <= largestExact)
    return buildFloatToNarrow(e, x, to);
  Value high = e.number(limit);
  // From -1 on, exclusive, unsigned integers have a value for it.
  Value low = e.number(isUnsigned ? -1.0 : -limit);
  Value below = isUnsigned ? e.compare(CmpFPredicate::OLE, x, low)
                           : e.compare(CmpFPredicate::OLT, x, low);
  Value above = e.compare(CmpFPredicate::OGE, x, high);
  Value isNumber = e.compare(CmpFPredicate::ORD, x, x);
  Value outside = arith::OrIOp::create(e.b, below, above);
  Value inside = arith::AndIOp::create(
      e.b, isNumber,
      arith::XOrIOp::create(
          e.b, outside, buildNumber(e.b, e.b.getLoc(), e.b.getI1Type(), -1)));
  Value safe = e.select(inside, x, e.number(0));
  Value result = isUnsigned ? Value(arith::FPToUIOp::create(e.b, type, safe))
                            : Value(arith::FPToSIOp::create(e.b, type, safe));
  auto integer = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(e.b, e.b.getIntegerAttr(type, value));
  };
  result = e.select(above,
                    integer(isUnsigned ? APInt::getMaxValue(width)
                                       : APInt::getSignedMaxValue(width)),
                    result);
  return e.select(below,
                  integer(isUnsigned ? APInt::getZero(width)
                                     : APInt::getSignedMinValue(width)),
                  result);
}

static Value buildIntegerToInteger(Element e, Value x, Type to) {
  unsigned from = e.type.getIntOrFloatBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  if (width == from)
    return x;
  if (width < from)
    return arith::TruncIOp::create(e.b, to, x);
  if (e.isUnsigned())
    return arith::ExtUIOp::create(e.b, to, x);
  return arith::ExtSIOp::create(e.b, to, x);
}

static Value buildCast(Element e, ValueRange x) {
  Type to = getElementTypeOrSelf(e.op->getResult(0).getType());
  Type type = getComputeType(to);
  if (to.isInteger(1)) {
    if (e.isFloat())
      return e.compare(CmpFPredicate::UNE, x[0], e.number(0));
    return e.compare(CmpIPredicate::ne, x[0], e.number(0));
  }
  if (!e.isFloat()) {
    if (!isa<FloatType>(type))
      return buildIntegerToInteger(e, x[0], type);
    if (e.isUnsigned())
      return arith::UIToFPOp::create(e.b, type, x[0]);
    return arith::SIToFPOp::create(e.b, type, x[0]);
  }
  if (auto integer = dyn_cast<IntegerType>(to))
    return buildFloatToInteger(e, x[0], integer);
  unsigned from = x[0].getType().getIntOrFloatBitWidth();
  unsigned width = type.getIntOrFloatBitWidth();
  if (from == width)
    return x[0];
  if (from < width)
    return arith::ExtFOp::create(e.b, type, x[0]);
  return arith::TruncFOp::create(e.b, type, x[0]);
}

//===----------------------------------------------------------------------===//
// Other than element by element
//===----------------------------------------------------------------------===//

namespace {

/// Without the decoding that floats of 16 bits are computed with: bits are
/// those in memory.
struct LowerBitcast
    : LinalgLoweringOpInterface::ExternalModel<LowerBitcast, BitcastOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    RankedTensorType type = getStorageType(op->getResult(0).getType());
    AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
    return buildParallel(
        builder, op->getLoc(), type, operands, map,
        [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
          if (x[0].getType() == type.getElementType())
            return x[0];
          return arith::BitcastOp::create(b, loc, type.getElementType(), x[0]);
        });
  }
};

struct LowerBroadcast
    : LinalgLoweringOpInterface::ExternalModel<LowerBroadcast, BroadcastOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    RankedTensorType type = getStorageType(op->getResult(0).getType());
    AffineMap map =
        getBroadcastMap(cast<RankedTensorType>(operands[0].getType()), type);
    return buildParallel(
        builder, op->getLoc(), type, operands, map,
        [](OpBuilder &, Location, ValueRange x) { return x[0]; });
  }
};

struct LowerIota : LinalgLoweringOpInterface::ExternalModel<LowerIota, IotaOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    Type type =
        getComputeType(getElementTypeOrSelf(op->getResult(0).getType()));
    return buildPointwise(
        builder, op, operands, {},
        [&](OpBuilder &b, Location loc, ValueRange) -> Value {
          Value index =
              linalg::IndexOp::create(b, loc, cast<IotaOp>(op).getDim());
          auto integer = dyn_cast<IntegerType>(type);
          Value value = arith::IndexCastOp::create(
              b, loc, integer ? integer : b.getI64Type(), index);
          if (integer)
            return value;
          return arith::SIToFPOp::create(b, loc, type, value);
        });
  }
};

struct LowerComplexMul
    : LinalgLoweringOpInterface::ExternalModel<LowerComplexMul, ComplexMulOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    int64_t last = type.getRank() - 1;
    // Each operand is read twice, at its real and at its imaginary part.
    SmallVector<Value> parts;
    SmallVector<AffineMap> maps;
    for (Value operand : operands) {
      AffineMap map =
          getBroadcastMap(cast<RankedTensorType>(operand.getType()), type);
      for (int64_t part : {0, 1}) {
        SmallVector<AffineExpr> results(map.getResults());
        results[last] = builder.getAffineConstantExpr(part);
        parts.push_back(operand);
        maps.push_back(
            AffineMap::get(type.getRank(), 0, results, builder.getContext()));
      }
    }
    return buildParallel(
        builder, op->getLoc(), type, parts, maps,
        [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
          auto multiply = [&](Value l, Value r) -> Value {
            return arith::MulFOp::create(b, loc, l, r);
          };
          Value real = arith::SubFOp::create(b, loc, multiply(x[0], x[2]),
                                             multiply(x[1], x[3]));
          Value imaginary = arith::AddFOp::create(b, loc, multiply(x[0], x[3]),
                                                  multiply(x[1], x[2]));
          Value part = linalg::IndexOp::create(b, loc, last);
          Value zero = arith::ConstantIndexOp::create(b, loc, 0);
          Value isReal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                               part, zero);
          return arith::SelectOp::create(b, loc, isReal, real, imaginary);
        });
  }
};

struct LowerPermute
    : LinalgLoweringOpInterface::ExternalModel<LowerPermute, PermuteOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    // Dimension i of the result is dimension permutation[i] of x.
    ArrayRef<int64_t> permutation = cast<PermuteOp>(op).getPermutation();
    AffineMap map = inversePermutation(
        AffineMap::getPermutationMap(permutation, builder.getContext()));
    return buildParallel(
        builder, op->getLoc(), getStorageType(op->getResult(0).getType()),
        operands, map,
        [](OpBuilder &, Location, ValueRange x) { return x[0]; });
  }
};

} // namespace

void hamkaas::registerElementwiseLowerings(MLIRContext *context) {
  BitcastOp::attachInterface<LowerBitcast>(*context);
  BroadcastOp::attachInterface<LowerBroadcast>(*context);
  ComplexMulOp::attachInterface<LowerComplexMul>(*context);
  IotaOp::attachInterface<LowerIota>(*context);
  PermuteOp::attachInterface<LowerPermute>(*context);
  attachElements<AddOp>(context, [](Element e, ValueRange x) {
    return e.apply<arith::AddFOp, arith::AddIOp>(x[0], x[1]);
  });
  attachElements<SubOp>(context, [](Element e, ValueRange x) {
    return e.apply<arith::SubFOp, arith::SubIOp>(x[0], x[1]);
  });
  attachElements<MulOp>(context, [](Element e, ValueRange x) {
    return e.apply<arith::MulFOp, arith::MulIOp>(x[0], x[1]);
  });
  attachElements<PowOp>(context, [](Element e, ValueRange x) -> Value {
    return math::PowFOp::create(e.b, x[0], x[1]);
  });
  attachElements<AndOp>(context, [](Element e, ValueRange x) -> Value {
    return arith::AndIOp::create(e.b, x[0], x[1]);
  });
  attachElements<OrOp>(context, [](Element e, ValueRange x) -> Value {
    return arith::OrIOp::create(e.b, x[0], x[1]);
  });
  attachElements<XorOp>(context, [](Element e, ValueRange x) -> Value {
    return arith::XOrIOp::create(e.b, x[0], x[1]);
  });
  attachElements<NotOp>(context, [](Element e, ValueRange x) -> Value {
    return arith::XOrIOp::create(e.b, x[0], e.number(-1));
  });
  attachElements<ShiftLeftOp>(context, [](Element e, ValueRange x) {
    return buildShift<arith::ShLIOp>(e, x[0], x[1], e.number(0));
  });
  attachElements<SelectOp>(context, [](Element e, ValueRange x) {
    return e.select(x[0], x[1], x[2]);
  });
  attachElements<CastOp>(
      context, [](Element e, ValueRange x) { return buildCast(e, x); });
  attachElements<CompareOp>(
      context, [](Element e, ValueRange x) { return buildCompare(e, x); });
  attachElements<DivOp>(context,
                        [](Element e, ValueRange x) { return buildDiv(e, x); });
  attachElements<GeluOp>(
      context, [](Element e, ValueRange x) { return buildGelu(e, x); });
  attachElements<HardSwishOp>(
      context, [](Element e, ValueRange x) { return buildHardSwish(e, x); });
  attachElements<MaxOp>(context,
                        [](Element e, ValueRange x) { return buildMax(e, x); });
  attachElements<MinOp>(context,
                        [](Element e, ValueRange x) { return buildMin(e, x); });
  attachElements<ModOp>(context,
                        [](Element e, ValueRange x) { return buildMod(e, x); });
  attachElements<ReluOp>(
      context, [](Element e, ValueRange x) { return buildRelu(e, x); });
  attachElements<RemOp>(context,
                        [](Element e, ValueRange x) { return buildRem(e, x); });
  attachElements<ShiftRightOp>(
      context, [](Element e, ValueRange x) { return buildShiftRight(e, x); });
  attachElements<SiluOp>(
      context, [](Element e, ValueRange x) { return buildSilu(e, x); });
}
