//===- MergeRules.h - The pairs of tokens that are joined -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOKENIZER_MERGERULES_H
#define HAMKAAS_TOKENIZER_MERGERULES_H

#include "HamKaas/Tokenizer/Vocabulary.h"

namespace hamkaas::tok {

/// The list of pairs of a vocabulary of VocabularyKind::Merges.
class MergeRules {
public:
  struct Rule {
    uint64_t pair;
    uint32_t rank;  // the lowest is joined first
    int32_t joined; // -1 in a free slot
  };

  rt::Error build(const VocabularySource &source, const Vocabulary &vocabulary);

  /// Null if the two tokens are not joined.
  const Rule *find(int32_t left, int32_t right) const;

private:
  rt::Error add(Text line, size_t rank, const Vocabulary &vocabulary,
                Array<char> &bytes);
  void insert(const Rule &rule);
  static uint64_t makePair(int32_t left, int32_t right) {
    return uint64_t{static_cast<uint32_t>(left)} << 32 |
           static_cast<uint32_t>(right);
  }

  Array<Rule> slots; // by the hash of the pair; a power of two
};

} // namespace hamkaas::tok

#endif // HAMKAAS_TOKENIZER_MERGERULES_H
