//===- ElementwiseRules.cpp - Gradients of activations ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "Rules.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static Tensors differentiateRelu(ReluOp op, GraphBuilder &b, Tensor g) {
  // The result is above 0 where the operand is, which need not be kept then.
  Tensor y(op.getResult());
  return {keepWhere(b, b.gt(y, b.scalar(y.elementType(), 0)), g)};
}

static Tensors differentiateSilu(SiluOp op, GraphBuilder &b, Tensor g) {
  Tensor x(op.getX());
  Tensor s = b.sigmoid(x);
  Tensor inner = b.add(b.mul(x, b.add(b.neg(s), 1)), 1);
  return {b.mul(g, b.mul(s, inner))};
}

namespace {
/// A distribution function at each `x`, and its derivative.
struct Distribution {
  Tensor value, density;
};
} // namespace

static Distribution buildNormal(GraphBuilder &b, Tensor x) {
  Tensor value =
      b.mul(b.add(b.erf(b.mul(x, 1 / llvm::numbers::sqrt2)), 1), 0.5);
  Tensor density = b.mul(b.exp(b.mul(b.mul(x, x), -0.5)),
                         llvm::numbers::inv_sqrtpi / llvm::numbers::sqrt2);
  return {value, density};
}

static Distribution buildTanhNormal(GraphBuilder &b, Tensor x) {
  constexpr double cubic = 0.044715;
  double scale = llvm::numbers::sqrt2 * llvm::numbers::inv_sqrtpi;
  Tensor square = b.mul(x, x);
  Tensor inner = b.mul(b.mul(x, b.add(b.mul(square, cubic), 1)), scale);
  Tensor slope = b.mul(b.add(b.mul(square, 3 * cubic), 1), scale);
  Tensor t = b.tanh(inner);
  Tensor falling = b.add(b.neg(b.mul(t, t)), 1);
  return {b.mul(b.add(t, 1), 0.5), b.mul(b.mul(falling, slope), 0.5)};
}

static Tensors differentiateGelu(GeluOp op, GraphBuilder &b, Tensor g) {
  Tensor x(op.getX());
  auto [p, density] = op.getApproximate() == GeluApproximation::None
                          ? buildNormal(b, x)
                          : buildTanhNormal(b, x);
  return {b.mul(g, b.add(p, b.mul(x, density)))};
}

static Tensors differentiateHardSwish(HardSwishOp op, GraphBuilder &b,
                                      Tensor g) {
  Tensor x(op.getX());
  auto at = [&](double value) { return b.scalar(x.elementType(), value); };
  Tensor between = b.mul(g, b.add(b.mul(x, 1.0 / 3), 0.5));
  // NaN, whose gradient is NaN, is on neither side.
  Tensor above = b.select(b.ge(x, at(3)), g, between);
  return {b.select(b.le(x, at(-3)), at(0), above)};
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

static Tensor conjugate(GraphBuilder &b, Tensor x) {
  return b.mul(x, b.constantOf(x.elementType(), {1, -1}, {2}));
}

static Tensors differentiateComplexMul(ComplexMulOp op, GraphBuilder &b,
                                       Tensor g) {
  Tensor l(op.getLhs()), r(op.getRhs());
  Tensor toRhs = b.create<ComplexMulOp>({g, conjugate(b, l)});
  return {b.create<ComplexMulOp>({g, conjugate(b, r)}),
          sumRepeated(b, toRhs, r)};
}

static Tensors differentiateSelect(SelectOp op, GraphBuilder &b, Tensor g) {
  Tensor condition(op.getCondition());
  Tensor zero = b.scalar(g.elementType(), 0);
  return {{}, b.select(condition, g, zero), b.select(condition, zero, g)};
}

static Tensors differentiateCast(CastOp op, GraphBuilder &b, Tensor g) {
  return {b.cast(g, op.getX().getType().getElementType())};
}

void gradient::attachElementwiseRules(MLIRContext &context) {
  attach<ReluOp, differentiateRelu>(context);
  attach<SiluOp, differentiateSilu>(context);
  attach<GeluOp, differentiateGelu>(context);
  attach<HardSwishOp, differentiateHardSwish>(context);
  attach<ComplexMulOp, differentiateComplexMul>(context);
  attach<SelectOp, differentiateSelect>(context);
  attach<CastOp, differentiateCast>(context);
}
