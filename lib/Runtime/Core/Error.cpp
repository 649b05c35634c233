//===- Error.cpp - What a failed runtime function says --------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Core/Error.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace hamkaas::rt;

// The text of an error when there is no memory for more. Never freed.
static char outOfMemory[] = "out of memory";

void hamkaas::rt::freeErrorText(char *text) {
  if (text != outOfMemory)
    free(text);
}

Error Error::format(const char *pattern, ...) {
  TextBuilder text;
  va_list arguments;
  va_start(arguments, pattern);
  text.appendList(pattern, arguments);
  va_end(arguments);
  return adopt(text.release());
}

Error Error::adopt(char *text) {
  Error error;
  error.text = text ? text : outOfMemory;
  return error;
}

void Error::reset() {
  freeErrorText(text);
  text = nullptr;
}

// strerror_r comes in two kinds; the overload picks by what it returns.
[[maybe_unused]] static const char *textOf(const char *result, const char *) {
  return result;
}
[[maybe_unused]] static const char *textOf(int result, const char *buffer) {
  return result == 0 ? buffer : "unknown error";
}

ErrnoText::ErrnoText(int code) {
  buffer[0] = '\0';
  text = textOf(strerror_r(code, buffer, sizeof(buffer)), buffer);
}

TextBuilder::~TextBuilder() { free(text); }

bool TextBuilder::reserve(size_t more) {
  if (failed)
    return false;
  if (capacity - length > more)
    return true;
  size_t wanted = (length + more + 1) * 2;
  char *grown = static_cast<char *>(realloc(text, wanted));
  if (!grown) {
    failed = true;
    return false;
  }
  text = grown;
  capacity = wanted;
  return true;
}

void TextBuilder::append(const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  appendList(pattern, arguments);
  va_end(arguments);
}

void TextBuilder::appendList(const char *pattern, va_list arguments) {
  va_list copy;
  va_copy(copy, arguments);
  int more = vsnprintf(nullptr, 0, pattern, copy);
  va_end(copy);
  if (more < 0 || !reserve(static_cast<size_t>(more)))
    return;
  vsnprintf(text + length, static_cast<size_t>(more) + 1, pattern, arguments);
  length += static_cast<size_t>(more);
}

char *TextBuilder::release() {
  char *released = failed ? nullptr : text;
  if (failed)
    free(text);
  text = nullptr;
  length = capacity = 0;
  failed = false;
  return released;
}
