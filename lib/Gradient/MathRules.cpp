//===- MathRules.cpp - Gradients of functions of each element ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "Rules.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

//===----------------------------------------------------------------------===//
// Rules: the gradient of `x` from that of the result `y`
//===----------------------------------------------------------------------===//

using MathRule = Tensor(GraphBuilder &b, Tensor g, Tensor x, Tensor y);

template <typename OpTy, MathRule *rule>
static Tensors differentiate(OpTy op, GraphBuilder &b, Tensor g) {
  return {rule(b, g, Tensor(op.getX()), Tensor(op.getResult()))};
}

template <typename OpTy, MathRule *rule>
static void attachRule(MLIRContext &context) {
  attach<OpTy, differentiate<OpTy, rule>>(context);
}

/// `1 + sign * x^2`.
static Tensor addSquareToOne(GraphBuilder &b, Tensor x, double sign) {
  return b.add(b.mul(b.mul(x, x), sign), 1);
}

/// Of what is constant between its steps.
static Tensor differentiateSteps(GraphBuilder &, Tensor, Tensor, Tensor) {
  return {};
}
static Tensor differentiateAbs(GraphBuilder &b, Tensor g, Tensor x, Tensor) {
  return b.mul(g, b.sign(x));
}
static Tensor differentiateNeg(GraphBuilder &b, Tensor g, Tensor, Tensor) {
  return b.neg(g);
}
static Tensor differentiateSqrt(GraphBuilder &b, Tensor g, Tensor, Tensor y) {
  return b.div(g, b.mul(y, 2));
}
static Tensor differentiateExp(GraphBuilder &b, Tensor g, Tensor, Tensor y) {
  return b.mul(g, y);
}
static Tensor differentiateLog(GraphBuilder &b, Tensor g, Tensor x, Tensor) {
  return b.div(g, x);
}
static Tensor differentiateSin(GraphBuilder &b, Tensor g, Tensor x, Tensor) {
  return b.mul(g, b.cos(x));
}
static Tensor differentiateCos(GraphBuilder &b, Tensor g, Tensor x, Tensor) {
  return b.neg(b.mul(g, b.sin(x)));
}
static Tensor differentiateTan(GraphBuilder &b, Tensor g, Tensor, Tensor y) {
  return b.mul(g, addSquareToOne(b, y, 1));
}
static Tensor differentiateAsin(GraphBuilder &b, Tensor g, Tensor x, Tensor) {
  return b.div(g, b.sqrt(addSquareToOne(b, x, -1)));
}
static Tensor differentiateAcos(GraphBuilder &b, Tensor g, Tensor x, Tensor) {
  return b.neg(b.div(g, b.sqrt(addSquareToOne(b, x, -1))));
}
static Tensor differentiateAtan(GraphBuilder &b, Tensor g, Tensor x, Tensor) {
  return b.div(g, addSquareToOne(b, x, 1));
}
static Tensor differentiateSinh(GraphBuilder &b, Tensor g, Tensor x, Tensor) {
  return b.mul(g, b.cosh(x));
}
static Tensor differentiateCosh(GraphBuilder &b, Tensor g, Tensor x, Tensor) {
  return b.mul(g, b.sinh(x));
}
static Tensor differentiateTanh(GraphBuilder &b, Tensor g, Tensor, Tensor y) {
  return b.mul(g, addSquareToOne(b, y, -1));
}
static Tensor differentiateAsinh(GraphBuilder &b, Tensor g, Tensor x, Tensor) {
  return b.div(g, b.sqrt(addSquareToOne(b, x, 1)));
}
static Tensor differentiateAcosh(GraphBuilder &b, Tensor g, Tensor x, Tensor) {
  return b.div(g, b.sqrt(b.add(b.mul(x, x), -1)));
}
static Tensor differentiateAtanh(GraphBuilder &b, Tensor g, Tensor x, Tensor) {
  return b.div(g, addSquareToOne(b, x, -1));
}
static Tensor differentiateErf(GraphBuilder &b, Tensor g, Tensor x, Tensor) {
  Tensor density =
      b.mul(b.exp(b.neg(b.mul(x, x))), 2 * llvm::numbers::inv_sqrtpi);
  return b.mul(g, density);
}
static Tensor differentiateSigmoid(GraphBuilder &b, Tensor g, Tensor,
                                   Tensor y) {
  return b.mul(g, b.mul(y, b.add(b.neg(y), 1)));
}

void gradient::attachMathRules(MLIRContext &context) {
  attachRule<AbsOp, differentiateAbs>(context);
  attachRule<NegOp, differentiateNeg>(context);
  attachRule<SignOp, differentiateSteps>(context);
  attachRule<FloorOp, differentiateSteps>(context);
  attachRule<CeilOp, differentiateSteps>(context);
  attachRule<RoundOp, differentiateSteps>(context);
  attachRule<SqrtOp, differentiateSqrt>(context);
  attachRule<ExpOp, differentiateExp>(context);
  attachRule<LogOp, differentiateLog>(context);
  attachRule<SinOp, differentiateSin>(context);
  attachRule<CosOp, differentiateCos>(context);
  attachRule<TanOp, differentiateTan>(context);
  attachRule<AsinOp, differentiateAsin>(context);
  attachRule<AcosOp, differentiateAcos>(context);
  attachRule<AtanOp, differentiateAtan>(context);
  attachRule<SinhOp, differentiateSinh>(context);
  attachRule<CoshOp, differentiateCosh>(context);
  attachRule<TanhOp, differentiateTanh>(context);
  attachRule<AsinhOp, differentiateAsinh>(context);
  attachRule<AcoshOp, differentiateAcosh>(context);
  attachRule<AtanhOp, differentiateAtanh>(context);
  attachRule<ErfOp, differentiateErf>(context);
  attachRule<SigmoidOp, differentiateSigmoid>(context);
}
