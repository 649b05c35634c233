//===- View.h - Arrays, and views of them -----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_ARRAY_VIEW_H
#define HAMKAAS_CPP_ARRAY_VIEW_H

#include "hamkaas-cpp/Array/Expression.h"

#include <vector>

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {

namespace detail {

/// `y.device(gpu)`, which is assigned to.
template <typename T> class OnDevice {
public:
  OnDevice(Elements &target, bool mayResize, Device device)
      : target(target), mayResize(mayResize), device(device) {}
  Result<void> operator=(const Computation<T> &computation) && {
    return check(computation.run(target, mayResize, device));
  }

private:
  Elements &target;
  bool mayResize;
  Device device;
};

} // namespace detail

/// Elements that an array or the caller owns. A copy of a view refers to the
/// same elements, and keeps those of an array alive. Assigning to a view writes
/// its elements.
template <typename T> class View : public detail::Elements {
  using Access = detail::ElementsAccess;

public:
  using Element = T;

  /// Of the caller's memory: dense, row-major, valid while it is used.
  View(T *data, const Dims &shape, Position at = Position::here()) : View() {
    std::string problem = detail::checkShape(shape);
    if (problem.empty() && !data)
      problem = "expected the address of the elements, got null";
    if (!problem.empty()) {
      Access::fail(*this, at, problem);
      return;
    }
    detail::Layout layout = detail::Layout::dense(shape);
    uint64_t bytes = static_cast<uint64_t>(layout.elements()) * sizeof(T);
    Access::set(*this, std::make_shared<detail::Block>(data, bytes, false),
                reinterpret_cast<char *>(data), layout);
  }
  View(const View &) = default;

  Result<void> operator=(const Computation<T> &computation) {
    return detail::check(computation.run(*this, /*mayResize=*/false, cpu()));
  }
  /// Copies elements.
  Result<void> operator=(const View &other) {
    return *this = Computation<T>(other);
  }
  /// Computes on a device: `y.device(cuda()) = a + b`.
  detail::OnDevice<T> device(Device device) {
    return {*this, /*mayResize=*/false, device};
  }
  void fill(T value) {
    if (!data())
      return;
    detail::Layout repeated = layout;
    for (int64_t &stride : repeatedStrides(repeated))
      stride = 0;
    detail::copyElements(first, layout, reinterpret_cast<const char *>(&value),
                         repeated, sizeof(T));
  }

  /// The first element, null if there is none. The others follow if the view is
  /// contiguous, otherwise see strides().
  T *data() const { return reinterpret_cast<T *>(first); }

  /// The element at a position, which is not checked.
  template <typename... Index> T &operator()(Index... index) const {
    const int64_t at[] = {static_cast<int64_t>(index)..., 0};
    int64_t offset = 0;
    for (size_t i = 0; i < sizeof...(index); ++i)
      offset += at[i] * layout.strides[static_cast<int32_t>(i)];
    return data()[offset];
  }
  /// A copy of the elements in row-major order. Bytes for bool.
  auto toVector() const {
    using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
    std::vector<Stored> elements(static_cast<size_t>(size()));
    if (data())
      detail::copyElements(reinterpret_cast<char *>(elements.data()),
                           detail::Layout::dense(shape()), first, layout,
                           sizeof(T));
    return elements;
  }

  //===--------------------------------------------------------------------===//
  // Views of the same elements
  //===--------------------------------------------------------------------===//

  /// Some elements of each dimension; of dimensions without a range, all.
  View slice(std::initializer_list<Range> ranges,
             Position at = Position::here()) const {
    return change(at, [&](detail::Layout &layout, int64_t &offset) {
      return detail::slice(layout, offset, ranges);
    });
  }
  /// Dimension i of the result is dimension order[i].
  View permute(const Dims &order, Position at = Position::here()) const {
    return change(at, [&](detail::Layout &layout, int64_t &) {
      return detail::permute(layout, order);
    });
  }
  /// Dimensions in reverse order.
  View transpose() const {
    Dims order;
    for (int32_t i = rank(); i-- > 0;)
      order.push(i);
    return permute(order);
  }
  /// Repeats dimensions of size 1, and adds dimensions before the first.
  View broadcastTo(const Dims &shape, Position at = Position::here()) const {
    return change(at, [&](detail::Layout &layout, int64_t &) {
      return detail::broadcast(layout, shape);
    });
  }
  /// An error if the strides do not allow it. One size may be -1: what is left.
  View reshape(const Dims &shape, Position at = Position::here()) const {
    return change(at, [&](detail::Layout &layout, int64_t &) {
      return detail::reshape(layout, shape);
    });
  }

protected:
  View() : Elements(ElementTypeOf<T>::value) {}

private:
  static Span<int64_t> repeatedStrides(detail::Layout &layout) {
    return {&layout.strides[0], static_cast<size_t>(layout.rank())};
  }

  template <typename Change> View change(Position at, Change change) const {
    View view(*this);
    if (!first) {
      if (problem().empty())
        Access::fail(view, at,
                     "expected an array with elements, got one that "
                     "nothing was assigned to");
      return view;
    }
    int64_t offset = 0;
    std::string problem = change(view.layout, offset);
    if (problem.empty())
      view.first += offset * static_cast<int64_t>(sizeof(T));
    else
      Access::fail(view, at, problem);
    return view;
  }
};

/// Elements of its own, dense and row-major, at a multiple of 256 bytes. A copy
/// has other elements. Assigning an expression writes the elements, if the
/// shape stays, and otherwise replaces them; views keep the old ones.
template <typename T> class Array : public View<T> {
  using Access = detail::ElementsAccess;

public:
  /// Empty: for something to be assigned.
  Array() = default;
  /// Zeros.
  explicit Array(const Dims &shape, Position at = Position::here()) {
    if (allocate(shape, at))
      memset(this->first, 0, static_cast<size_t>(this->size()) * sizeof(T));
  }
  Array(const Dims &shape, std::initializer_list<T> elements,
        Position at = Position::here())
      : Array(shape, Span<const T>(elements.begin(), elements.size()), at) {}
  /// A copy of elements in row-major order.
  Array(const Dims &shape, Span<const T> elements,
        Position at = Position::here()) {
    if (!allocate(shape, at))
      return;
    if (this->size() == static_cast<int64_t>(elements.size()))
      std::copy(elements.begin(), elements.end(), this->data());
    else
      Access::fail(*this, at,
                   "expected " + std::to_string(this->size()) +
                       " elements for the shape " + detail::describe(shape) +
                       ", got " + std::to_string(elements.size()));
  }
  Array(const Array &other) : View<T>() { copy(other); }
  Array(Array &&other) noexcept : View<T>() { take(other); }
  /// Copies the elements of a view, or computes an expression.
  explicit Array(const Computation<T> &computation, Device device = cpu()) {
    std::string problem = computation.run(*this, /*mayResize=*/true, device);
    if (!problem.empty())
      fail(std::move(problem));
  }

  Array &operator=(const Array &other) {
    if (this != &other)
      copy(other);
    return *this;
  }
  Array &operator=(Array &&other) noexcept {
    if (this != &other)
      take(other);
    return *this;
  }
  Result<void> operator=(const Computation<T> &computation) {
    return detail::check(computation.run(*this, /*mayResize=*/true, cpu()));
  }
  detail::OnDevice<T> device(Device device) {
    return {*this, /*mayResize=*/true, device};
  }

private:
  bool allocate(const Dims &shape, Position at) {
    std::string problem = Access::allocate(*this, shape);
    if (!problem.empty())
      Access::fail(*this, at, problem);
    return problem.empty();
  }
  /// With a problem that has a position.
  void fail(std::string problem) {
#ifdef HAMKAAS_EXCEPTIONS
    throw Error(std::move(problem));
#else
    Access::set(*this, std::make_shared<detail::Block>(std::move(problem)),
                nullptr, detail::Layout());
#endif
  }
  void copy(const Array &other) {
    if (!Access::first(other))
      return Access::set(*this, Access::block(other), nullptr, {});
    std::string problem =
        detail::compute(detail::Leaf<T>(other), *this,
                        /*mayResize=*/true, cpu(), Position::here());
    if (!problem.empty())
      fail(std::move(problem));
  }
  void take(Array &other) {
    Access::set(*this, Access::block(other), Access::first(other),
                Access::layout(other));
    Access::set(other, nullptr, nullptr, {});
  }
};

/// The values of an expression, or of a view.
template <typename E, typename = detail::EnableForArray<E>>
Result<Array<typename E::Element>> evaluate(const E &expression,
                                            Device device = cpu(),
                                            Position at = Position::here()) {
  Array<typename E::Element> result;
  std::string problem = Computation<typename E::Element>(expression, at)
                            .run(result, /*mayResize=*/true, device);
  return detail::give(std::move(problem), std::move(result));
}

/// The one value of an expression.
template <typename E, typename = detail::EnableForArray<E>>
Result<typename E::Element> value(const E &expression,
                                  Position at = Position::here()) {
  using T = typename E::Element;
  Array<T> result;
  std::string problem =
      Computation<T>(expression, at).run(result, /*mayResize=*/true, cpu());
  if (problem.empty() && result.size() != 1)
    problem = detail::locate(at, "expected one element, got shape " +
                                     detail::describe(result.shape()));
  return detail::give(problem, problem.empty() ? *result.data() : T());
}

#ifdef HAMKAAS_EXCEPTIONS
template <typename Operation, typename... Operands>
Expression<Operation, Operands...>::operator bool() const {
  static_assert(std::is_same_v<Element, bool>,
                "expected a condition, such as any(x > 1)");
  return value(*this, detail::nowhere);
}
#endif

} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_ARRAY_VIEW_H
