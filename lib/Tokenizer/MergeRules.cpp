//===- MergeRules.cpp - The pairs of tokens that are joined ---------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Tokenizer/MergeRules.h"

#include "HamKaas/Tokenizer/ByteCharacters.h"
#include "Hash.h"

#include <algorithm>

using namespace hamkaas::rt;
using namespace hamkaas::tok;

Error MergeRules::build(const VocabularySource &source,
                        const Vocabulary &vocabulary) {
  size_t count = source.merges.size();
  size_t slotCount = 2;
  while (slotCount < 2 * count)
    slotCount *= 2;
  if (count > Vocabulary::maximumSize || !slots.assign(slotCount, {0, 0, -1}))
    return Error::format("out of memory for %zu merges", count);
  Array<char> bytes;
  for (size_t i = 0; i < count; ++i)
    if (Error error = add(source.merges[i], i, vocabulary, bytes))
      return error;
  return Error();
}

Error MergeRules::add(Text line, size_t rank, const Vocabulary &vocabulary,
                      Array<char> &bytes) {
  // The parts have no space, because a byte of one is spelled otherwise.
  size_t space = line.find(" ");
  size_t leftSize = 0;
  bytes.clear();
  bool isPair = space != SIZE_MAX;
  if (isPair) {
    Text left = line.slice(0, space);
    Text right = line.slice(space + 1, line.size);
    isPair = spellsBytes(left) && spellsBytes(right);
    if (isPair && !appendSpelledBytes(left, bytes))
      return Error::format("out of memory for merge %zu", rank);
    leftSize = bytes.size();
    if (isPair && !appendSpelledBytes(right, bytes))
      return Error::format("out of memory for merge %zu", rank);
  }
  Text joined(bytes.data(), bytes.size());
  int32_t left = isPair ? vocabulary.find(joined.slice(0, leftSize)) : -1;
  int32_t right =
      isPair ? vocabulary.find(joined.slice(leftSize, joined.size)) : -1;
  int32_t both = isPair ? vocabulary.find(joined) : -1;
  if (left < 0 || right < 0 || both < 0)
    return Error::format(
        "expected merge %zu to be two tokens that are a token together, got "
        "'%.*s'",
        rank, static_cast<int>(std::min<size_t>(line.size, 100)), line.data);
  insert({makePair(left, right), static_cast<uint32_t>(rank), both});
  return Error();
}

void MergeRules::insert(const Rule &rule) {
  size_t slot = hashNumber(rule.pair) & (slots.size() - 1);
  for (; slots[slot].joined >= 0; slot = (slot + 1) & (slots.size() - 1))
    if (slots[slot].pair == rule.pair)
      return; // Of equal pairs the first counts.
  slots[slot] = rule;
}

const MergeRules::Rule *MergeRules::find(int32_t left, int32_t right) const {
  uint64_t pair = makePair(left, right);
  size_t slot = hashNumber(pair) & (slots.size() - 1);
  for (; slots[slot].joined >= 0; slot = (slot + 1) & (slots.size() - 1))
    if (slots[slot].pair == pair)
      return &slots[slot];
  return nullptr;
}
