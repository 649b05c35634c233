//===- Operators.h - Operators on values of a graph -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// + - * / % and comparisons of values, and of values and numbers, which get the
// element type of the value. Shapes are aligned from the right, and dimensions
// of size 1 are repeated. `%` has the sign of the dividend, as in C++.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_OPERATORS_H
#define HAMKAAS_CPP_OPERATORS_H

#include "hamkaas-cpp/Operations.h"
#include "hamkaas-cpp/Tensor.h"

#include <algorithm>
#include <cmath>

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {

namespace detail {

/// An operand of an operator, with the place of the operator: one cannot have a
/// default argument, but the conversion of its operand can.
struct Operand {
  Operand(const Value &value, Position at = Position::here())
      : value(value), number(0), isNumber(false), at(at) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Operand(T number, Position at = Position::here())
      : number(number), isNumber(true), at(at) {}

  Value value; // none for a number
  Number number;
  bool isNumber;
  Position at;
};

/// Keeps or throws an error of an operator.
inline void fail(GraphData &graph, Position at, const std::string &problem) {
  graph.fail(std::string(at.file) + ":" + std::to_string(at.line) +
             ": error: " + problem);
}

/// True if the number is one of an integer type, or 0 or 1 for booleans.
inline bool isIn(int32_t type, const Number &number) {
  if (std::floor(number.real) != number.real)
    return false;
  bool isSigned = type == HamKaasInt8 || type == HamKaasInt16 ||
                  type == HamKaasInt32 || type == HamKaasInt64;
  int bits = type == HamKaasBool
                 ? 1
                 : 8 * static_cast<int>(elementTypeInfo(type).size);
  // Doubles are too coarse at the ends of 64 bits.
  if (bits == 64 && number.isInteger)
    return isSigned ? (number.integer < 0) == (number.real < 0)
                    : number.real >= 0;
  double end = std::ldexp(1.0, isSigned ? bits - 1 : bits);
  return number.real >= (isSigned ? -end : 0) && number.real < end;
}

inline std::vector<int64_t> ones(int32_t rank) {
  return std::vector<int64_t>(static_cast<size_t>(rank), 1);
}

/// A number of the element type of `like`, which repeats in its shape.
inline Value makeNumber(const Number &number, const Value &like, Position at) {
  if (!like)
    return Value();
  HamKaasTensorType type = like.type();
  bool isFloat =
      type.elementType <= HamKaasBFloat16 && type.elementType != HamKaasInt64;
  HamKaasGraphTensor tensor = {};
  std::vector<int64_t> shape = ones(type.rank);
  double real = number.real;
  int64_t integer = number.integer;
  if (!isFloat && !isIn(type.elementType, number)) {
    fail(*like.owner(), at,
         std::string("expected a number of ") +
             elementTypeInfo(type.elementType).name +
             " beside a tensor of it, got " + std::to_string(real));
    return Value();
  }
  tensor.structSize = sizeof(tensor);
  tensor.elementType = isFloat ? HamKaasFloat64 : HamKaasInt64;
  tensor.rank = type.rank;
  tensor.shape = shape.data();
  tensor.data = isFloat ? static_cast<const void *>(&real) : &integer;
  tensor.bytes = 8;
  tensor.file = at.file;
  tensor.line = at.line;
  HamKaasValue value = 0;
  like.owner()->check(
      HamKaasGraphAddConstant(like.owner()->handle, &tensor, &value));
  Value constant = value ? Value(like.owner(), value) : Value();
  if (tensor.elementType == type.elementType)
    return constant;
  return cast(
      constant,
      CastOptions().type(static_cast<HamKaasElementType>(type.elementType)),
      at);
}

/// `value` with dimensions of size 1 before its own.
inline Value addDimensions(const Value &value, size_t rank, Position at) {
  std::vector<int64_t> shape = value.shape();
  if (shape.size() >= rank)
    return value;
  shape.insert(shape.begin(), rank - shape.size(), 1);
  return reshape(value, ReshapeOptions().shape(shape), at);
}

/// Gives both one rank, and `lhs` the sizes of `rhs` where its own are 1: the
/// operations repeat those of `rhs`.
inline void alignShapes(Value &lhs, Value &rhs, Position at) {
  size_t rank = std::max(lhs.shape().size(), rhs.shape().size());
  lhs = addDimensions(lhs, rank, at);
  rhs = addDimensions(rhs, rank, at);
  std::vector<int64_t> shape = lhs.shape(), other = rhs.shape();
  bool isSame = true;
  for (size_t i = 0; i < shape.size() && i < other.size(); ++i)
    if (shape[i] == 1 && other[i] != 1) {
      shape[i] = other[i];
      isSame = false;
    }
  if (!isSame)
    lhs = broadcast(lhs, BroadcastOptions().shape(shape), at);
}

/// Calls `function` with both operands as values of one shape.
template <typename Function>
Value apply(const Operand &lhs, const Operand &rhs, Function function) {
  Position at = rhs.at;
  Value a = lhs.isNumber ? makeNumber(lhs.number, rhs.value, at) : lhs.value;
  Value b = rhs.isNumber ? makeNumber(rhs.number, lhs.value, at) : rhs.value;
  if (!a || !b) {
    // After an error in the graph, this one would be a consequence.
    GraphData *graph = a ? a.owner() : b.owner();
    if (graph && graph->problem.empty())
      fail(*graph, at, "expected two values, got none");
    return Value();
  }
  alignShapes(a, b, at);
  return function(a, b, at);
}

} // namespace detail

// NOTE: both operands convert, so that C++20 does not take `a == b` for `b ==
// a` as well. Numbers alone have their own operators.
#define HAMKAAS_CPP_OPERATOR(SYMBOL, CALL)                                     \
  inline Value operator SYMBOL(const detail::Operand &lhs,                     \
                               const detail::Operand &rhs) {                   \
    return detail::apply(                                                      \
        lhs, rhs,                                                              \
        [](const Value &a, const Value &b, Position at) { return CALL; });     \
  }
HAMKAAS_CPP_OPERATOR(+, add(a, b, at))
HAMKAAS_CPP_OPERATOR(-, sub(a, b, at))
HAMKAAS_CPP_OPERATOR(*, mul(a, b, at))
HAMKAAS_CPP_OPERATOR(/, div(a, b, at))
HAMKAAS_CPP_OPERATOR(%, rem(a, b, at))
HAMKAAS_CPP_OPERATOR(&, and_(a, b, at))
HAMKAAS_CPP_OPERATOR(|, or_(a, b, at))
HAMKAAS_CPP_OPERATOR(^, xor_(a, b, at))
HAMKAAS_CPP_OPERATOR(==, compare(a, b, "eq", at))
HAMKAAS_CPP_OPERATOR(!=, compare(a, b, "ne", at))
HAMKAAS_CPP_OPERATOR(<, compare(a, b, "lt", at))
HAMKAAS_CPP_OPERATOR(<=, compare(a, b, "le", at))
HAMKAAS_CPP_OPERATOR(>, compare(a, b, "gt", at))
HAMKAAS_CPP_OPERATOR(>=, compare(a, b, "ge", at))
#undef HAMKAAS_CPP_OPERATOR

inline Value operator-(const detail::Operand &x) { return neg(x.value, x.at); }
inline Value operator~(const detail::Operand &x) { return not_(x.value, x.at); }

} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_OPERATORS_H
