//===- Characters.h - Characters of a text and their classes ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOKENIZER_CHARACTERS_H
#define HAMKAAS_TOKENIZER_CHARACTERS_H

#include <cstdint>

namespace hamkaas::tok {

/// Classes of which the regular expressions of pre-tokenizers consist: the
/// general categories L and N, and the property White_Space.
enum class UnicodeClass : uint8_t { Letter, Number, Space, Other };

UnicodeClass classifyCharacter(uint32_t code);

/// One character of a text, or one byte that belongs to none.
struct Character {
  static constexpr uint32_t invalid = UINT32_MAX;

  uint32_t code = invalid;
  uint32_t length = 1; // in bytes
  UnicodeClass kind = UnicodeClass::Other;
};

/// The character at `next`, which is before `end`.
Character readCharacter(const char *next, const char *end);

} // namespace hamkaas::tok

#endif // HAMKAAS_TOKENIZER_CHARACTERS_H
