//===- Philox.h - Random numbers by Philox 4x32-10 --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_TOKENIZER_PHILOX_H
#define HAMKAAS_LIB_TOKENIZER_PHILOX_H

#include <cstdint>

namespace hamkaas::tok {

/// Number `index` of a sequence of doubles in [0, 1): the first two words of
/// Philox 4x32-10 with the key `seed` and the counter `index`, as the operation
/// `random_bits` computes them, the second word high; of their 64 bits the
/// upper 53.
inline double drawUniform(uint64_t seed, uint64_t index) {
  uint32_t a = static_cast<uint32_t>(index);
  uint32_t b = static_cast<uint32_t>(index >> 32);
  uint32_t c = 0, d = 0;
  uint32_t p = static_cast<uint32_t>(seed);
  uint32_t q = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t{0xD2511F53} * a;
    uint64_t second = uint64_t{0xCD9E8D57} * c;
    a = static_cast<uint32_t>(second >> 32) ^ b ^ p;
    b = static_cast<uint32_t>(second);
    c = static_cast<uint32_t>(first >> 32) ^ d ^ q;
    d = static_cast<uint32_t>(first);
    p += 0x9E3779B9;
    q += 0xBB67AE85;
  }
  uint64_t bits = uint64_t{b} << 32 | a;
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

} // namespace hamkaas::tok

#endif // HAMKAAS_LIB_TOKENIZER_PHILOX_H
