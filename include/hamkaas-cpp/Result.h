//===- Result.h - A value or an error ---------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_RESULT_H
#define HAMKAAS_CPP_RESULT_H

#include "hamkaas-c/Runtime.h"
#include "hamkaas-cpp/Variant.h"

#include <cassert>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {

/// An error, with the message of the library.
class Error : public std::exception {
public:
  explicit Error(std::string text) : text(std::move(text)) {}
  const std::string &message() const { return text; }
  const char *what() const noexcept override { return text.c_str(); }

private:
  std::string text;
};

#ifdef HAMKAAS_EXCEPTIONS
template <typename T> using Result = T;
#else
/// A value, or the reason why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : content(std::move(value)) {}
  Result(Error error) : problem(std::move(error)) {}

  explicit operator bool() const { return content.has_value(); }
  T &operator*() {
    assert(content && "a result is checked before it is used");
    return *content;
  }
  T *operator->() { return &**this; }
  /// Only where there is no value.
  const Error &error() const { return *problem; }

private:
  std::optional<T> content;
  std::optional<Error> problem;
};

/// Success, or the reason of a failure.
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : problem(std::move(error)) {}

  explicit operator bool() const { return !problem; }
  /// Only after a failure.
  const Error &error() const { return *problem; }

private:
  std::optional<Error> problem;
};
#endif

namespace detail {

/// An error of the C interface, null for none, as a text, empty for none.
inline std::string takeText(HamKaasError error) {
  std::string text = error ? error : "";
  HamKaasErrorFree(error);
  return text;
}

/// `value` unless there is a problem.
template <typename T> Result<T> give(std::string problem, T value) {
  if (problem.empty())
    return value;
#ifdef HAMKAAS_EXCEPTIONS
  throw Error(std::move(problem));
#else
  return Error(std::move(problem));
#endif
}

inline Result<void> check(std::string problem) {
#ifdef HAMKAAS_EXCEPTIONS
  if (!problem.empty())
    throw Error(std::move(problem));
#else
  if (!problem.empty())
    return Error(std::move(problem));
  return {};
#endif
}

/// Null for an empty text, which stands for a default.
inline const char *orNull(const std::string &text) {
  return text.empty() ? nullptr : text.c_str();
}

} // namespace detail

} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_RESULT_H
