//===- ArithmeticRules.cpp - Gradients of arithmetic ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "Rules.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

static Tensors differentiateAdd(AddOp op, GraphBuilder &b, Tensor g) {
  return {g, sumRepeated(b, g, Tensor(op.getRhs()))};
}

static Tensors differentiateSub(SubOp op, GraphBuilder &b, Tensor g) {
  return {g, sumRepeated(b, b.neg(g), Tensor(op.getRhs()))};
}

static Tensors differentiateMul(MulOp op, GraphBuilder &b, Tensor g) {
  Tensor l(op.getLhs()), r(op.getRhs());
  return {b.mul(g, r), sumRepeated(b, b.mul(g, l), r)};
}

/// With the result in place of `l / r`: `r^2` overflows sooner.
static Tensors differentiateDiv(DivOp op, GraphBuilder &b, Tensor g) {
  Tensor r(op.getRhs()), result(op.getResult());
  Tensor quotient = b.div(b.mul(g, result), r);
  return {b.div(g, r), sumRepeated(b, b.neg(quotient), r)};
}

/// Equal elements share the gradient, as in PyTorch.
template <typename OpTy>
static Tensors differentiateExtreme(OpTy op, GraphBuilder &b, Tensor g) {
  Tensor l(op.getLhs()), r(op.getRhs());
  bool isMax = std::is_same_v<OpTy, MaxOp>;
  Tensor half = keepWhere(b, b.eq(l, r), b.mul(g, 0.5));
  Tensor toLhs = b.select(isMax ? b.gt(l, r) : b.lt(l, r), g, half);
  Tensor toRhs = b.select(isMax ? b.lt(l, r) : b.gt(l, r), g, half);
  return {toLhs, sumRepeated(b, toRhs, r)};
}

/// Where `l` or `r` is 0, one factor of a formula may be infinite, or NaN, and
/// the other one 0: their product counts as 0, as in PyTorch.
static Tensors differentiatePow(PowOp op, GraphBuilder &b, Tensor g) {
  Tensor l(op.getLhs()), r(op.getRhs()), result(op.getResult());
  Tensor toLhs = b.mul(b.mul(g, r), b.pow(l, b.add(r, -1)));
  toLhs = keepWhere(
      b, b.broadcast(b.ne(r, b.scalar(r.elementType(), 0)), g.shape()), toLhs);
  Tensor zero = b.scalar(g.elementType(), 0);
  Tensor isFlat =
      b.bitAnd(b.eq(l, zero), b.ge(b.broadcast(r, g.shape()), zero));
  Tensor toRhs = b.mul(b.mul(g, result), b.log(l));
  return {toLhs, sumRepeated(b, b.select(isFlat, zero, toRhs), r)};
}

/// `rem` and `mod`: `result = l - r * n` with an integer `n`, by which the
/// result falls as `r` grows.
template <typename OpTy>
static Tensors differentiateRemainder(OpTy op, GraphBuilder &b, Tensor g) {
  Tensor l(op.getLhs()), r(op.getRhs()), result(op.getResult());
  Tensor n = b.round(b.div(b.sub(l, result), r));
  return {g, sumRepeated(b, b.neg(b.mul(g, n)), r)};
}

void gradient::attachArithmeticRules(MLIRContext &context) {
  attach<AddOp, differentiateAdd>(context);
  attach<SubOp, differentiateSub>(context);
  attach<MulOp, differentiateMul>(context);
  attach<DivOp, differentiateDiv>(context);
  attach<MaxOp, differentiateExtreme<MaxOp>>(context);
  attach<MinOp, differentiateExtreme<MinOp>>(context);
  attach<PowOp, differentiatePow>(context);
  attach<RemOp, differentiateRemainder<RemOp>>(context);
  attach<ModOp, differentiateRemainder<ModOp>>(context);
}
