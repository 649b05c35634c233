//===- SpecialTokens.cpp - Tokens found by name ---------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Tokenizer/SpecialTokens.h"

#include <algorithm>

using namespace hamkaas::rt;
using namespace hamkaas::tok;

static bool isSpecial(TokenType type) {
  return type == TokenType::Control || type == TokenType::Unknown ||
         type == TokenType::UserDefined;
}

static int compare(Text left, Text right) {
  int order = memcmp(left.data, right.data, std::min(left.size, right.size));
  if (order != 0 || left.size == right.size)
    return order;
  return left.size < right.size ? -1 : 1;
}

Error SpecialTokens::build(const Vocabulary &source) {
  vocabulary = &source;
  for (size_t i = 0; i < source.size(); ++i) {
    int32_t token = static_cast<int32_t>(i);
    if (isSpecial(source.type(token)) && source.bytes(token).size &&
        !byName.push(token))
      return Error::format("out of memory for the special tokens");
  }
  // Of equal names the first token counts.
  std::sort(byName.begin(), byName.end(), [&](int32_t left, int32_t right) {
    int order = compare(source.bytes(left), source.bytes(right));
    return order == 0 ? left < right : order < 0;
  });
  size_t at = 0;
  for (size_t byte = 0; byte < 256; ++byte) {
    firstOf[byte] = at;
    while (at < byName.size() &&
           static_cast<uint8_t>(source.bytes(byName[at]).data[0]) == byte)
      ++at;
  }
  firstOf[256] = at;
  return Error();
}

int32_t SpecialTokens::findAt(const char *next, const char *end,
                              bool controls) const {
  size_t byte = static_cast<uint8_t>(*next);
  const int32_t *low = byName.begin() + firstOf[byte];
  const int32_t *high = byName.begin() + firstOf[byte + 1];
  int32_t found = -1;
  // [low, high) are the names that begin with the `size` bytes at `next`.
  for (size_t size = 1; low < high; ++size) {
    for (; low < high && vocabulary->bytes(*low).size == size; ++low) {
      bool isLonger = found < 0 || vocabulary->bytes(found).size < size;
      if (isLonger &&
          (controls || vocabulary->type(*low) == TokenType::UserDefined))
        found = *low;
    }
    if (next + size == end)
      break;
    uint8_t wanted = static_cast<uint8_t>(next[size]);
    auto byteOf = [&](int32_t token) {
      return static_cast<uint8_t>(vocabulary->bytes(token).data[size]);
    };
    low =
        std::lower_bound(low, high, wanted, [&](int32_t token, uint8_t wanted) {
          return byteOf(token) < wanted;
        });
    high =
        std::upper_bound(low, high, wanted, [&](uint8_t wanted, int32_t token) {
          return wanted < byteOf(token);
        });
  }
  return found;
}

int32_t SpecialTokens::find(Text name) const {
  const int32_t *found = std::lower_bound(
      byName.begin(), byName.end(), name, [&](int32_t token, Text name) {
        return compare(vocabulary->bytes(token), name) < 0;
      });
  bool isThere = found != byName.end() && vocabulary->bytes(*found) == name;
  return isThere ? *found : -1;
}
