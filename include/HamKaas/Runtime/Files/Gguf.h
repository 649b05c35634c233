//===- Gguf.h - Read a GGUF file --------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format of language models of llama.cpp, versions 2 and 3, little endian:
// metadata by key, the types and places of tensors, then their data. Everything
// a file can get wrong is an error that names the file, the position, what was
// expected and what was found.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_FILES_GGUF_H
#define HAMKAAS_RUNTIME_FILES_GGUF_H

#include "HamKaas/Runtime/Core/Error.h"
#include "HamKaas/Runtime/Files/GgufValue.h"
#include "HamKaas/Runtime/Files/ParsedFile.h"

#include <cstddef>
#include <cstdint>

namespace hamkaas::rt {

/// Returns whether contents are meant to be a GGUF file.
bool isGguf(const void *contents, size_t size);

/// A GGUF file, mapped while it is open. Metadata stays in the mapped file: an
/// array of strings is checked when the file is opened, and takes no memory.
class GgufFile : public ParsedFile<GgufFile> {
public:
  ~GgufFile() { close(); }

  /// The metadata in the order of the file.
  size_t valueCount() const { return values.count; }
  const GgufValue &value(size_t index) const { return values.entries[index]; }
  /// Null if there is no such key.
  const GgufValue *findValue(const char *key) const;

  /// The tensors in the order of their data.
  size_t tensorCount() const { return tensors.count; }
  const GgufTensor &tensor(size_t index) const {
    return tensors.entries[index];
  }
  /// Null if there is no such tensor.
  const GgufTensor *findTensor(const char *name) const;

private:
  friend ParsedFile;

  template <typename Entry> struct Table {
    Entry *entries = nullptr;
    const Entry **byName = nullptr; // sorted by name
    size_t count = 0;
  };

  void clear();
  Error parseChecked(const uint8_t *contents, size_t size, const char *path);

  Table<GgufValue> values;
  Table<GgufTensor> tensors; // sorted by data
  char *names = nullptr;     // what the names of both point into
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_FILES_GGUF_H
