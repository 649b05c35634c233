//===- JsonTokens.h - The tokens of a JSON text -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the tokens with jsmn, which does not check the whole grammar: text
// between tokens is checked here, nesting by the readers. See childCount.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_FILES_JSONTOKENS_H
#define HAMKAAS_LIB_RUNTIME_FILES_JSONTOKENS_H

#include "HamKaas/Runtime/Core/Error.h"

#include <cstddef>
#include <cstdint>

namespace hamkaas::rt {

enum class JsonKind { Object, Array, String, Primitive };

/// The tokens of a JSON text in the order in which they begin: a container
/// stands before its members, a key directly before its value.
class JsonTokens {
public:
  JsonTokens() = default;
  JsonTokens(const JsonTokens &) = delete;
  JsonTokens &operator=(const JsonTokens &) = delete;
  ~JsonTokens();

  /// `text` must outlive the tokens. Nesting deeper than `maximumDepth` is an
  /// error, because jsmn takes quadratic time on it. The errors name the
  /// position only; the caller knows the file.
  Error parse(const char *text, size_t length, int maximumDepth);

  size_t size() const { return count; }
  JsonKind kind(size_t index) const;

  /// Elements of an array, keys of an object. The text is JSON only if it is 1
  /// for each key of an object and 0 for each other string and primitive.
  int childCount(size_t index) const;

  /// Bytes that readString may need, the final null included.
  size_t stringCapacity(size_t index) const;

  /// Writes a string as UTF-8 with its escapes replaced. Returns the end of
  /// the text, which is a null character; or null if the string has a null
  /// character inside, half a surrogate pair, or is not UTF-8.
  char *readString(size_t index, char *output) const;

  /// Returns whether the string, unescaped as it stands in the text, is
  /// `expected`.
  bool isString(size_t index, const char *expected) const;

  /// Reads digits only: an integer from 0 to 2^63 - 1.
  bool readInteger(size_t index, int64_t &value /* out */) const;

  /// For messages: the token as it stands in the text, cut if it is long. Not
  /// null-terminated.
  const char *begin(size_t index) const;
  int shownLength(size_t index) const;

private:
  int length(size_t index) const;

  const char *text = nullptr;
  void *tokens = nullptr; // jsmntok_t, whose header only JsonTokens.cpp needs
  size_t count = 0;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_LIB_RUNTIME_FILES_JSONTOKENS_H
