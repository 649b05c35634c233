//===- RaiseGates.cpp - GELU and HardSwish ----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "RaisePatterns.h"
#include "SimplifyPatterns.h"
#include <array>

using namespace mlir;
using namespace hamkaas;

/// Exporters write the products and sums of an activation in any order, with
/// constants on either side. So the pass compares what they compute: a number
/// times x times its gate, and the polynomial of x that the gate is a function
/// of. The search depth exceeds the need of every activation.
static constexpr int maxProductDepth = 3, maxPolynomialDepth = 6;

/// The same but for how exporters round.
static bool isClose(double found, double expected) {
  return std::abs(found - expected) <= 1e-6 * std::abs(expected);
}

static std::optional<double> getNumber(Value value) {
  std::optional<APFloat> number = getSplatFloat(value);
  return number ? std::optional(number->convertToDouble()) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The factors of `value`, and the intermediate products.
static void collectFactors(Value value, SmallVectorImpl<Value> &factors,
                           int depth = maxProductDepth) {
  factors.push_back(value);
  Operation *op = value.getDefiningOp();
  if (depth == 0 || !isa_and_nonnull<MulOp, DivOp>(op))
    return;
  collectFactors(op->getOperand(0), factors, depth - 1);
  if (isa<MulOp>(op))
    collectFactors(op->getOperand(1), factors, depth - 1);
}

namespace {

/// `scale * x^xs * gate^gates`.
struct Product {
  double scale = 1;
  int xs = 0, gates = 0;
};

} // namespace

/// Multiplies `product` by `value`; false if that has other factors.
static bool multiply(Product &product, Value value, Value x, Value gate,
                     int depth = maxProductDepth) {
  if (value == x || value == gate) {
    ++(value == x ? product.xs : product.gates);
    return true;
  }
  if (std::optional<double> number = getNumber(value)) {
    product.scale *= *number;
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (depth == 0 || !isa_and_nonnull<MulOp, DivOp>(op) ||
      !multiply(product, op->getOperand(0), x, gate, depth - 1))
    return false;
  if (isa<MulOp>(op))
    return multiply(product, op->getOperand(1), x, gate, depth - 1);
  std::optional<double> divisor = getNumber(op->getOperand(1));
  product.scale /= divisor.value_or(1);
  return divisor.has_value();
}

/// The c of `value` = c * x * gate.
static std::optional<double> getScale(Value value, Value x, Value gate) {
  Product product;
  if (!multiply(product, value, x, gate) || product.xs != 1 ||
      product.gates != 1)
    return std::nullopt;
  return product.scale;
}

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

/// The coefficients of 1, x, x^2 and x^3.
using Polynomial = std::array<double, 4>;

static std::optional<Polynomial> multiply(const Polynomial &l,
                                          const Polynomial &r) {
  Polynomial product{};
  for (size_t i = 0; i < l.size(); ++i)
    for (size_t j = 0; j < r.size(); ++j) {
      if (l[i] * r[j] == 0)
        continue;
      if (i + j >= product.size())
        return std::nullopt;
      product[i + j] += l[i] * r[j];
    }
  return product;
}

/// `value` as a polynomial of `x`.
static std::optional<Polynomial> getPolynomial(Value value, Value x,
                                               int depth = maxPolynomialDepth) {
  if (value == x)
    return Polynomial{0, 1, 0, 0};
  if (std::optional<double> number = getNumber(value))
    return Polynomial{*number, 0, 0, 0};
  Operation *op = value.getDefiningOp();
  if (depth == 0 || !isa_and_nonnull<AddOp, MulOp, DivOp>(op))
    return std::nullopt;
  auto l = getPolynomial(op->getOperand(0), x, depth - 1);
  auto r = l ? getPolynomial(op->getOperand(1), x, depth - 1) : std::nullopt;
  if (!r)
    return std::nullopt;
  if (isa<MulOp>(op))
    return multiply(*l, *r);
  if (isa<DivOp>(op)) {
    if (*r != Polynomial{(*r)[0], 0, 0, 0})
      return std::nullopt;
    return multiply(*l, {1 / (*r)[0], 0, 0, 0});
  }
  for (auto [sum, summand] : llvm::zip_equal(*l, *r))
    sum += summand;
  return l;
}

static bool isClose(const std::optional<Polynomial> &found,
                    const Polynomial &expected) {
  return found &&
         llvm::all_of(llvm::zip_equal(*found, expected), [](auto coefficients) {
           auto [l, r] = coefficients;
           return isClose(l, r);
         });
}

//===----------------------------------------------------------------------===//
// Gates
//===----------------------------------------------------------------------===//

/// The f(y) of `gate` = f(y) + a number, with an f that a GELU has; null
/// otherwise.
static Operation *getGeluFunction(Value gate) {
  auto sum = gate.getDefiningOp<AddOp>();
  Operation *function =
      sum && getNumber(sum.getRhs()) ? sum.getLhs().getDefiningOp() : nullptr;
  return isa_and_nonnull<ErfOp, TanhOp>(function) ? function : nullptr;
}

/// Finds which GELU `root` is, with the 1 + f(y) that is `gate` for x.
static Mismatch matchGelu(Value root, Value x, Value gate,
                          GeluApproximation &kind) {
  Operation *function = getGeluFunction(gate);
  if (!function)
    return {"the gate is neither 1 + erf(y) nor 1 + tanh(y)"};
  auto sum = gate.getDefiningOp<AddOp>();
  if (!isNumber(sum.getRhs(), 1))
    return {"the number added to erf or tanh is not 1", sum};
  if (!gate.hasOneUse() || !function->hasOneUse())
    return {"something else needs the gate", sum};
  std::optional<double> scale = getScale(root, x, gate);
  if (!scale)
    return {"x times the gate has a factor that is no number"};
  if (!isClose(*scale, 0.5))
    return {"the constant factor is not 0.5"};
  auto argument = getPolynomial(function->getOperand(0), x);
  double slope = std::sqrt(M_2_PI);
  if (isa<ErfOp>(function) && !isClose(argument, {0, M_SQRT1_2, 0, 0}))
    return {"the argument of erf is not x / sqrt(2)", function};
  if (isa<TanhOp>(function) &&
      !isClose(argument, {0, slope, 0, slope * 0.044715}))
    return {"the argument of tanh is not sqrt(2 / pi) * (x + 0.044715 * x^3)",
            function};
  kind =
      isa<ErfOp>(function) ? GeluApproximation::None : GeluApproximation::Tanh;
  return {};
}

namespace {

/// min(max(y, 0), c), in any order.
struct Clamp {
  Value y;
  double greatest = 0;
  bool isShared = false;
};

} // namespace

static std::optional<Clamp> getClamp(Value value) {
  std::optional<double> least, greatest;
  Clamp clamp;
  for (int i = 0; i < 2; ++i) {
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<ReluOp>(op))
      least = 0;
    else if (isa_and_nonnull<MaxOp>(op))
      least = getNumber(op->getOperand(1));
    else if (isa_and_nonnull<MinOp>(op))
      greatest = getNumber(op->getOperand(1));
    else
      break;
    clamp.isShared |= !value.hasOneUse();
    value = op->getOperand(0);
  }
  if (least != 0 || !greatest)
    return std::nullopt;
  clamp.y = value;
  clamp.greatest = *greatest;
  return clamp;
}

static Mismatch matchHardSwish(Value root, Value x, Value gate) {
  std::optional<Clamp> clamp = getClamp(gate);
  if (!clamp)
    return {"the gate is not min(max(y, 0), c)"};
  if (clamp->isShared)
    return {"something else needs the gate", gate.getDefiningOp()};
  std::optional<double> scale = getScale(root, x, gate);
  if (!scale)
    return {"x times the gate has a factor that is no number"};
  auto line = getPolynomial(clamp->y, x);
  line = line ? multiply(*line, {*scale, 0, 0, 0}) : std::nullopt;
  if (!isClose(line, {0.5, 1.0 / 6, 0, 0}))
    return {"the gate is not a limit of x / 6 + 0.5", gate.getDefiningOp()};
  if (!isClose(*scale * clamp->greatest, 1))
    return {"the upper limit of the gate is not 1", gate.getDefiningOp()};
  return {};
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// A product of x, a function of x, and a number.
template <typename OpTy> struct RaiseGate : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "not of float32");
    SmallVector<Value> factors;
    collectFactors(op, factors);
    for (Value gate : factors) {
      if (!isa_and_nonnull<AddOp, MaxOp, MinOp, ReluOp>(gate.getDefiningOp()))
        continue;
      for (Value x : factors)
        if (Value raised = raise(op, x, gate, rewriter)) {
          rewriter.replaceOp(op, raised);
          return success();
        }
    }
    return rewriter.notifyMatchFailure(op, "not x times a gate of x");
  }

private:
  static Value raise(OpTy op, Value x, Value gate, PatternRewriter &rewriter) {
    if (x.getType() != op.getType())
      return nullptr;
    Location loc = fuseLocations(gate.getDefiningOp(), op);
    GeluApproximation kind;
    if (!matchGelu(op, x, gate, kind))
      return GeluOp::create(rewriter, loc, x.getType(), x, kind);
    if (!matchHardSwish(op, x, gate))
      return HardSwishOp::create(rewriter, loc, x);
    return nullptr;
  }
};

} // namespace

void hamkaas::populateRaiseGatePatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseGate<MulOp>, RaiseGate<DivOp>>(patterns.getContext());
}

//===----------------------------------------------------------------------===//
// Near misses
//===----------------------------------------------------------------------===//

/// Returns whether `y` is a polynomial of `x` that depends on it.
static bool dependsOn(Value y, Value x) {
  std::optional<Polynomial> polynomial = getPolynomial(y, x);
  return polynomial && *polynomial != Polynomial{(*polynomial)[0], 0, 0, 0};
}

static Mismatch checkFloat32(Value value, Mismatch mismatch) {
  if (getElementTypeOrSelf(value).isF32())
    return mismatch;
  return {"the elements are not float32", value.getDefiningOp()};
}

/// Tells of `root`, if it is x times a function of x.
static bool findMissedGateOf(Value root, Value x, Value gate, MissedFn missed) {
  Operation *function = getGeluFunction(gate);
  std::optional<Clamp> clamp = getClamp(gate);
  GeluApproximation kind;
  if (function && dependsOn(function->getOperand(0), x))
    missed("gelu", root.getDefiningOp(),
           checkFloat32(root, matchGelu(root, x, gate, kind)));
  else if (clamp && dependsOn(clamp->y, x))
    missed("hard_swish", root.getDefiningOp(),
           checkFloat32(root, matchHardSwish(root, x, gate)));
  else
    return false;
  return true;
}

void hamkaas::findMissedGate(Operation *op, MissedFn missed) {
  // The last of several products has all factors.
  if (!isa<MulOp, DivOp>(op) ||
      (op->hasOneUse() && isa<MulOp, DivOp>(*op->user_begin())))
    return;
  SmallVector<Value> factors;
  collectFactors(op->getResult(0), factors);
  for (Value gate : factors)
    for (Value x : factors)
      if (x.getType() == op->getResult(0).getType() &&
          findMissedGateOf(op->getResult(0), x, gate, missed))
        return;
}
