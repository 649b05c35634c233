//===- Expression.h - Computations that are not done yet --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_ARRAY_EXPRESSION_H
#define HAMKAAS_CPP_ARRAY_EXPRESSION_H

#include "hamkaas-cpp/Array/Compute.h"

#include <tuple>

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {

template <typename T> class View;

namespace detail {

struct ExpressionBase {};

/// An array in an expression: shares its elements.
template <typename T> struct Leaf : ExpressionBase {
  using Element = T;
  static constexpr int32_t operandCount = 1;
  static constexpr int32_t keyWords = elementsKeyWords;
  static constexpr bool isElementwise = true;

  explicit Leaf(const Elements &elements) : elements(elements) {}
  void gather(Gatherer &gatherer) const { gatherer.addElements(elements); }
  Node record(Recorder &recorder) const { return recorder.takeOperand(); }

  Elements elements;
};

/// A number in an expression: an input of the program, so that another number
/// does not compile another program.
template <typename T> struct Scalar : ExpressionBase {
  using Element = T;
  static constexpr bool isHalf =
      std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
  /// C++ has no arithmetic to convert a number to 16 bits; the program does.
  using Stored = std::conditional_t<isHalf, float, T>;
  static constexpr int32_t operandCount = 1;
  static constexpr int32_t keyWords = 0;
  static constexpr bool isElementwise = true;

  template <typename Number>
  explicit Scalar(Number number) : value(static_cast<Stored>(number)) {}
  void gather(Gatherer &gatherer) const {
    gatherer.addScalar(&value, ElementTypeOf<Stored>::value);
  }
  Node record(Recorder &recorder) const {
    Node node = recorder.takeOperand();
    if constexpr (isHalf)
      node =
          recorder.add("cast", {node},
                       {Attribute::makeType("type", ElementTypeOf<T>::value)});
    return node;
  }

  Stored value;
};

} // namespace detail

/// An operation on operands. It has values when it is assigned, evaluated or
/// printed; until then it shares the elements of its arrays.
template <typename Operation, typename... Operands>
class Expression : public detail::ExpressionBase {
public:
  using Element = typename Operation::Element;
  static constexpr int32_t operandCount = (Operands::operandCount + ...);
  static constexpr int32_t keyWords =
      (Operands::keyWords + ...) + Operation::keyWords;
  static constexpr bool isElementwise =
      (Operands::isElementwise && ...) && Operation::isElementwise;

  explicit Expression(Operation operation, Operands... operands)
      : operation(std::move(operation)), operands(std::move(operands)...) {}

  void gather(detail::Gatherer &gatherer) const {
    operation.sign(gatherer);
    std::apply([&](const auto &...each) { (each.gather(gatherer), ...); },
               operands);
  }
  detail::Node record(detail::Recorder &recorder) const {
    // NOTE: an initializer list is evaluated in order, as operands are taken.
    return std::apply(
        [&](const auto &...each) {
          return operation.record(
              recorder, std::vector<detail::Node>{each.record(recorder)...});
        },
        operands);
  }

#ifdef HAMKAAS_EXCEPTIONS
  /// Computes a condition: `if (any(x > 1))`.
  explicit operator bool() const;
#endif

private:
  Operation operation;
  std::tuple<Operands...> operands;
};

namespace detail {

template <typename X>
inline constexpr bool isElements = std::is_base_of_v<Elements, X>;
template <typename X>
inline constexpr bool isExpression = std::is_base_of_v<ExpressionBase, X>;
/// The operands of operations beside numbers.
template <typename X>
inline constexpr bool isArray = isElements<X> || isExpression<X>;

/// The operand of an operation on elements of type T.
template <typename T, typename X> auto nest(const X &x) {
  if constexpr (isElements<X>) {
    return Leaf<typename X::Element>(x);
  } else if constexpr (isExpression<X>) {
    return x;
  } else {
    static_assert(std::is_floating_point_v<T> || Scalar<T>::isHalf ||
                      !std::is_floating_point_v<X>,
                  "expected a whole number for an array of integers; "
                  "cast<float>(array) has fractions");
    return Scalar<T>(x);
  }
}
template <typename X> auto nestArray(const X &x) {
  return nest<typename X::Element>(x);
}

template <typename X, bool = isArray<X>> struct ElementOf {
  using Type = void;
};
template <typename X> struct ElementOf<X, true> {
  using Type = typename X::Element;
};

template <typename First, typename... Rest> struct FirstElement {
  using Own = typename ElementOf<First>::Type;
  using Type =
      typename std::conditional_t<std::is_void_v<Own>, FirstElement<Rest...>,
                                  ElementOf<First>>::Type;
};
template <typename Last> struct FirstElement<Last> : ElementOf<Last> {};

/// The one element type of operands, some of which may be numbers.
template <typename... X> struct Common {
  using Type = typename FirstElement<X...>::Type;
  static_assert(((std::is_void_v<typename ElementOf<X>::Type> ||
                  std::is_same_v<typename ElementOf<X>::Type, Type>) &&
                 ...),
                "expected operands of one element type; cast<T>(x) converts");
};
template <typename... X> using CommonElement = typename Common<X...>::Type;

/// For operands of which at least one is an array, and the others numbers.
template <typename... X>
using EnableForOperands =
    std::enable_if_t<(isArray<X> || ...) &&
                     ((isArray<X> || std::is_arithmetic_v<X>) && ...)>;
template <typename X> using EnableForArray = std::enable_if_t<isArray<X>>;

template <typename Operation, typename... Operands>
Expression<Operation, Operands...> makeExpression(Operation operation,
                                                  Operands... operands) {
  return Expression<Operation, Operands...>(std::move(operation),
                                            std::move(operands)...);
}

/// The programs of a type of expression. NOTE: never destroyed, because arrays
/// of static storage duration may be computed until the end of the process.
template <typename E> Programs &programsOf() {
  static Programs *programs = new Programs;
  return *programs;
}

/// Returns a problem, or nothing.
template <typename E>
std::string compute(const E &expression, Elements &target, bool mayResize,
                    Device device, Position at) {
  Argument operands[E::operandCount];
  const void *addresses[E::operandCount];
  int64_t key[E::keyWords + 1];
  Gatherer gatherer(operands, key);
  expression.gather(gatherer);
  Request request = {programsOf<E>(),
                     &expression,
                     [](const void *given, Recorder &recorder, Node &result) {
                       result = static_cast<const E *>(given)->record(recorder);
                     },
                     operands,
                     addresses,
                     gatherer.count,
                     key,
                     gatherer.keySize,
                     E::isElementwise,
                     device,
                     at};
  return Computer(request, target, mayResize).run();
}

/// An array that is assigned is copied, without a program.
template <typename T>
std::string compute(const Leaf<T> &leaf, Elements &target, bool mayResize,
                    Device, Position at) {
  using Access = ElementsAccess;
  const Elements &source = leaf.elements;
  if (!Access::first(source))
    return source.problem().empty()
               ? locate(at, "expected an array with elements, got one that "
                            "nothing was assigned to")
               : source.problem();
  std::string problem;
  if (!Access::first(target) || target.shape() != source.shape()) {
    if (!mayResize)
      return locate(at, "expected an array of shape " +
                            describe(target.shape()) + ", got " +
                            describe(source.shape()));
    Elements fresh(Access::type(target));
    problem = Access::allocate(fresh, source.shape());
    if (problem.empty())
      target = fresh;
  }
  if (problem.empty())
    problem = Access::copy(target, source);
  return problem.empty() ? "" : locate(at, problem);
}

} // namespace detail

/// An assignment to an array: the expression, and where it is computed.
template <typename T> class Computation {
public:
  template <typename E, typename = std::enable_if_t<detail::isArray<E>>>
  Computation(const E &expression, Position at = Position::here())
      : expression(&expression), at(at), function(&compute<E>) {
    static_assert(std::is_same_v<typename E::Element, T>,
                  "expected an expression of the array's element type; "
                  "cast<T>(x) converts");
  }

  /// Returns a problem, or nothing.
  std::string run(detail::Elements &target, bool mayResize,
                  Device device) const {
    return function(expression, target, mayResize, device, at);
  }
  Position position() const { return at; }

private:
  template <typename E>
  static std::string compute(const void *given, detail::Elements &target,
                             bool mayResize, Device device, Position at) {
    const E &expression = *static_cast<const E *>(given);
    if constexpr (detail::isElements<E>)
      return detail::compute(detail::Leaf<T>(expression), target, mayResize,
                             device, at);
    else
      return detail::compute(expression, target, mayResize, device, at);
  }

  const void *expression;
  Position at;
  std::string (*function)(const void *, detail::Elements &, bool, Device,
                          Position);
};

} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_ARRAY_EXPRESSION_H
