//===- Json.cpp - Reading JSON that anyone may have written ---------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Support/Json.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

static Error checkDepth(StringRef text) {
  constexpr int deepest = 16;
  int depth = 0;
  bool isString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (isString && c == '\\')
      ++i;
    else if (c == '"')
      isString = !isString;
    else if (!isString && (c == '[' || c == '{') && ++depth > deepest)
      return createStringError("expected at most " + Twine(deepest) +
                               " levels of brackets");
    else if (!isString && (c == ']' || c == '}'))
      --depth;
  }
  return Error::success();
}

Expected<json::Value> hamkaas::parseJson(StringRef text) {
  if (Error error = checkDepth(text))
    return std::move(error);
  return json::parse(text);
}
