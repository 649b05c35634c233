//===- GgufFormat.h - Numbers of the format GGUF ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_FILES_GGUFFORMAT_H
#define HAMKAAS_LIB_RUNTIME_FILES_GGUFFORMAT_H

#include <cstddef>
#include <cstdint>
#include <cstring>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "numbers are read as the file has them");

namespace hamkaas::rt::gguf {

inline constexpr char magic[4] = {'G', 'G', 'U', 'F'};

inline bool hasMagic(const void *contents, size_t size) {
  return size >= sizeof(magic) && memcmp(contents, magic, sizeof(magic)) == 0;
}

/// The first version has counts of 32 bits.
inline constexpr uint32_t firstVersion = 2, lastVersion = 3;

/// The fewest bytes that a value with its key, and what describes a tensor,
/// take.
inline constexpr size_t leastValueBytes = 8 + 1 + 4 + 1;
inline constexpr size_t leastTensorBytes = 8 + 1 + 4 + 4 + 8;

} // namespace hamkaas::rt::gguf

#endif // HAMKAAS_LIB_RUNTIME_FILES_GGUFFORMAT_H
