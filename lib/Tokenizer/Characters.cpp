//===- Characters.cpp - Characters of a text and their classes ------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Tokenizer/Characters.h"

#include "HamKaas/Runtime/Core/Utf8.h"

#include <algorithm>
#include <iterator>

using namespace hamkaas::tok;

namespace {
struct ClassRange {
  uint32_t begin;
  UnicodeClass kind;
};
} // namespace

static constexpr ClassRange ranges[] = {
#include "UnicodeClasses.inc"
};

UnicodeClass hamkaas::tok::classifyCharacter(uint32_t code) {
  const ClassRange *after =
      std::upper_bound(std::begin(ranges), std::end(ranges), code,
                       [](uint32_t code, const ClassRange &range) {
                         return code < range.begin;
                       });
  return std::prev(after)->kind;
}

static UnicodeClass classifyAscii(uint8_t code) {
  if ((code | 0x20) >= 'a' && (code | 0x20) <= 'z')
    return UnicodeClass::Letter;
  if (code >= '0' && code <= '9')
    return UnicodeClass::Number;
  return code == ' ' || (code >= '\t' && code <= '\r') ? UnicodeClass::Space
                                                       : UnicodeClass::Other;
}

Character hamkaas::tok::readCharacter(const char *next, const char *end) {
  auto byte = [&](uint32_t i) { return static_cast<uint8_t>(next[i]); };
  if (byte(0) < 0x80)
    return {byte(0), 1, classifyAscii(byte(0))};
  uint32_t length = rt::utf8Length(next, end);
  if (length == 0)
    return Character();
  uint32_t code = byte(0) & (0x7F >> length);
  for (uint32_t i = 1; i < length; ++i)
    code = code << 6 | (byte(i) & 0x3F);
  return {code, length, classifyCharacter(code)};
}
