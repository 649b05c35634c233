//===- Elementwise.cpp - Builds elementwise operations ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "HamKaas/Frontend/Builder/GraphBuilder.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

//===----------------------------------------------------------------------===//
// Of one operand
//===----------------------------------------------------------------------===//

/// The result has the type of the operand.
template <typename OpTy> Tensor GraphBuilder::unary(Tensor x) {
  return !x || x.isEmpty() ? x : create<OpTy>(x, {}, x.type());
}

Tensor GraphBuilder::abs(Tensor x) { return unary<AbsOp>(x); }
Tensor GraphBuilder::acos(Tensor x) { return unary<AcosOp>(x); }
Tensor GraphBuilder::acosh(Tensor x) { return unary<AcoshOp>(x); }
Tensor GraphBuilder::asin(Tensor x) { return unary<AsinOp>(x); }
Tensor GraphBuilder::asinh(Tensor x) { return unary<AsinhOp>(x); }
Tensor GraphBuilder::atan(Tensor x) { return unary<AtanOp>(x); }
Tensor GraphBuilder::atanh(Tensor x) { return unary<AtanhOp>(x); }
Tensor GraphBuilder::bitNot(Tensor x) { return unary<NotOp>(x); }
Tensor GraphBuilder::ceil(Tensor x) { return unary<CeilOp>(x); }
Tensor GraphBuilder::cos(Tensor x) { return unary<CosOp>(x); }
Tensor GraphBuilder::cosh(Tensor x) { return unary<CoshOp>(x); }
Tensor GraphBuilder::erf(Tensor x) { return unary<ErfOp>(x); }
Tensor GraphBuilder::exp(Tensor x) { return unary<ExpOp>(x); }
Tensor GraphBuilder::floor(Tensor x) { return unary<FloorOp>(x); }
Tensor GraphBuilder::hardSwish(Tensor x) { return unary<HardSwishOp>(x); }
Tensor GraphBuilder::log(Tensor x) { return unary<LogOp>(x); }
Tensor GraphBuilder::neg(Tensor x) { return unary<NegOp>(x); }
Tensor GraphBuilder::relu(Tensor x) { return unary<ReluOp>(x); }
Tensor GraphBuilder::round(Tensor x) { return unary<RoundOp>(x); }
Tensor GraphBuilder::sigmoid(Tensor x) { return unary<SigmoidOp>(x); }
Tensor GraphBuilder::sign(Tensor x) { return unary<SignOp>(x); }
Tensor GraphBuilder::silu(Tensor x) { return unary<SiluOp>(x); }
Tensor GraphBuilder::sin(Tensor x) { return unary<SinOp>(x); }
Tensor GraphBuilder::sinh(Tensor x) { return unary<SinhOp>(x); }
Tensor GraphBuilder::sqrt(Tensor x) { return unary<SqrtOp>(x); }
Tensor GraphBuilder::tan(Tensor x) { return unary<TanOp>(x); }
Tensor GraphBuilder::tanh(Tensor x) { return unary<TanhOp>(x); }

Tensor GraphBuilder::gelu(Tensor x, GeluApproximation approximation) {
  if (!x || x.isEmpty())
    return x;
  return create<GeluOp>(
      x, {.approximate = GeluApproximationAttr::get(context(), approximation)},
      x.type());
}

Tensor GraphBuilder::bitcast(Tensor x, Type type) {
  if (!x || !type)
    return {};
  return create<BitcastOp>(x, {}, x.type().clone(type));
}

//===----------------------------------------------------------------------===//
// Of two operands
//===----------------------------------------------------------------------===//

std::optional<Shape> graph::getBroadcastShape(ArrayRef<int64_t> lhs,
                                              ArrayRef<int64_t> rhs) {
  Shape shape(std::max(lhs.size(), rhs.size()), 1);
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t l = i < lhs.size() ? lhs[lhs.size() - 1 - i] : 1;
    int64_t r = i < rhs.size() ? rhs[rhs.size() - 1 - i] : 1;
    if (l != r && l != 1 && r != 1)
      return std::nullopt;
    shape[shape.size() - 1 - i] = l == 1 ? r : l;
  }
  return shape;
}

/// Brings both operands to one rank, and the first to the shape of the result.
bool GraphBuilder::broadcastBoth(Tensor &lhs, Tensor &rhs) {
  if (!lhs || !rhs)
    return false;
  if (lhs.elementType() != rhs.elementType()) {
    failMismatch("expected operands of one element type, got " +
                 formatType(lhs.elementType()) + " and " +
                 formatType(rhs.elementType()));
    return false;
  }
  std::optional<Shape> shape = getBroadcastShape(lhs.shape(), rhs.shape());
  if (!shape) {
    failMismatch("expected operands that can be broadcast, got the shapes " +
                 formatShape(lhs.shape()) + " and " + formatShape(rhs.shape()));
    return false;
  }
  lhs = broadcast(lhs, *shape);
  rhs = extendRank(rhs, shape->size());
  return lhs && rhs;
}

/// Only the second operand is repeated for free, so the smaller one is.
template <typename OpTy>
Tensor GraphBuilder::binary(Tensor lhs, Tensor rhs, bool isCommutative) {
  if (isCommutative && lhs.count() < rhs.count())
    std::swap(lhs, rhs);
  if (!broadcastBoth(lhs, rhs))
    return {};
  return lhs.isEmpty() ? lhs : create<OpTy>({lhs, rhs});
}

Tensor GraphBuilder::add(Tensor lhs, Tensor rhs) {
  return binary<AddOp>(lhs, rhs, /*isCommutative=*/true);
}
Tensor GraphBuilder::sub(Tensor lhs, Tensor rhs) {
  return binary<SubOp>(lhs, rhs);
}
Tensor GraphBuilder::mul(Tensor lhs, Tensor rhs) {
  return binary<MulOp>(lhs, rhs, /*isCommutative=*/true);
}
Tensor GraphBuilder::div(Tensor lhs, Tensor rhs) {
  return binary<DivOp>(lhs, rhs);
}
Tensor GraphBuilder::max(Tensor lhs, Tensor rhs) {
  return binary<MaxOp>(lhs, rhs, /*isCommutative=*/true);
}
Tensor GraphBuilder::min(Tensor lhs, Tensor rhs) {
  return binary<MinOp>(lhs, rhs, /*isCommutative=*/true);
}
Tensor GraphBuilder::rem(Tensor lhs, Tensor rhs) {
  return binary<RemOp>(lhs, rhs);
}
Tensor GraphBuilder::mod(Tensor lhs, Tensor rhs) {
  return binary<ModOp>(lhs, rhs);
}
Tensor GraphBuilder::pow(Tensor lhs, Tensor rhs) {
  return binary<PowOp>(lhs, rhs);
}
Tensor GraphBuilder::bitAnd(Tensor lhs, Tensor rhs) {
  return binary<AndOp>(lhs, rhs, /*isCommutative=*/true);
}
Tensor GraphBuilder::bitOr(Tensor lhs, Tensor rhs) {
  return binary<OrOp>(lhs, rhs, /*isCommutative=*/true);
}
Tensor GraphBuilder::bitXor(Tensor lhs, Tensor rhs) {
  return binary<XorOp>(lhs, rhs, /*isCommutative=*/true);
}
Tensor GraphBuilder::shiftLeft(Tensor lhs, Tensor rhs) {
  return binary<ShiftLeftOp>(lhs, rhs);
}
Tensor GraphBuilder::shiftRight(Tensor lhs, Tensor rhs) {
  return binary<ShiftRightOp>(lhs, rhs);
}

Tensor GraphBuilder::compare(ComparePredicate predicate, Tensor lhs,
                             Tensor rhs) {
  if (!broadcastBoth(lhs, rhs))
    return {};
  if (lhs.isEmpty())
    return empty(lhs.shape(), builder.getI1Type());
  return create<CompareOp>({lhs, rhs}, {.predicate = ComparePredicateAttr::get(
                                            context(), predicate)});
}

//===----------------------------------------------------------------------===//
// Choices and types
//===----------------------------------------------------------------------===//

Tensor GraphBuilder::select(Tensor condition, Tensor ifTrue, Tensor ifFalse) {
  if (!condition || !ifTrue || !ifFalse)
    return {};
  std::optional<Shape> shape =
      getBroadcastShape(ifTrue.shape(), ifFalse.shape());
  if (shape)
    shape = getBroadcastShape(condition.shape(), *shape);
  if (!shape)
    return fail("expected operands that can be broadcast, got the shapes " +
                formatShape(condition.shape()) + ", " +
                formatShape(ifTrue.shape()) + " and " +
                formatShape(ifFalse.shape()));
  condition = broadcast(condition, *shape);
  ifTrue = broadcast(ifTrue, *shape);
  ifFalse = broadcast(ifFalse, *shape);
  return ifTrue.isEmpty() ? ifTrue
                          : create<SelectOp>({condition, ifTrue, ifFalse});
}

Tensor GraphBuilder::cast(Tensor x, Type type) {
  // The type of a tensor that failed is null.
  if (!x || !type)
    return {};
  if (x.elementType() == type)
    return x;
  if (x.isEmpty())
    return empty(x.shape(), type);
  return create<CastOp>(x, {}, x.type().clone(type));
}
