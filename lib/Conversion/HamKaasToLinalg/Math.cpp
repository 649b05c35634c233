//===- Math.cpp - Lowering of functions of an element -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Math/IR/Math.h"
#include "ElementBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "HamKaas/Dialect/HamKaas/IR/OperandFacts.h"

using namespace mlir;
using namespace hamkaas;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using Element = const ElementBuilder &;

static Value buildAbs(Element e, ValueRange x) {
  if (e.isFloat())
    return math::AbsFOp::create(e.b, x[0]);
  if (e.isUnsigned())
    return x[0];
  return math::AbsIOp::create(e.b, x[0]);
}

static Value buildNeg(Element e, ValueRange x) {
  if (e.isFloat())
    return arith::NegFOp::create(e.b, x[0]);
  return arith::SubIOp::create(e.b, e.number(0), x[0]);
}

static Value buildSign(Element e, ValueRange x) {
  Value zero = e.number(0), one = e.number(1);
  if (e.isUnsigned())
    return e.select(e.compare(CmpIPredicate::ne, x[0], zero), one, zero);
  auto compare = [&](CmpFPredicate ofFloats, CmpIPredicate ofIntegers) {
    return e.isFloat() ? e.compare(ofFloats, x[0], zero)
                       : e.compare(ofIntegers, x[0], zero);
  };
  // A number neither above nor below 0 is a zero or NaN.
  Value above = compare(CmpFPredicate::OGT, CmpIPredicate::sgt);
  Value below = compare(CmpFPredicate::OLT, CmpIPredicate::slt);
  return e.select(above, one, e.select(below, e.number(-1), x[0]));
}

/// 1 / (1 + exp(-x)): an exponential that overflows gives 0, its limit.
static Value buildSigmoid(Element e, ValueRange x) {
  Value t = math::ExpOp::create(e.b, arith::NegFOp::create(e.b, x[0]));
  Value denominator = arith::AddFOp::create(e.b, e.number(1), t);
  return arith::DivFOp::create(e.b, e.number(1), denominator);
}

static Value buildExp(Element e, ValueRange x) {
  auto exponential = math::ExpOp::create(e.b, x[0]);
  if (e.op->hasAttr(nonPositiveAttrName))
    exponential->setAttr(nonPositiveAttrName, e.b.getUnitAttr());
  return exponential;
}

/// An operation that is one of the math dialect.
template <typename OpTy, typename MathOp>
static void attachFunction(MLIRContext *context) {
  attachElements<OpTy>(context, [](Element e, ValueRange x) -> Value {
    return MathOp::create(e.b, x[0]);
  });
}

void hamkaas::registerMathLowerings(MLIRContext *context) {
  attachElements<AbsOp>(context,
                        [](Element e, ValueRange x) { return buildAbs(e, x); });
  attachElements<NegOp>(context,
                        [](Element e, ValueRange x) { return buildNeg(e, x); });
  attachElements<ExpOp>(context,
                        [](Element e, ValueRange x) { return buildExp(e, x); });
  attachElements<SignOp>(
      context, [](Element e, ValueRange x) { return buildSign(e, x); });
  attachElements<SigmoidOp>(
      context, [](Element e, ValueRange x) { return buildSigmoid(e, x); });
  attachFunction<AcosOp, math::AcosOp>(context);
  attachFunction<AcoshOp, math::AcoshOp>(context);
  attachFunction<AsinOp, math::AsinOp>(context);
  attachFunction<AsinhOp, math::AsinhOp>(context);
  attachFunction<AtanOp, math::AtanOp>(context);
  attachFunction<AtanhOp, math::AtanhOp>(context);
  attachFunction<CeilOp, math::CeilOp>(context);
  attachFunction<CosOp, math::CosOp>(context);
  attachFunction<CoshOp, math::CoshOp>(context);
  attachFunction<ErfOp, math::ErfOp>(context);
  attachFunction<FloorOp, math::FloorOp>(context);
  attachFunction<LogOp, math::LogOp>(context);
  attachFunction<RoundOp, math::RoundEvenOp>(context);
  attachFunction<SinOp, math::SinOp>(context);
  attachFunction<SinhOp, math::SinhOp>(context);
  attachFunction<SqrtOp, math::SqrtOp>(context);
  attachFunction<TanOp, math::TanOp>(context);
  attachFunction<TanhOp, math::TanhOp>(context);
}
