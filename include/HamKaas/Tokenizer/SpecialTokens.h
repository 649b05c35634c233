//===- SpecialTokens.h - Tokens found by name -------------------*- C++ -*-===//
//-*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOKENIZER_SPECIALTOKENS_H
#define HAMKAAS_TOKENIZER_SPECIALTOKENS_H

#include "HamKaas/Tokenizer/Vocabulary.h"

namespace hamkaas::tok {

/// The control, unknown and user-defined tokens of a vocabulary, which outlives
/// this object.
class SpecialTokens {
public:
  rt::Error build(const Vocabulary &vocabulary);

  /// The longest token whose name is at `next`; -1 for none. Without `controls`
  /// only user-defined tokens count.
  int32_t findAt(const char *next, const char *end, bool controls) const;

  /// The token of that name; -1 for none.
  int32_t find(Text name) const;

private:
  const Vocabulary *vocabulary = nullptr;
  Array<int32_t> byName; // sorted
  /// Of `byName`, where the names of each first byte begin.
  size_t firstOf[257];
};

} // namespace hamkaas::tok

#endif // HAMKAAS_TOKENIZER_SPECIALTOKENS_H
