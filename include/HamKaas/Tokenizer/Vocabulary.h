//===- Vocabulary.h - Tokens by number and by their bytes -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOKENIZER_VOCABULARY_H
#define HAMKAAS_TOKENIZER_VOCABULARY_H

#include "HamKaas/Tokenizer/VocabularySource.h"

namespace hamkaas::tok {

/// Tokens of a checked vocabulary.
class Vocabulary {
public:
  static constexpr size_t maximumSize = size_t{1} << 28;

  /// Copies what it needs.
  rt::Error build(const VocabularySource &source);

  size_t size() const { return entries.size(); }
  /// The bytes that a token stands for; of special tokens the name.
  Text bytes(int32_t token) const {
    return {pool.data() + entries[token].begin, entries[token].size};
  }
  float score(int32_t token) const { return entries[token].score; }
  TokenType type(int32_t token) const { return entries[token].type; }

  /// Has a name instead of bytes.
  bool isControl(int32_t token) const {
    return type(token) == TokenType::Control ||
           type(token) == TokenType::Unknown;
  }

  /// The token that ordinary text of these bytes may become; -1 for none.
  int32_t find(Text bytes) const;
  /// The token of one byte that belongs to no other; -1 for none.
  int32_t findByte(uint8_t byte) const { return byteTokens[byte]; }

  /// Returns whether ordinary text becomes no token with a space behind another
  /// character, so that words with their spaces can be encoded by themselves.
  bool spacesLead() const { return onlyLeadingSpaces; }

private:
  struct Entry {
    size_t begin; // in the pool
    size_t size;
    float score;
    TokenType type;
    bool isText; // ordinary text may become it
  };

  rt::Error add(const SourceToken &token, VocabularyKind kind, size_t number);
  [[nodiscard]] bool appendBytes(const SourceToken &token, VocabularyKind kind,
                                 bool &isText /* out */);
  [[nodiscard]] bool buildIndex();

  Array<Entry> entries;
  Array<char> pool;
  Array<int32_t> slots; // by the hash of the bytes; a power of two, -1 is free
  int32_t byteTokens[256];
  bool onlyLeadingSpaces = true;
};

} // namespace hamkaas::tok

#endif // HAMKAAS_TOKENIZER_VOCABULARY_H
