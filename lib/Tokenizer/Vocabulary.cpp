//===- Vocabulary.cpp - Tokens by number and by their bytes ---------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Tokenizer/Vocabulary.h"

#include "HamKaas/Tokenizer/ByteCharacters.h"
#include "Hash.h"

#include <cmath>

using namespace hamkaas::rt;
using namespace hamkaas::tok;

// How SentencePiece spells a space: U+2581.
static constexpr Text spelledSpace = "\xE2\x96\x81";

/// The byte that a name as <0x0A> stands for, -1 if it is none.
static int readByteName(Text name) {
  if (name.size != 6 || memcmp(name.data, "<0x", 3) != 0 || name.data[5] != '>')
    return -1;
  int byte = 0;
  for (char digit : {name.data[3], name.data[4]}) {
    bool isLetter = digit >= 'A' && digit <= 'F';
    if (!isLetter && (digit < '0' || digit > '9'))
      return -1;
    byte = byte * 16 + (isLetter ? digit - 'A' + 10 : digit - '0');
  }
  return byte;
}

[[nodiscard]] static bool appendWithSpaces(Text name, Array<char> &bytes) {
  size_t at = 0;
  for (size_t found; (found = name.find(spelledSpace, at)) != SIZE_MAX;
       at = found + spelledSpace.size)
    if (!bytes.append(name.data + at, found - at) || !bytes.push(' '))
      return false;
  return bytes.append(name.data + at, name.size - at);
}

Error Vocabulary::build(const VocabularySource &source) {
  size_t count = source.tokens.size();
  if (count == 0 || count > maximumSize)
    return Error::format("expected 1 to %zu tokens, got %zu", maximumSize,
                         count);
  for (int32_t &token : byteTokens)
    token = -1;
  for (size_t i = 0; i < count; ++i)
    if (Error error = add(source.tokens[i], source.kind, i))
      return error;
  if (!buildIndex())
    return Error::format("out of memory for %zu tokens", count);
  for (int byte = 0; byte < 256 && source.kind == VocabularyKind::Merges;
       ++byte) {
    char only = static_cast<char>(byte);
    byteTokens[byte] = find({&only, 1});
  }
  return Error();
}

Error Vocabulary::add(const SourceToken &token, VocabularyKind kind,
                      size_t number) {
  if (std::isnan(token.score))
    return Error::format("expected a number as the score of token %zu, got NaN",
                         number);
  size_t begin = pool.size();
  bool isText = false;
  int byte = kind == VocabularyKind::Scores && token.type != TokenType::Control
                 ? readByteName(token.name)
                 : -1;
  if (byte >= 0 && byteTokens[byte] < 0)
    byteTokens[byte] = static_cast<int32_t>(number);
  bool done = byte >= 0 ? pool.push(static_cast<char>(byte))
                        : appendBytes(token, kind, isText);
  if (!done || !entries.push({begin, pool.size() - begin, token.score,
                              token.type, isText}))
    return Error::format("out of memory for %zu tokens", number + 1);
  return Error();
}

bool Vocabulary::appendBytes(const SourceToken &token, VocabularyKind kind,
                             bool &isText) {
  isText = token.type == TokenType::UserDefined;
  bool isSpelled =
      token.type == TokenType::Normal || token.type == TokenType::Unused;
  if (isSpelled && kind == VocabularyKind::Scores) {
    // All spaces of a text are spelled, so it never becomes another token.
    isText = !token.name.contains(" ");
    return appendWithSpaces(token.name, pool);
  }
  if (isSpelled && spellsBytes(token.name)) {
    isText = true;
    return appendSpelledBytes(token.name, pool);
  }
  return pool.append(token.name.data, token.name.size);
}

static bool hasInnerSpace(Text bytes) {
  size_t first = 0;
  while (first < bytes.size && bytes.data[first] == ' ')
    ++first;
  return bytes.find(" ", first) != SIZE_MAX;
}

bool Vocabulary::buildIndex() {
  size_t slotCount = 2;
  while (slotCount < 2 * entries.size())
    slotCount *= 2;
  if (!slots.assign(slotCount, -1))
    return false;
  for (size_t i = 0; i < entries.size(); ++i) {
    int32_t token = static_cast<int32_t>(i);
    if (entries[i].isText && hasInnerSpace(bytes(token)))
      onlyLeadingSpaces = false;
    // Of equal tokens the first counts.
    if (!entries[i].isText || entries[i].size == 0 || find(bytes(token)) >= 0)
      continue;
    size_t slot = hashBytes(bytes(token)) & (slotCount - 1);
    while (slots[slot] >= 0)
      slot = (slot + 1) & (slotCount - 1);
    slots[slot] = token;
  }
  return true;
}

int32_t Vocabulary::find(Text wanted) const {
  size_t slot = hashBytes(wanted) & (slots.size() - 1);
  while (slots[slot] >= 0 && !(bytes(slots[slot]) == wanted))
    slot = (slot + 1) & (slots.size() - 1);
  return slots[slot];
}
