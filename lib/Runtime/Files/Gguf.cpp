//===- Gguf.cpp - Read a GGUF file ----------------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/Gguf.h"

#include "GgufFormat.h"
#include "GgufHeader.h"
#include "HamKaas/Runtime/Core/NameIndex.h"

#include <cinttypes>
#include <cstdlib>
#include <cstring>

using namespace hamkaas::rt;

bool hamkaas::rt::isGguf(const void *contents, size_t size) {
  return gguf::hasMagic(contents, size);
}

template <typename Table> static void clearTable(Table &table) {
  free(table.entries);
  free(table.byName);
  table = {};
}

void GgufFile::clear() {
  clearTable(values);
  clearTable(tensors);
  free(names);
  names = nullptr;
}

static int compareOffsets(const void *left, const void *right) {
  uint64_t a = static_cast<const GgufTensor *>(left)->offset;
  uint64_t b = static_cast<const GgufTensor *>(right)->offset;
  return a < b ? -1 : a > b;
}

// Makes the index by name, which has each name once.
template <typename Table>
static Error indexTable(Table &table, const char *what, const char *path) {
  table.byName = createNameIndex(table.entries, table.count);
  if (!table.byName)
    return Error::format("%s: out of memory for %zu %ss", path, table.count,
                         what);
  for (size_t i = 1; i < table.count; ++i)
    if (strcmp(table.byName[i - 1]->name, table.byName[i]->name) == 0)
      return Error::format("%s: expected each %s once, got '%.200s' twice",
                           path, what, table.byName[i]->name);
  return Error();
}

Error GgufFile::parseChecked(const uint8_t *contents, size_t size,
                             const char *path) {
  GgufHeader header(contents, size, path);
  if (Error error = header.read())
    return error;
  values.entries = header.values;
  values.count = header.valueCount;
  tensors.entries = header.tensors;
  tensors.count = header.tensorCount;
  names = header.names;
  header.values = nullptr;
  header.tensors = nullptr;
  header.names = nullptr;
  // qsort may not be given a null pointer.
  if (tensors.count > 0)
    qsort(tensors.entries, tensors.count, sizeof(GgufTensor), compareOffsets);
  if (Error error = indexTable(values, "key", path))
    return error;
  if (Error error = indexTable(tensors, "tensor", path))
    return error;
  for (size_t i = 1; i < tensors.count; ++i) {
    const GgufTensor &last = tensors.entries[i - 1], &next = tensors.entries[i];
    if (next.offset - last.offset < last.bytes)
      return Error::format("%s: expected tensors that do not overlap, got "
                           "'%.200s' at byte %" PRIu64 ", within the %" PRIu64
                           " bytes of '%.200s' from %" PRIu64,
                           path, next.name, next.offset, last.bytes, last.name,
                           last.offset);
  }
  return Error();
}

const GgufValue *GgufFile::findValue(const char *key) const {
  return findByName(values.byName, values.count, key);
}

const GgufTensor *GgufFile::findTensor(const char *name) const {
  return findByName(tensors.byName, tensors.count, name);
}
