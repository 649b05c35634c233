//===- ArithmeticCompositions.cpp - Functions of elements -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;
using namespace hamkaas::graph::compositions;

static constexpr double infinity = std::numeric_limits<double>::infinity();

static Tensor isInfinite(GraphBuilder &b, Tensor x) {
  return b.eq(b.abs(x), b.scalar(x.elementType(), infinity));
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const StopGradient &given) {
  Type type = given.x.elementType();
  Type bits = IntegerType::get(b.context(), type.getIntOrFloatBitWidth());
  return b.bitcast(b.bitcast(given.x, bits), type);
}

Tensor compositions::compose(GraphBuilder &b, const CustomGradient &given) {
  return b.create<CustomGradientOp>(given.operands);
}

//===----------------------------------------------------------------------===//
// Exponentials and logarithms
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const Expm1 &given) {
  return b.mul(b.tanh(b.mul(given.x, 0.5)), b.add(b.exp(given.x), 1.0));
}

Tensor compositions::compose(GraphBuilder &b, const Log1p &given) {
  Tensor x = given.x;
  Tensor isInfinity = b.eq(x, b.scalar(x.elementType(), infinity));
  return b.select(isInfinity, x, log1pOfFinite(b, x));
}

Tensor compositions::compose(GraphBuilder &b, const Exp2 &given) {
  return b.pow(b.scalar(given.x.elementType(), 2), given.x);
}

Tensor compositions::compose(GraphBuilder &b, const Log2 &given) {
  return b.mul(b.log(given.x), M_LOG2E);
}

Tensor compositions::compose(GraphBuilder &b, const Log10 &given) {
  return b.mul(b.log(given.x), M_LOG10E);
}

// Equal operands may be infinite, and then have no difference.
Tensor compositions::compose(GraphBuilder &b, const LogAddExp &given) {
  Tensor l = given.lhs, r = given.rhs;
  Tensor distance = b.neg(b.abs(b.sub(l, r)));
  Tensor more = log1pOfFinite(b, b.exp(distance));
  more = b.select(b.eq(l, r), b.scalar(l.elementType(), M_LN2), more);
  return b.add(b.max(l, r), more);
}

//===----------------------------------------------------------------------===//
// Powers and quotients
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const Square &given) {
  return b.mul(given.x, given.x);
}

Tensor compositions::compose(GraphBuilder &b, const Reciprocal &given) {
  return b.div(b.scalar(given.x.elementType(), 1), given.x);
}

Tensor compositions::compose(GraphBuilder &b, const Rsqrt &given) {
  return compose(b, Reciprocal{b.sqrt(given.x)});
}

Tensor compositions::compose(GraphBuilder &b, const Hypot &given) {
  Tensor l = b.abs(given.lhs), r = b.abs(given.rhs);
  Tensor most = b.max(l, r), ratio = b.div(b.min(l, r), most);
  Tensor result = b.mul(most, b.sqrt(b.add(b.mul(ratio, ratio), 1.0)));
  Tensor zero = b.scalar(l.elementType(), 0);
  result = b.select(b.eq(most, zero), zero, result);
  Tensor limit = b.scalar(l.elementType(), infinity);
  return b.select(b.bitOr(isInfinite(b, l), isInfinite(b, r)), limit, result);
}

/// From the remainder with the sign of the dividend: the quotient of what is
/// left is whole but for rounding.
static Tensor divideFloats(GraphBuilder &b, Tensor l, Tensor r) {
  Tensor zero = b.scalar(l.elementType(), 0), rest = b.rem(l, r);
  Tensor quotient = b.div(b.sub(l, rest), r);
  Tensor isBelow =
      b.bitAnd(b.ne(rest, zero), b.ne(b.lt(rest, zero), b.lt(r, zero)));
  quotient = b.select(isBelow, b.sub(quotient, 1.0), quotient);
  return b.select(b.eq(r, zero), b.div(l, r), b.round(quotient));
}

Tensor compositions::compose(GraphBuilder &b, const FloorDivide &given) {
  Tensor l = given.lhs, r = given.rhs;
  if (l.isFloat())
    return divideFloats(b, l, r);
  Tensor quotient = b.div(l, r);
  if (l.elementType().isUnsignedInteger())
    return quotient;
  Tensor zero = b.scalar(l.elementType(), 0), rest = b.rem(l, r);
  Tensor isBelow =
      b.bitAnd(b.ne(rest, zero), b.ne(b.lt(rest, zero), b.lt(r, zero)));
  return b.select(isBelow, b.sub(quotient, 1.0), quotient);
}

Tensor compositions::compose(GraphBuilder &b, const Trunc &given) {
  Tensor x = given.x;
  return b.select(b.lt(x, b.scalar(x.elementType(), 0)), b.ceil(x), b.floor(x));
}

//===----------------------------------------------------------------------===//
// Limits and choices
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const Clip &given) {
  Tensor x = given.x;
  if (given.min)
    x = b.max(x, makeScalar(b, given.min));
  if (given.max)
    x = b.min(x, makeScalar(b, given.max));
  return x;
}

Tensor compositions::compose(GraphBuilder &b, const Where &given) {
  if (given.lhs.elementType() != given.rhs.elementType())
    return b.fail("expected 'lhs' and 'rhs' of one element type, got " +
                  describeType(given.lhs) + " and " + describeType(given.rhs));
  return b.select(given.condition, given.lhs, given.rhs);
}

//===----------------------------------------------------------------------===//
// Predicates and logic
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const IsNan &given) {
  return b.ne(given.x, given.x);
}

Tensor compositions::compose(GraphBuilder &b, const IsInf &given) {
  return isInfinite(b, given.x);
}

Tensor compositions::compose(GraphBuilder &b, const IsFinite &given) {
  Tensor x = given.x;
  return b.lt(b.abs(x), b.scalar(x.elementType(), infinity));
}

static Tensor isTrue(GraphBuilder &b, Tensor x) {
  return x.isBool() ? x : b.ne(x, b.scalar(x.elementType(), 0));
}

Tensor compositions::compose(GraphBuilder &b, const LogicalAnd &given) {
  return b.bitAnd(isTrue(b, given.lhs), isTrue(b, given.rhs));
}

Tensor compositions::compose(GraphBuilder &b, const LogicalOr &given) {
  return b.bitOr(isTrue(b, given.lhs), isTrue(b, given.rhs));
}

Tensor compositions::compose(GraphBuilder &b, const LogicalXor &given) {
  return b.bitXor(isTrue(b, given.lhs), isTrue(b, given.rhs));
}

Tensor compositions::compose(GraphBuilder &b, const LogicalNot &given) {
  return b.bitNot(isTrue(b, given.x));
}
