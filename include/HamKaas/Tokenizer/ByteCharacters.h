//===- ByteCharacters.h - The characters that stand for bytes ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOKENIZER_BYTECHARACTERS_H
#define HAMKAAS_TOKENIZER_BYTECHARACTERS_H

#include "HamKaas/Tokenizer/Array.h"

namespace hamkaas::tok {

/// GPT-2's vocabulary spells a byte as a character: a printable one of Latin-1
/// as itself, others as characters from U+0100 on. Returns false if a character
/// of `name` stands for no byte.
bool spellsBytes(Text name);

/// Appends the bytes that `name` spells. Returns false if there is no memory.
[[nodiscard]] bool appendSpelledBytes(Text name, Array<char> &bytes);

} // namespace hamkaas::tok

#endif // HAMKAAS_TOKENIZER_BYTECHARACTERS_H
