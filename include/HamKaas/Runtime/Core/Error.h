//===- Error.h - What a failed runtime function says ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime throws nothing: a function that can fail returns an Error, which
// is empty on success. Allocates with malloc only, so that it does not need the
// C++ standard library at link time.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_CORE_ERROR_H
#define HAMKAAS_RUNTIME_CORE_ERROR_H

#include <cstdarg>
#include <cstddef>

namespace hamkaas::rt {

/// A message, or nothing when all went well. Owns its text.
class [[nodiscard]] Error {
public:
  Error() = default;
  Error(Error &&other) : text(other.release()) {}
  Error &operator=(Error &&other) {
    if (this != &other) {
      reset();
      text = other.release();
    }
    return *this;
  }
  ~Error() { reset(); }

  /// An error with a formatted text. If there is no memory for it, the text is
  /// "out of memory".
  static Error format(const char *pattern, ...)
      __attribute__((format(printf, 1, 2)));

  /// Takes a text from malloc; null stands for "out of memory".
  static Error adopt(char *text);

  explicit operator bool() const { return text != nullptr; }
  /// Null when all went well.
  const char *message() const { return text; }

  /// Gives the text to the caller, who releases it with freeErrorText.
  char *release() {
    char *released = text;
    text = nullptr;
    return released;
  }

private:
  void reset();

  char *text = nullptr;
};

/// Releases what Error::release returned; nothing happens on null.
void freeErrorText(char *text);

/// The C library's text for an errno value.
class ErrnoText {
public:
  explicit ErrnoText(int code);
  const char *c_str() const { return text; }

private:
  char buffer[128];
  const char *text;
};

/// A text that grows by formatted pieces. Running out of memory is remembered
/// and makes the result null.
class TextBuilder {
public:
  TextBuilder() = default;
  TextBuilder(const TextBuilder &) = delete;
  TextBuilder &operator=(const TextBuilder &) = delete;
  ~TextBuilder();

  void append(const char *pattern, ...) __attribute__((format(printf, 2, 3)));

  void appendList(const char *pattern, va_list arguments);

  bool empty() const { return length == 0 && !failed; }

  /// The text so far, from malloc and owned by the caller; null when memory
  /// ran out. The builder is empty again.
  char *release();

private:
  bool reserve(size_t more);

  char *text = nullptr;
  size_t length = 0;
  size_t capacity = 0;
  bool failed = false;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_CORE_ERROR_H
