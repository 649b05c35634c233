//===- ByteCharacters.cpp - The characters that stand for bytes -----------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Tokenizer/ByteCharacters.h"

#include "HamKaas/Tokenizer/Characters.h"

using namespace hamkaas::tok;

static constexpr bool isPrintable(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
}

namespace {
/// The bytes that are not printable, in order: U+0100 stands for the first.
struct OtherBytes {
  uint8_t bytes[256] = {};
  uint32_t count = 0;

  constexpr OtherBytes() {
    for (int byte = 0; byte < 256; ++byte)
      if (!isPrintable(byte))
        bytes[count++] = byte;
  }
};
} // namespace

static constexpr OtherBytes others;

/// -1 if the character stands for no byte.
static int findByte(uint32_t code) {
  if (code < 0x100)
    return isPrintable(code) ? code : -1;
  return code - 0x100 < others.count ? others.bytes[code - 0x100] : -1;
}

bool hamkaas::tok::spellsBytes(Text name) {
  for (const char *next = name.begin(); next < name.end();) {
    Character character = readCharacter(next, name.end());
    if (findByte(character.code) < 0)
      return false;
    next += character.length;
  }
  return true;
}

bool hamkaas::tok::appendSpelledBytes(Text name, Array<char> &bytes) {
  for (const char *next = name.begin(); next < name.end();) {
    Character character = readCharacter(next, name.end());
    if (!bytes.push(static_cast<char>(findByte(character.code))))
      return false;
    next += character.length;
  }
  return true;
}
