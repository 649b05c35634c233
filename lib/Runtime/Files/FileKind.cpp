//===- FileKind.cpp - Kinds of files by their first bytes -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/FileKind.h"

#include "SafetensorsFormat.h"

#include <cstdint>
#include <cstring>

using namespace hamkaas::rt;

namespace {
struct FileKind {
  const char *start, *description;
};
} // namespace

static constexpr FileKind kinds[] = {
    {"\x93NUMPY", "an npy file"},
    {"GGUF", "a GGUF file"},
    {"\x7f"
     "ELF",
     "an ELF file, such as a library"},
    {"\x1f\x8b", "a gzip file"},
    {"PK\3\4", "a zip file, such as an npz file or one of torch.save"},
    {"\x89HDF\r\n", "an HDF5 file"},
};

// Text has no such length, because its last bytes are zeros.
static bool isSafetensors(const uint8_t *contents, size_t size) {
  using safetensors::prefixSize;
  if (size <= prefixSize || contents[prefixSize] != '{')
    return false;
  uint64_t headerSize = 0;
  for (size_t i = 0; i < prefixSize; ++i)
    headerSize |= uint64_t{contents[i]} << (8 * i);
  return headerSize <= safetensors::maximumHeaderSize;
}

const char *hamkaas::rt::describeFileKind(const void *contents, size_t size) {
  for (const FileKind &kind : kinds) {
    size_t length = strlen(kind.start);
    if (size >= length && memcmp(contents, kind.start, length) == 0)
      return kind.description;
  }
  return isSafetensors(static_cast<const uint8_t *>(contents), size)
             ? "a safetensors file"
             : nullptr;
}
