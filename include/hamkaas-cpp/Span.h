//===- Span.h - Elements that somebody else owns ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_SPAN_H
#define HAMKAAS_CPP_SPAN_H

#include "hamkaas-cpp/Variant.h"

#include <cstddef>
#include <type_traits>
#include <utility>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {

#if __cplusplus >= 202002L
template <typename T> using Span = std::span<T>;
#else
/// Like std::span of C++20: elements that somebody else owns.
template <typename T> class Span {
public:
  constexpr Span() = default;
  constexpr Span(T *data, size_t size) : first(data), count(size) {}
  template <typename Element, size_t size,
            typename =
                std::enable_if_t<std::is_convertible_v<Element (*)[], T (*)[]>>>
  constexpr Span(Element (&array)[size]) : first(array), count(size) {}
  /// Of a container whose elements lie one behind the other.
  template <typename Container,
            typename Pointer = decltype(std::declval<Container &>().data()),
            typename = decltype(std::declval<Container &>().size()),
            typename = std::enable_if_t<std::is_convertible_v<
                std::remove_pointer_t<Pointer> (*)[], T (*)[]>>>
  constexpr Span(Container &&container)
      : first(container.data()), count(container.size()) {}

  constexpr T *data() const { return first; }
  constexpr size_t size() const { return count; }
  constexpr bool empty() const { return count == 0; }
  constexpr T *begin() const { return first; }
  constexpr T *end() const { return first + count; }
  constexpr T &operator[](size_t index) const { return first[index]; }

private:
  T *first = nullptr;
  size_t count = 0;
};
#endif

} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_SPAN_H
