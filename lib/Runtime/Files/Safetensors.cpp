//===- Safetensors.cpp - Read a safetensors file --------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/Safetensors.h"

#include "HamKaas/Runtime/Core/NameIndex.h"
#include "HamKaas/Runtime/Files/FileKind.h"
#include "SafetensorsFormat.h"
#include "SafetensorsHeader.h"

#include <cinttypes>
#include <cstdlib>
#include <cstring>

using namespace hamkaas::rt;

using safetensors::maximumHeaderSize;
using safetensors::prefixSize;

void SafetensorsFile::clear() {
  free(tensors);
  free(byName);
  free(names);
  free(shapes);
  tensors = nullptr;
  byName = nullptr;
  names = nullptr;
  shapes = nullptr;
  count = 0;
}

Error SafetensorsFile::parseChecked(const uint8_t *contents, size_t size,
                                    const char *path) {
  if (size < prefixSize)
    return Error::format("%s: truncated: expected at least %zu bytes, got "
                         "%zu",
                         path, prefixSize, size);
  uint64_t headerSize = 0;
  for (size_t i = 0; i < prefixSize; ++i)
    headerSize |= uint64_t{contents[i]} << (8 * i);
  bool isOther = size > prefixSize && contents[prefixSize] != '{';
  if (isOther && headerSize > size - prefixSize) {
    const char *kind = describeFileKind(contents, size);
    return Error::format("%s: expected a safetensors file, got %s", path,
                         kind ? kind : "other data");
  }
  if (headerSize > maximumHeaderSize)
    return Error::format("%s: expected a header of at most %" PRIu64
                         " bytes, got a length of %" PRIu64,
                         path, maximumHeaderSize, headerSize);
  if (headerSize > size - prefixSize)
    return Error::format("%s: truncated: expected a header of %" PRIu64
                         " bytes, got %zu",
                         path, headerSize, size - prefixSize);

  const char *text = reinterpret_cast<const char *>(contents + prefixSize);
  const uint8_t *data = contents + prefixSize + headerSize;
  uint64_t dataSize = size - prefixSize - headerSize;
  if (headerSize == 0 || text[0] != '{')
    return Error::format("%s: expected the header to begin with '{'", path);
  SafetensorsHeader header(path, data, dataSize);
  if (Error error = header.read(text, headerSize))
    return error;
  tensors = header.tensors;
  names = header.names;
  shapes = header.shapes;
  count = header.count;
  header.tensors = nullptr;
  header.names = nullptr;
  header.shapes = nullptr;
  if (Error error = sortTensors(path))
    return error;
  return checkLayout(data, dataSize, path);
}

static int compareData(const void *left, const void *right) {
  const auto *a = static_cast<const SafetensorsTensor *>(left);
  const auto *b = static_cast<const SafetensorsTensor *>(right);
  if (a->data != b->data)
    return a->data < b->data ? -1 : 1;
  return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

// Sorts the tensors by data, then an index of them by name.
Error SafetensorsFile::sortTensors(const char *path) {
  qsort(tensors, count, sizeof(tensors[0]), compareData);
  byName = createNameIndex(tensors, count);
  if (!byName)
    return Error::format("%s: out of memory for %zu tensors", path, count);
  for (size_t i = 1; i < count; ++i)
    if (strcmp(byName[i - 1]->name, byName[i]->name) == 0)
      return Error::format("%s: tensor '%.200s' is defined twice", path,
                           byName[i]->name);
  return Error();
}

// The tensors must cover the data from its first to its last byte, each once.
Error SafetensorsFile::checkLayout(const uint8_t *data, uint64_t size,
                                   const char *path) const {
  uint64_t end = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t begin = static_cast<uint64_t>(
        static_cast<const uint8_t *>(tensors[i].data) - data);
    if (begin != end)
      return Error::format("%s: tensor '%.200s': data begins at offset %" PRIu64
                           ", expected %" PRIu64 ": it %s",
                           path, tensors[i].name, begin, end,
                           begin < end ? "overlaps the tensor before it"
                                       : "leaves a hole before it");
    end += tensors[i].bytes;
  }
  if (end != size)
    return Error::format("%s: the tensors take %" PRIu64
                         " bytes, but the file has %" PRIu64 " bytes of data",
                         path, end, size);
  return Error();
}

const SafetensorsTensor *SafetensorsFile::find(const char *name) const {
  return findByName(byName, count, name);
}
