//===- MathSemantics.cpp - Meaning of functions of an element ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementSemantics.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;

template <typename T> static T absolute(T x, Type type) {
  if constexpr (isFloating<T>)
    return std::fabs(x);
  else
    return x < 0 && !type.isUnsignedInteger() ? -static_cast<uint64_t>(x) : x;
}

template <typename T> static T negate(T x) {
  if constexpr (isFloating<T>)
    return -x;
  else
    return -static_cast<uint64_t>(x);
}

template <typename T> static T signOf(T x, Type type) {
  if (type.isUnsignedInteger())
    return x != 0;
  return x > 0 ? 1 : x < 0 ? -1 : x;
}

namespace {

struct CustomGradientSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<CustomGradientSemantics,
                                                   CustomGradientOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    result = *operands[0];
    return success();
  }
};

} // namespace

void hamkaas::attachMathSemantics(MLIRContext &context) {
  CustomGradientOp::attachInterface<CustomGradientSemantics>(context);
  attachUnary<AbsOp>(context, [](auto x, Type t) { return absolute(x, t); });
  attachUnary<NegOp>(context, [](auto x, Type) { return negate(x); });
  attachUnary<SignOp>(context, [](auto x, Type t) { return signOf(x, t); });
  attachUnary<AcosOp>(context, [](double x, Type) { return std::acos(x); });
  attachUnary<AcoshOp>(context, [](double x, Type) { return std::acosh(x); });
  attachUnary<AsinOp>(context, [](double x, Type) { return std::asin(x); });
  attachUnary<AsinhOp>(context, [](double x, Type) { return std::asinh(x); });
  attachUnary<AtanOp>(context, [](double x, Type) { return std::atan(x); });
  attachUnary<AtanhOp>(context, [](double x, Type) { return std::atanh(x); });
  attachUnary<CeilOp>(context, [](double x, Type) { return std::ceil(x); });
  attachUnary<CosOp>(context, [](double x, Type) { return std::cos(x); });
  attachUnary<CoshOp>(context, [](double x, Type) { return std::cosh(x); });
  attachUnary<ErfOp>(context, [](double x, Type) { return std::erf(x); });
  attachUnary<ExpOp>(context, [](double x, Type) { return std::exp(x); });
  attachUnary<FloorOp>(context, [](double x, Type) { return std::floor(x); });
  attachUnary<LogOp>(context, [](double x, Type) { return std::log(x); });
  attachUnary<RoundOp>(context,
                       [](double x, Type) { return std::nearbyint(x); });
  attachUnary<SinOp>(context, [](double x, Type) { return std::sin(x); });
  attachUnary<SinhOp>(context, [](double x, Type) { return std::sinh(x); });
  attachUnary<SqrtOp>(context, [](double x, Type) { return std::sqrt(x); });
  attachUnary<TanOp>(context, [](double x, Type) { return std::tan(x); });
  attachUnary<TanhOp>(context, [](double x, Type) { return std::tanh(x); });
  attachUnary<SigmoidOp>(context,
                         [](double x, Type) { return 1 / (1 + std::exp(-x)); });
}
