//===- Hash.h - Hashes of bytes and of pairs --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_TOKENIZER_HASH_H
#define HAMKAAS_LIB_TOKENIZER_HASH_H

#include "HamKaas/Tokenizer/Array.h"

namespace hamkaas::tok {

/// The finalizer of splitmix64: each bit of the result depends on all bits.
inline uint64_t hashNumber(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

inline uint64_t hashBytes(Text text) {
  uint64_t hash = text.size;
  size_t i = 0;
  for (; i + 8 <= text.size; i += 8) {
    uint64_t word;
    memcpy(&word, text.data + i, 8);
    hash = hashNumber(hash ^ word) + 0x9E3779B97F4A7C15;
  }
  uint64_t rest = 0;
  if (i < text.size)
    memcpy(&rest, text.data + i, text.size - i);
  return hashNumber(hash ^ rest);
}

} // namespace hamkaas::tok

#endif // HAMKAAS_LIB_TOKENIZER_HASH_H
