//===- Operations.h - Operations of expressions -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names are those of the Python array API standard; each operation is one of
// the compiler (docs/reference), or a few. Shapes broadcast as numpy's.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_ARRAY_OPERATIONS_H
#define HAMKAAS_CPP_ARRAY_OPERATIONS_H

#include "hamkaas-cpp/Array/View.h"

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {
namespace detail {

using Nodes = const std::vector<Node> &;

/// An operation on elements; `Name::name()` is the compiler's. T is the element
/// type of the result.
template <typename Name, typename T> struct Elementwise {
  using Element = T;
  static constexpr int32_t keyWords = 0;
  static constexpr bool isElementwise = true;
  void sign(Gatherer &) const {}
  Node record(Recorder &recorder, Nodes operands) const {
    return recorder.addElementwise(Name::name(), operands);
  }
};

template <typename Predicate, typename T>
struct Compare : Elementwise<T, bool> {
  Node record(Recorder &recorder, Nodes operands) const {
    return recorder.addElementwise(
        "compare", operands,
        {Attribute::makeWord("predicate", Predicate::name())});
  }
};

template <typename T> struct Cast : Elementwise<T, T> {
  Node record(Recorder &recorder, Nodes operands) const {
    return recorder.add("cast", operands,
                        {Attribute::makeType("type", ElementTypeOf<T>::value)});
  }
};

/// An operation with a list of dimensions, which is part of the key.
template <typename T> struct WithDims {
  using Element = T;
  static constexpr int32_t keyWords = 1 + maxRank;
  static constexpr bool isElementwise = false;
  void sign(Gatherer &gatherer) const { gatherer.add(dims); }

  Dims dims;
};

/// Negative dimensions count from the end.
inline void normalize(Recorder &recorder, Dims &dims, int32_t rank) {
  for (int32_t i = 0; i < dims.size() && i < maxRank; ++i) {
    if (dims[i] < -rank || dims[i] >= rank)
      recorder.fail("expected dimensions from " + std::to_string(-rank) +
                    " to " + std::to_string(rank - 1) + ", got " +
                    describe(dims));
    dims[i] += dims[i] < 0 ? rank : 0;
  }
}

} // namespace detail

/// Keeps or drops the dimensions that a reduction sums over, of size 1 then.
enum class Keep { no, yes };

namespace detail {

/// Combines all elements along `dims`, or all elements if there are none.
template <typename Combiner, typename T> struct Reduce : WithDims<T> {
  static constexpr int32_t keyWords = WithDims<T>::keyWords + 1;
  void sign(Gatherer &gatherer) const {
    WithDims<T>::sign(gatherer);
    gatherer.add(keep == Keep::yes);
  }
  Node record(Recorder &recorder, Nodes operands) const {
    Node x = operands[0];
    Dims given = this->dims, ascending, kept = x.shape;
    normalize(recorder, given, x.shape.size());
    for (int32_t dim = 0; dim < x.shape.size(); ++dim) {
      int32_t uses = given.size() == 0;
      for (int64_t entry : given)
        uses += entry == dim;
      if (uses > 1)
        recorder.fail("expected each dimension once, got " +
                      describe(this->dims));
      if (uses)
        ascending.push(dim);
      if (uses)
        kept[dim] = 1;
    }
    // A scalar has nothing to combine.
    Node result =
        x.shape.size() == 0
            ? x
            : recorder.add("reduce", {x},
                           {Attribute::makeWord("combiner", Combiner::name()),
                            integers("dims", ascending)});
    return keep == Keep::yes ? recorder.reshape(result, kept) : result;
  }

  Keep keep = Keep::no;
};

template <typename T> struct Permute : WithDims<T> {
  Node record(Recorder &recorder, Nodes operands) const {
    Node x = operands[0];
    Dims order = this->dims;
    if (order.size() == 0)
      for (int32_t i = x.shape.size(); i-- > 0;)
        order.push(i);
    Layout layout = Layout::dense(x.shape);
    std::string problem = detail::permute(layout, order);
    if (!problem.empty())
      recorder.fail(problem);
    return recorder.permute(x, order);
  }
};

template <typename T> struct Reshape : WithDims<T> {
  Node record(Recorder &recorder, Nodes operands) const {
    Node x = operands[0];
    Dims shape = this->dims;
    std::string problem = inferShape(shape, Layout::dense(x.shape).elements());
    if (!problem.empty())
      recorder.fail(problem);
    return recorder.reshape(x, shape);
  }
};

template <typename T> struct BroadcastTo : WithDims<T> {
  Node record(Recorder &recorder, Nodes operands) const {
    return recorder.broadcast(operands[0], this->dims);
  }
};

template <typename T> struct Concat : WithDims<T> {
  Node record(Recorder &recorder, Nodes operands) const {
    Dims dim = this->dims;
    normalize(recorder, dim, operands[0].shape.size());
    return recorder.add("concat", operands,
                        {Attribute::makeInteger("dim", dim[0])});
  }
};

/// An operation of the compiler without attributes, by rows or matrices.
template <typename Name, typename T> struct Whole : Elementwise<Name, T> {
  static constexpr bool isElementwise = false;
  Node record(Recorder &recorder, Nodes operands) const {
    return recorder.add(Name::name(), operands);
  }
};

} // namespace detail

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

#define HAMKAAS_CPP_NAME(Type, text)                                           \
  struct Type {                                                                \
    static constexpr const char *name() { return text; }                       \
  };
#define HAMKAAS_CPP_UNARY(function, text)                                      \
  namespace detail {                                                           \
  HAMKAAS_CPP_NAME(function##Name, text)                                       \
  }                                                                            \
  template <typename X, typename = detail::EnableForArray<X>>                  \
  auto function(const X &x) {                                                  \
    using T = typename X::Element;                                             \
    return detail::makeExpression(                                             \
        detail::Elementwise<detail::function##Name, T>(),                      \
        detail::nestArray(x));                                                 \
  }
#define HAMKAAS_CPP_BINARY_OF(function, Type, Operation)                       \
  template <typename L, typename R,                                            \
            typename = detail::EnableForOperands<L, R>>                        \
  auto function(const L &l, const R &r) {                                      \
    using T = detail::CommonElement<L, R>;                                     \
    return detail::makeExpression(detail::Operation<detail::Type, T>(),        \
                                  detail::nest<T>(l), detail::nest<T>(r));     \
  }
#define HAMKAAS_CPP_BINARY(function, Type, text)                               \
  namespace detail {                                                           \
  HAMKAAS_CPP_NAME(Type, text)                                                 \
  }                                                                            \
  HAMKAAS_CPP_BINARY_OF(function, Type, Elementwise)
#define HAMKAAS_CPP_COMPARE(function, Type, text)                              \
  namespace detail {                                                           \
  HAMKAAS_CPP_NAME(Type, text)                                                 \
  }                                                                            \
  HAMKAAS_CPP_BINARY_OF(function, Type, Compare)

HAMKAAS_CPP_BINARY(operator+, AddName, "add")
HAMKAAS_CPP_BINARY(operator-, SubName, "sub")
HAMKAAS_CPP_BINARY(operator*, MulName, "mul")
HAMKAAS_CPP_BINARY(operator/, DivName, "div")
/// As % of C for integers and fmod for floats.
HAMKAAS_CPP_BINARY(operator%, RemName, "rem")
HAMKAAS_CPP_BINARY(operator&, AndName, "and")
HAMKAAS_CPP_BINARY(operator|, OrName, "or")
HAMKAAS_CPP_BINARY(operator^, XorName, "xor")
HAMKAAS_CPP_BINARY(operator<<, ShiftLeftName, "shift_left")
HAMKAAS_CPP_BINARY(operator>>, ShiftRightName, "shift_right")
HAMKAAS_CPP_BINARY(pow, PowName, "pow")
/// As % of Python.
HAMKAAS_CPP_BINARY(remainder, ModName, "mod")
/// NaN if one of them is NaN.
HAMKAAS_CPP_BINARY(maximum, MaxName, "max")
HAMKAAS_CPP_BINARY(minimum, MinName, "min")

HAMKAAS_CPP_COMPARE(operator==, EqualName, "eq")
HAMKAAS_CPP_COMPARE(operator!=, NotEqualName, "ne")
HAMKAAS_CPP_COMPARE(operator<, LessName, "lt")
HAMKAAS_CPP_COMPARE(operator<=, LessEqualName, "le")
HAMKAAS_CPP_COMPARE(operator>, GreaterName, "gt")
HAMKAAS_CPP_COMPARE(operator>=, GreaterEqualName, "ge")

HAMKAAS_CPP_UNARY(abs, "abs")
HAMKAAS_CPP_UNARY(acos, "acos")
HAMKAAS_CPP_UNARY(acosh, "acosh")
HAMKAAS_CPP_UNARY(asin, "asin")
HAMKAAS_CPP_UNARY(asinh, "asinh")
HAMKAAS_CPP_UNARY(atan, "atan")
HAMKAAS_CPP_UNARY(atanh, "atanh")
HAMKAAS_CPP_UNARY(ceil, "ceil")
HAMKAAS_CPP_UNARY(cos, "cos")
HAMKAAS_CPP_UNARY(cosh, "cosh")
HAMKAAS_CPP_UNARY(erf, "erf")
HAMKAAS_CPP_UNARY(exp, "exp")
HAMKAAS_CPP_UNARY(floor, "floor")
HAMKAAS_CPP_UNARY(log, "log")
HAMKAAS_CPP_UNARY(relu, "relu")
HAMKAAS_CPP_UNARY(round, "round")
HAMKAAS_CPP_UNARY(sigmoid, "sigmoid")
HAMKAAS_CPP_UNARY(sign, "sign")
HAMKAAS_CPP_UNARY(silu, "silu")
HAMKAAS_CPP_UNARY(sin, "sin")
HAMKAAS_CPP_UNARY(sinh, "sinh")
HAMKAAS_CPP_UNARY(sqrt, "sqrt")
HAMKAAS_CPP_UNARY(tan, "tan")
HAMKAAS_CPP_UNARY(tanh, "tanh")
HAMKAAS_CPP_UNARY(negative, "neg")
HAMKAAS_CPP_UNARY(logicalNot, "not")

template <typename X, typename = detail::EnableForArray<X>>
auto operator-(const X &x) {
  return negative(x);
}
/// Not of booleans, and of each bit of integers.
template <typename X, typename = detail::EnableForArray<X>>
auto operator!(const X &x) {
  return logicalNot(x);
}
template <typename X, typename = detail::EnableForArray<X>>
auto operator~(const X &x) {
  return logicalNot(x);
}

template <typename T, typename X, typename = detail::EnableForArray<X>>
auto cast(const X &x) {
  return detail::makeExpression(detail::Cast<T>(), detail::nestArray(x));
}

template <typename X, typename Low, typename High,
          typename = detail::EnableForOperands<X, Low, High>>
auto clamp(const X &x, const Low &low, const High &high) {
  return minimum(maximum(x, low), high);
}

namespace detail {
HAMKAAS_CPP_NAME(SelectName, "select")
}
/// `a` where the condition holds, otherwise `b`.
template <typename C, typename A, typename B,
          typename = detail::EnableForArray<C>,
          typename = detail::EnableForOperands<A, B>>
auto where(const C &condition, const A &a, const B &b) {
  using T = detail::CommonElement<A, B>;
  return detail::makeExpression(detail::Elementwise<detail::SelectName, T>(),
                                detail::nestArray(condition),
                                detail::nest<T>(a), detail::nest<T>(b));
}

//===----------------------------------------------------------------------===//
// Along dimensions
//===----------------------------------------------------------------------===//

#define HAMKAAS_CPP_REDUCTION(function, text)                                  \
  namespace detail {                                                           \
  HAMKAAS_CPP_NAME(function##Name, text)                                       \
  }                                                                            \
  template <typename X, typename = detail::EnableForArray<X>>                  \
  auto function(const X &x, const Dims &dims = {}, Keep keep = Keep::no) {     \
    detail::Reduce<detail::function##Name, typename X::Element> operation;     \
    operation.dims = dims;                                                     \
    operation.keep = keep;                                                     \
    return detail::makeExpression(operation, detail::nestArray(x));            \
  }
HAMKAAS_CPP_REDUCTION(sum, "sum")
HAMKAAS_CPP_REDUCTION(prod, "prod")
HAMKAAS_CPP_REDUCTION(max, "max")
HAMKAAS_CPP_REDUCTION(min, "min")
/// Of booleans.
HAMKAAS_CPP_REDUCTION(any, "max")
HAMKAAS_CPP_REDUCTION(allOf, "min")

#define HAMKAAS_CPP_WITH_DIMS(function, Operation)                             \
  template <typename X, typename = detail::EnableForArray<X>>                  \
  auto function(const X &x, const Dims &dims) {                                \
    detail::Operation<typename X::Element> operation;                          \
    operation.dims = dims;                                                     \
    return detail::makeExpression(operation, detail::nestArray(x));            \
  }
/// One size may be -1: what is left.
HAMKAAS_CPP_WITH_DIMS(reshape, Reshape)
HAMKAAS_CPP_WITH_DIMS(broadcastTo, BroadcastTo)
/// Dimension i of the result is dimension dims[i].
HAMKAAS_CPP_WITH_DIMS(permute, Permute)

/// Dimensions in reverse order.
template <typename X, typename = detail::EnableForArray<X>>
auto transpose(const X &x) {
  return permute(x, {});
}

/// The arrays one after the other along dimension `dim`.
template <typename X, typename... More,
          typename = std::enable_if_t<(detail::isArray<X> && ... &&
                                       detail::isArray<More>)>>
auto concat(int64_t dim, const X &x, const More &...more) {
  detail::Concat<detail::CommonElement<X, More...>> operation;
  operation.dims = {dim};
  return detail::makeExpression(operation, detail::nestArray(x),
                                detail::nestArray(more)...);
}

namespace detail {
HAMKAAS_CPP_NAME(MatMulName, "matmul")
} // namespace detail
/// Vector or matrix by matrix, or batches of matrices.
template <typename L, typename R,
          typename = std::enable_if_t<detail::isArray<L> && detail::isArray<R>>>
auto matmul(const L &l, const R &r) {
  using T = detail::CommonElement<L, R>;
  return detail::makeExpression(detail::Whole<detail::MatMulName, T>(),
                                detail::nestArray(l), detail::nestArray(r));
}
/// Positive numbers whose sum along a dimension is 1.
template <typename X, typename = detail::EnableForArray<X>>
auto softmax(const X &x, int64_t dim = -1) {
  auto raised = exp(x - max(x, {dim}, Keep::yes));
  return raised / sum(raised, {dim}, Keep::yes);
}

#undef HAMKAAS_CPP_NAME
#undef HAMKAAS_CPP_UNARY
#undef HAMKAAS_CPP_BINARY_OF
#undef HAMKAAS_CPP_BINARY
#undef HAMKAAS_CPP_COMPARE
#undef HAMKAAS_CPP_REDUCTION
#undef HAMKAAS_CPP_WITH_DIMS

} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_ARRAY_OPERATIONS_H
