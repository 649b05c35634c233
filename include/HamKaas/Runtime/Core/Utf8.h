//===- Utf8.h - Sequences of UTF-8 ------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_CORE_UTF8_H
#define HAMKAAS_RUNTIME_CORE_UTF8_H

#include <cstdint>

namespace hamkaas::rt {

/// The length of the UTF-8 sequence at `next`, 0 if it is none: cut off, longer
/// than needed, a surrogate, or beyond U+10FFFF.
inline int utf8Length(const char *next, const char *end) {
  auto byte = [&](int i) { return static_cast<uint8_t>(next[i]); };
  int length = byte(0) < 0x80   ? 1
               : byte(0) < 0xC2 ? 0
               : byte(0) < 0xE0 ? 2
               : byte(0) < 0xF0 ? 3
               : byte(0) < 0xF5 ? 4
                                : 0;
  if (length > end - next)
    return 0;
  for (int i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80)
      return 0;
  bool wrong = (byte(0) == 0xE0 && byte(1) < 0xA0) ||
               (byte(0) == 0xED && byte(1) > 0x9F) ||
               (byte(0) == 0xF0 && byte(1) < 0x90) ||
               (byte(0) == 0xF4 && byte(1) > 0x8F);
  return wrong ? 0 : length;
}

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_CORE_UTF8_H
