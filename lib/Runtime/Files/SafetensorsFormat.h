//===- SafetensorsFormat.h - What reader and writer agree on ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_FILES_SAFETENSORSFORMAT_H
#define HAMKAAS_LIB_RUNTIME_FILES_SAFETENSORSFORMAT_H

#include "HamKaas/Runtime/Core/Utf8.h"

#include <cstddef>

namespace hamkaas::rt::safetensors {

/// Of the length that a file begins with.
inline constexpr size_t prefixSize = 8;

/// The format's own limit.
inline constexpr uint64_t maximumHeaderSize = 100000000;

/// The member of the header that is no tensor.
inline constexpr char metadataKey[] = "__metadata__";

/// Returns whether a tensor may have this name: UTF-8 without control
/// characters.
inline bool isName(const char *begin, const char *end) {
  while (begin != end) {
    int length = utf8Length(begin, end);
    if (length == 0 || static_cast<unsigned char>(*begin) < 0x20 ||
        *begin == 0x7F)
      return false;
    begin += length;
  }
  return true;
}

} // namespace hamkaas::rt::safetensors

#endif // HAMKAAS_LIB_RUNTIME_FILES_SAFETENSORSFORMAT_H
