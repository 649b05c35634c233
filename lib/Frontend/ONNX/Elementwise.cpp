//===- Elementwise.cpp - Arithmetic, comparisons and logic ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpContext.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

//===----------------------------------------------------------------------===//
// One operation of the dialect
//===----------------------------------------------------------------------===//

using UnaryFunction = Tensor (GraphBuilder::*)(Tensor);
using BinaryFunction = Tensor (GraphBuilder::*)(Tensor, Tensor);

template <UnaryFunction function>
static Tensors unary(OpContext &op, GraphBuilder &b) {
  return {(b.*function)(op.input(0))};
}

/// A function that leaves integers as they are: rounding.
template <UnaryFunction function>
static Tensors rounding(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  return {x.isInteger() ? x : (b.*function)(x)};
}

/// The second operand of arithmetic. Before opset 7 it is repeated only where
/// the model asks for it, and begins at any dimension of the first one.
static Tensor readSecond(OpContext &op, GraphBuilder &b) {
  Tensor lhs = op.input(0), rhs = op.input(1);
  if (op.version >= 7 || !lhs || !rhs)
    return rhs;
  bool repeats = op.attributes.getInt("broadcast").value_or(0) != 0;
  std::optional<int64_t> axis = op.attributes.getInt("axis");
  if (!repeats) {
    if (lhs.shape() == rhs.shape())
      return rhs;
    return b.fail("expected two tensors of one shape without 'broadcast', "
                  "got " +
                  formatShape(lhs.shape()) + " and " +
                  formatShape(rhs.shape()));
  }
  int64_t first =
      axis ? op.normalizeAxis(*axis, lhs.rank()) : lhs.rank() - rhs.rank();
  if (b.hasFailed())
    return {};
  int64_t behind = lhs.rank() - first - rhs.rank();
  if (first < 0 || behind < 0)
    return b.fail("expected the shape " + formatShape(rhs.shape()) +
                  " within " + formatShape(lhs.shape()));
  Shape shape(rhs.shape());
  shape.append(behind, 1);
  return b.reshape(rhs, shape);
}

template <BinaryFunction function>
static Tensors binary(OpContext &op, GraphBuilder &b) {
  return {(b.*function)(op.input(0), readSecond(op, b))};
}

/// Any number of operands, from left to right.
template <BinaryFunction function>
static Tensors variadic(OpContext &op, GraphBuilder &b) {
  ArrayRef<Tensor> inputs = op.allInputs();
  Tensor result = op.input(0);
  for (const Tensor &input : inputs.drop_front())
    result = (b.*function)(result, input);
  return {result};
}

template <ComparePredicate predicate>
static Tensors compare(OpContext &op, GraphBuilder &b) {
  return {b.compare(predicate, op.input(0), op.input(1))};
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static Tensors importMean(OpContext &op, GraphBuilder &b) {
  Tensor sum = variadic<&GraphBuilder::add>(op, b).front();
  return {b.div(sum, double(op.inputCount()))};
}

static Tensors importMod(OpContext &op, GraphBuilder &b) {
  Tensor l = op.input(0), r = op.input(1);
  bool keepsSign = op.attributes.getInt("fmod").value_or(0) != 0;
  if (!keepsSign && l.isFloat() && op.version < 28)
    return {b.fail("expected the attribute 'fmod' to be 1 for floats, got 0")};
  return {keepsSign ? b.rem(l, r) : b.mod(l, r)};
}

static Tensors importReciprocal(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  return {b.div(b.scalar(x.elementType(), 1), x)};
}

static Tensors importRelu(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  if (x.isInteger())
    return {b.max(x, 0.0)};
  return {b.relu(x)};
}

/// The only element of a constant, if it is one.
static std::optional<double> getSplat(OpContext &op, unsigned i) {
  Tensor x = op.input(i);
  if (!x || !x.isConstant() || x.count() != 1)
    return std::nullopt;
  return (*op.constantFloats(i))[0];
}

/// How many bits of an exponent may be set.
static int countExponentBits(const Tensor &exponent) {
  if (!exponent.isConstant())
    return exponent.elementType().getIntOrFloatBitWidth() - 1;
  int64_t largest = 0;
  for (int64_t value : exponent.elements().i64)
    largest = std::max(largest, value);
  return llvm::bit_width(uint64_t(largest));
}

/// The power of integers by squaring, exact in the arithmetic of their type. A
/// negative exponent leaves 0 but of 1 and -1.
static Tensor raiseIntegers(GraphBuilder &b, Tensor base, Tensor exponent) {
  int bits = countExponentBits(exponent);
  exponent = b.cast(exponent, base.elementType());
  Tensor zero = b.scalar(base.elementType(), 0);
  Tensor one = b.scalar(base.elementType(), 1);
  auto isSet = [&](int bit) {
    Tensor mask = b.scalar(base.elementType(), std::ldexp(1.0, bit));
    return b.ne(b.bitAnd(exponent, mask), zero);
  };
  Tensor sign = b.select(isSet(0), base, one), result = one, square = base;
  for (int bit = 0; bit < bits; ++bit) {
    result = b.select(isSet(bit), b.mul(result, square), result);
    square = b.mul(square, square);
  }
  Tensor isUnit = b.bitOr(b.eq(base, one), b.eq(base, b.neg(one)));
  return b.select(b.lt(exponent, zero), b.select(isUnit, sign, zero), result);
}

static Tensors importPow(OpContext &op, GraphBuilder &b) {
  Tensor base = op.input(0), exponent = op.input(1);
  std::optional<double> splat = getSplat(op, 1);
  if (!base || !exponent)
    return {};
  Tensor square = splat == 2 || splat == 3 ? b.mul(base, base) : Tensor();
  if (square && exponent.rank() <= base.rank())
    return {splat == 2 ? square : b.mul(square, base)};
  if (base.isFloat())
    return {b.pow(base, b.cast(exponent, base.elementType()))};
  if (base.elementType().getIntOrFloatBitWidth() > 32 && !exponent.isFloat())
    return {raiseIntegers(b, base, exponent)};
  // Exact as long as a double holds the result.
  Type wide = Float64Type::get(b.context());
  return {b.cast(b.pow(b.cast(base, wide), b.cast(exponent, wide)),
                 base.elementType())};
}

static Tensors importBitShift(OpContext &op, GraphBuilder &b) {
  StringRef direction = op.attributes.getString("direction").value_or("");
  if (direction != "LEFT" && direction != "RIGHT")
    return {b.fail("expected the attribute 'direction' to be LEFT or RIGHT, "
                   "got '" +
                   direction + "'")};
  Tensor x = op.input(0), bits = op.input(1);
  return {direction == "LEFT" ? b.shiftLeft(x, bits) : b.shiftRight(x, bits)};
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

static Tensors importWhere(OpContext &op, GraphBuilder &b) {
  return {b.select(op.input(0), op.input(1), op.input(2))};
}

static Tensors importIsNaN(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  return {b.ne(x, x)};
}

static Tensors importIsInf(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  double infinity = std::numeric_limits<double>::infinity();
  bool findsPositive = op.attributes.getInt("detect_positive").value_or(1);
  bool findsNegative = op.attributes.getInt("detect_negative").value_or(1);
  if (findsPositive && findsNegative)
    x = b.abs(x);
  Tensor limit =
      b.scalar(x.elementType(), findsPositive ? infinity : -infinity);
  if (!findsPositive && !findsNegative)
    return {b.lt(x, limit)};
  return {b.eq(x, limit)};
}

/// The limits are attributes at first, then inputs.
static Tensors importClip(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), low, high;
  if (op.version >= 11) {
    low = op.optionalInput(1);
    high = op.optionalInput(2);
  } else {
    if (auto value = op.attributes.getFloat("min"))
      low = b.scalar(x.elementType(), *value);
    if (auto value = op.attributes.getFloat("max"))
      high = b.scalar(x.elementType(), *value);
  }
  if (low)
    x = b.max(x, low);
  if (high)
    x = b.min(x, high);
  return {x};
}

ArrayRef<OpDefinition> onnx::getElementwiseOps() {
  static constexpr OpDefinition ops[] = {
      {"Abs", unary<&GraphBuilder::abs>, 13},
      {"Acos", unary<&GraphBuilder::acos>, 22},
      {"Acosh", unary<&GraphBuilder::acosh>, 22},
      {"Add", binary<&GraphBuilder::add>, 14},
      {"And", binary<&GraphBuilder::bitAnd>, 7},
      {"Asin", unary<&GraphBuilder::asin>, 22},
      {"Asinh", unary<&GraphBuilder::asinh>, 22},
      {"Atan", unary<&GraphBuilder::atan>, 22},
      {"Atanh", unary<&GraphBuilder::atanh>, 22},
      {"BitShift", importBitShift, 28},
      {"BitwiseAnd", binary<&GraphBuilder::bitAnd>, 18},
      {"BitwiseNot", unary<&GraphBuilder::bitNot>, 18},
      {"BitwiseOr", binary<&GraphBuilder::bitOr>, 18},
      {"BitwiseXor", binary<&GraphBuilder::bitXor>, 18},
      {"Ceil", rounding<&GraphBuilder::ceil>, 13},
      {"Clip", importClip, 13},
      {"Cos", unary<&GraphBuilder::cos>, 22},
      {"Cosh", unary<&GraphBuilder::cosh>, 22},
      {"Div", binary<&GraphBuilder::div>, 14},
      {"Equal", compare<ComparePredicate::Eq>, 19},
      {"Erf", unary<&GraphBuilder::erf>, 13},
      {"Exp", unary<&GraphBuilder::exp>, 13},
      {"Floor", rounding<&GraphBuilder::floor>, 13},
      {"Greater", compare<ComparePredicate::Gt>, 13},
      {"GreaterOrEqual", compare<ComparePredicate::Ge>, 16},
      {"IsInf", importIsInf, 20},
      {"IsNaN", importIsNaN, 20},
      {"Less", compare<ComparePredicate::Lt>, 13},
      {"LessOrEqual", compare<ComparePredicate::Le>, 16},
      {"Log", unary<&GraphBuilder::log>, 13},
      {"Max", variadic<&GraphBuilder::max>, 13},
      {"Mean", importMean, 13},
      {"Min", variadic<&GraphBuilder::min>, 13},
      {"Mod", importMod, 28},
      {"Mul", binary<&GraphBuilder::mul>, 14},
      {"Neg", unary<&GraphBuilder::neg>, 13},
      {"Not", unary<&GraphBuilder::bitNot>, 1},
      {"Or", binary<&GraphBuilder::bitOr>, 7},
      {"Pow", importPow, 15},
      {"Reciprocal", importReciprocal, 13},
      {"Relu", importRelu, 14},
      {"Round", rounding<&GraphBuilder::round>, 22},
      {"Sigmoid", unary<&GraphBuilder::sigmoid>, 13},
      {"Sign", unary<&GraphBuilder::sign>, 13},
      {"Sin", unary<&GraphBuilder::sin>, 22},
      {"Sinh", unary<&GraphBuilder::sinh>, 22},
      {"Sqrt", unary<&GraphBuilder::sqrt>, 13},
      {"Sub", binary<&GraphBuilder::sub>, 14},
      {"Sum", variadic<&GraphBuilder::add>, 13},
      {"Tan", unary<&GraphBuilder::tan>, 22},
      {"Tanh", unary<&GraphBuilder::tanh>, 13},
      {"Where", importWhere, 16},
      {"Xor", binary<&GraphBuilder::bitXor>, 7},
  };
  return ops;
}
