//===- Print.h - Arrays as text ---------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_ARRAY_PRINT_H
#define HAMKAAS_CPP_ARRAY_PRINT_H

#include "hamkaas-cpp/Array/Operations.h"

#include <ostream>

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {
namespace detail {

template <typename T>
void print(std::ostream &stream, const T *&next, const Dims &shape,
           int32_t dim) {
  if (dim == shape.size()) {
    // Bytes are numbers, too.
    if constexpr (sizeof(T) == 1)
      stream << static_cast<int>(*next++);
    else
      stream << *next++;
    return;
  }
  stream << "[";
  for (int64_t i = 0; i < shape[dim]; ++i) {
    stream << (i ? ", " : "");
    print(stream, next, shape, dim + 1);
  }
  stream << "]";
}

} // namespace detail

/// Computes an expression and prints its elements: "[[1, 2], [3, 4]]". Prints
/// the message of an error that is not thrown.
template <typename E, typename = detail::EnableForArray<E>>
std::ostream &operator<<(std::ostream &stream, const E &expression) {
  using T = typename E::Element;
  if constexpr (detail::Scalar<T>::isHalf) {
    return stream << cast<float>(expression);
  } else {
    Array<T> whole;
    std::string problem = Computation<T>(expression, detail::nowhere)
                              .run(whole, /*mayResize=*/true, cpu());
    if (problem.empty()) {
      const T *next = whole.data();
      detail::print(stream, next, whole.shape(), 0);
      return stream;
    }
#ifdef HAMKAAS_EXCEPTIONS
    throw Error(problem);
#else
    return stream << problem;
#endif
  }
}

} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_ARRAY_PRINT_H
