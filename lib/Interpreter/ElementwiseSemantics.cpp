//===- ElementwiseSemantics.cpp - Meaning on each element -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementSemantics.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "llvm/ADT/APInt.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace hamkaas;

static bool isUnsigned(Type type) {
  return type.isUnsignedInteger() || type.isInteger(1);
}

// Unsigned, where overflow is defined: it wraps, as the types are meant to.
template <typename T> static T add(T l, T r) {
  if constexpr (isFloating<T>)
    return l + r;
  else
    return static_cast<uint64_t>(l) + static_cast<uint64_t>(r);
}
template <typename T> static T subtract(T l, T r) {
  if constexpr (isFloating<T>)
    return l - r;
  else
    return static_cast<uint64_t>(l) - static_cast<uint64_t>(r);
}
template <typename T> static T multiply(T l, T r) {
  if constexpr (isFloating<T>)
    return l * r;
  else
    return static_cast<uint64_t>(l) * static_cast<uint64_t>(r);
}

/// Returns whether `l < r` in `type`.
template <typename T> static bool isLess(T l, T r, Type type) {
  if constexpr (!isFloating<T>)
    if (isUnsigned(type))
      return static_cast<uint64_t>(l) < static_cast<uint64_t>(r);
  return l < r;
}

template <typename T> static T divide(T l, T r, Type type) {
  if constexpr (isFloating<T>) {
    return l / r;
  } else {
    if (r == 0)
      return 0;
    if (isUnsigned(type))
      return static_cast<uint64_t>(l) / static_cast<uint64_t>(r);
    return r == -1 ? subtract<T>(0, l) : l / r;
  }
}

template <typename T> static T remainder(T l, T r, Type type) {
  if constexpr (isFloating<T>) {
    return std::fmod(l, r);
  } else {
    if (r == 0 || (r == -1 && !isUnsigned(type)))
      return 0;
    if (isUnsigned(type))
      return static_cast<uint64_t>(l) % static_cast<uint64_t>(r);
    return l % r;
  }
}

template <typename T> static T modulo(T l, T r, Type type) {
  T result = remainder(l, r, type);
  if (!isUnsigned(type) && result != 0 && (result < 0) != (r < 0))
    result += r;
  return result;
}

template <typename T> static T maximum(T l, T r, Type type) {
  if constexpr (isFloating<T>) {
    if (std::isnan(l) || std::isnan(r))
      return std::numeric_limits<T>::quiet_NaN();
    if (l == r)
      return std::signbit(l) ? r : l;
  }
  return isLess(l, r, type) ? r : l;
}

template <typename T> static T minimum(T l, T r, Type type) {
  if constexpr (isFloating<T>) {
    if (std::isnan(l) || std::isnan(r))
      return std::numeric_limits<T>::quiet_NaN();
    if (l == r)
      return std::signbit(l) ? l : r;
  }
  return isLess(r, l, type) ? r : l;
}

static bool isWithinBits(int64_t amount, Type type) {
  return amount >= 0 && amount < type.getIntOrFloatBitWidth();
}

template <typename T>
static bool holds(ComparePredicate predicate, T l, T r, Type type) {
  switch (predicate) {
  case ComparePredicate::Eq:
    return l == r;
  case ComparePredicate::Ne:
    return l != r;
  case ComparePredicate::Lt:
    return isLess(l, r, type);
  case ComparePredicate::Le:
    return l == r || isLess(l, r, type);
  case ComparePredicate::Gt:
    return isLess(r, l, type);
  case ComparePredicate::Ge:
    return l == r || isLess(r, l, type);
  }
  llvm_unreachable("a predicate without a meaning");
}

/// Towards 0, to the nearest integer of `type`; 0 for NaN.
static int64_t toInteger(double x, Type type) {
  if (type.isInteger(1))
    return x != 0;
  if (std::isnan(x))
    return 0;
  bool isSigned = !type.isUnsignedInteger();
  unsigned width = type.getIntOrFloatBitWidth();
  double limit = std::ldexp(1.0, isSigned ? width - 1 : width);
  if (x >= limit)
    return isSigned ? llvm::APInt::getSignedMaxValue(width).getSExtValue()
                    : static_cast<int64_t>(~uint64_t(0) >> (64 - width));
  if (x < (isSigned ? -limit : 0.0))
    return isSigned ? llvm::APInt::getSignedMinValue(width).getSExtValue() : 0;
  return isSigned ? static_cast<int64_t>(x)
                  : static_cast<int64_t>(static_cast<uint64_t>(x));
}

namespace {

struct ComplexMulSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<ComplexMulSemantics,
                                                   ComplexMulOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    const ReferenceTensor &lhs = *operands[0], &rhs = *operands[1];
    int64_t i = 0;
    forEachIndex(result.shape().drop_back(), [&](ArrayRef<int64_t> index) {
      int64_t j = 2 * getOffset(rhs.shape().drop_back(), index);
      double a = lhs.f32[i], b = lhs.f32[i + 1];
      double c = rhs.f32[j], d = rhs.f32[j + 1];
      result.f32[i] = a * c - b * d;
      result.f32[i + 1] = a * d + b * c;
      i += 2;
    });
    return success();
  }
};

struct CompareSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<CompareSemantics,
                                                   CompareOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    const ReferenceTensor &l = *operands[0], &r = *operands[1];
    auto compare = [&, predicate = cast<CompareOp>(op).getPredicate(),
                    type = l.type.getElementType()](auto a, auto b) {
      return holds(predicate, a, b, type);
    };
    if (ReferenceTensor::holdsFloat32(l.type))
      mapElements(operands, result, result.i64, compare, l.f32, r.f32);
    else if (l.type.getElementType().isF64())
      mapElements(operands, result, result.i64, compare, l.f64, r.f64);
    else
      mapElements(operands, result, result.i64, compare, l.i64, r.i64);
    return success();
  }
};

struct GeluSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<GeluSemantics, GeluOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    bool isTanh = cast<GeluOp>(op).getApproximate() == GeluApproximation::Tanh;
    mapElements(
        operands, result, result.f32,
        [&](double x) {
          double inner =
              isTanh
                  ? std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))
                  : std::erf(x / M_SQRT2);
          return 0.5 * x * (1 + inner);
        },
        operands[0]->f32);
    return success();
  }
};

struct SelectSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<SelectSemantics, SelectOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    for (auto [i, condition] : llvm::enumerate(operands[0]->i64)) {
      const ReferenceTensor &from = *operands[condition ? 1 : 2];
      if (!from.f32.empty())
        result.f32[i] = from.f32[i];
      else if (!from.f64.empty())
        result.f64[i] = from.f64[i];
      else
        result.i64[i] = from.i64[i];
    }
    return success();
  }
};

struct CastSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<CastSemantics, CastOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    const ReferenceTensor &x = *operands[0];
    Type from = x.type.getElementType(), to = result.type.getElementType();
    x.withElements([&](const auto &source) {
      using T = typename std::decay_t<decltype(source)>::value_type;
      result.withElements([&](auto &target) {
        using U = typename std::decay_t<decltype(target)>::value_type;
        for (auto [element, value] : llvm::zip_equal(source, target))
          value = convert<T, U>(element, from, to);
      });
    });
    return success();
  }

private:
  template <typename T, typename U> static U convert(T x, Type from, Type to) {
    if constexpr (isFloating<T> && !isFloating<U>)
      return toInteger(x, to);
    else if (!isFloating<T> && isFloating<U> && isUnsigned(from))
      return static_cast<U>(static_cast<uint64_t>(x));
    else
      return static_cast<U>(x);
  }
};

struct BitcastSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<BitcastSemantics,
                                                   BitcastOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    const ReferenceTensor &x = *operands[0];
    Type from = x.type.getElementType(), to = result.type.getElementType();
    x.withElements([&](const auto &source) {
      result.withElements([&](auto &target) {
        for (auto [element, value] : llvm::zip_equal(source, target))
          read(getBits(element, from), to, value);
      });
    });
    return success();
  }

private:
  template <typename T> static APInt getBits(T x, Type type) {
    if constexpr (isFloating<T>) {
      APFloat value(x);
      bool losesInfo;
      value.convert(cast<FloatType>(type).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &losesInfo);
      return value.bitcastToAPInt();
    } else {
      return APInt(64, uint64_t(x)).trunc(type.getIntOrFloatBitWidth());
    }
  }

  template <typename T> static void read(APInt bits, Type type, T &value) {
    if constexpr (isFloating<T>) {
      APFloat number(cast<FloatType>(type).getFloatSemantics(), bits);
      bool losesInfo;
      number.convert(std::is_same_v<T, float> ? APFloat::IEEEsingle()
                                              : APFloat::IEEEdouble(),
                     APFloat::rmNearestTiesToEven, &losesInfo);
      std::memcpy(&value, number.bitcastToAPInt().getRawData(), sizeof(T));
    } else {
      value =
          isUnsigned(type) ? int64_t(bits.getZExtValue()) : bits.getSExtValue();
    }
  }
};

struct BroadcastSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<BroadcastSemantics,
                                                   BroadcastOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    auto keep = [](auto x) { return x; };
    const ReferenceTensor &x = *operands[0];
    if (!x.f32.empty())
      mapElements(operands, result, result.f32, keep, x.f32);
    else if (!x.f64.empty())
      mapElements(operands, result, result.f64, keep, x.f64);
    else
      mapElements(operands, result, result.i64, keep, x.i64);
    return success();
  }
};

struct IotaSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<IotaSemantics, IotaOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    int64_t dim = cast<IotaOp>(op).getDim();
    result.withElements([&](auto &elements) {
      int64_t i = 0;
      forEachIndex(result.shape(), [&](ArrayRef<int64_t> index) {
        elements[i++] = index[dim];
      });
    });
    return success();
  }
};

} // namespace

static void attachArithmetic(MLIRContext &context) {
  attachBinary<AddOp>(context, [](auto l, auto r, Type) { return add(l, r); });
  attachBinary<SubOp>(context,
                      [](auto l, auto r, Type) { return subtract(l, r); });
  attachBinary<MulOp>(context,
                      [](auto l, auto r, Type) { return multiply(l, r); });
  attachBinary<DivOp>(context,
                      [](auto l, auto r, Type t) { return divide(l, r, t); });
  attachBinary<RemOp>(
      context, [](auto l, auto r, Type t) { return remainder(l, r, t); });
  attachBinary<ModOp>(context,
                      [](auto l, auto r, Type t) { return modulo(l, r, t); });
  attachBinary<MaxOp>(context,
                      [](auto l, auto r, Type t) { return maximum(l, r, t); });
  attachBinary<MinOp>(context,
                      [](auto l, auto r, Type t) { return minimum(l, r, t); });
  attachBinary<PowOp>(context,
                      [](double l, double r, Type) { return std::pow(l, r); });
}

static void attachLogic(MLIRContext &context) {
  attachBinary<AndOp>(context,
                      [](int64_t l, int64_t r, Type) { return l & r; });
  attachBinary<OrOp>(context, [](int64_t l, int64_t r, Type) { return l | r; });
  attachBinary<XorOp>(context,
                      [](int64_t l, int64_t r, Type) { return l ^ r; });
  attachUnary<NotOp>(context, [](int64_t x, Type type) -> int64_t {
    return type.isInteger(1) ? !x : ~x;
  });
  attachBinary<ShiftLeftOp>(
      context, [](int64_t l, int64_t r, Type type) -> int64_t {
        return isWithinBits(r, type) ? static_cast<uint64_t>(l) << r : 0;
      });
  attachBinary<ShiftRightOp>(
      context, [](int64_t l, int64_t r, Type type) -> int64_t {
        if (!isWithinBits(r, type))
          return l < 0 && !isUnsigned(type) ? -1 : 0;
        return isUnsigned(type) ? static_cast<uint64_t>(l) >> r : l >> r;
      });
}

void hamkaas::attachElementwiseSemantics(MLIRContext &context) {
  attachArithmetic(context);
  attachLogic(context);
  BitcastOp::attachInterface<BitcastSemantics>(context);
  BroadcastOp::attachInterface<BroadcastSemantics>(context);
  CastOp::attachInterface<CastSemantics>(context);
  CompareOp::attachInterface<CompareSemantics>(context);
  ComplexMulOp::attachInterface<ComplexMulSemantics>(context);
  IotaOp::attachInterface<IotaSemantics>(context);
  SelectOp::attachInterface<SelectSemantics>(context);
  GeluOp::attachInterface<GeluSemantics>(context);
  attachUnary<HardSwishOp>(context, [](double x, Type type) {
    return x * minimum(maximum(x / 6 + 0.5, 0.0, type), 1.0, type);
  });
  // Neither NaN nor -0.0 is below 0, so that both stay.
  attachUnary<ReluOp>(context, [](double x, Type) { return x < 0 ? 0 : x; });
  attachUnary<SiluOp>(context,
                      [](double x, Type) { return x / (1 + std::exp(-x)); });
}
