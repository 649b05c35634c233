//===- GgufHeader.h - What stands before the data of a GGUF file *- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_FILES_GGUFHEADER_H
#define HAMKAAS_LIB_RUNTIME_FILES_GGUFHEADER_H

#include "HamKaas/Runtime/Core/Error.h"
#include "HamKaas/Runtime/Files/GgufValue.h"

namespace hamkaas::rt {

/// Reads metadata and descriptions of tensors from the first to the last byte.
/// A count is compared with the bytes that are left before anything is
/// allocated.
class GgufHeader {
public:
  /// `path` is for messages.
  GgufHeader(const uint8_t *contents, size_t size, const char *path)
      : contents(contents), size(size), path(path) {}
  GgufHeader(const GgufHeader &) = delete;
  GgufHeader &operator=(const GgufHeader &) = delete;
  ~GgufHeader();

  /// Does not check entries against each other.
  Error read();

  /// After read: what the caller takes over, each from malloc, by setting it
  /// to null here. `names` is what the names of both point into.
  GgufValue *values = nullptr;
  GgufTensor *tensors = nullptr;
  char *names = nullptr;
  uint64_t valueCount = 0, tensorCount = 0;

private:
  Error fail(uint64_t position, const char *pattern, ...) const
      __attribute__((format(printf, 3, 4)));
  template <typename Number> Error readNumber(Number &value, const char *what);
  Error readText(GgufText &text, const char *what);
  /// A text without control characters.
  Error readName(GgufText &name, const char *what);
  Error checkCount(uint64_t count, size_t leastBytes, const char *what) const;
  Error allocate();

  Error readStart();
  Error readValue(GgufValue &value);
  Error readType(GgufType &type);
  Error readArrayType(GgufValue &value);
  Error checkElements(const GgufValue &value);
  Error checkTexts(const GgufValue &value);
  Error checkBools(const GgufValue &value);
  Error takeAlignment(const GgufValue &value);

  Error readTensor(GgufTensor &tensor);
  Error readShape(GgufTensor &tensor);
  Error readTensorType(GgufTensor &tensor);
  Error placeTensor(GgufTensor &tensor, uint64_t dataBegin) const;
  Error copyNames();

  const uint8_t *contents;
  size_t size;
  const char *path;
  size_t at = 0;
  uint64_t alignment = 32; // unless the metadata says otherwise
};

} // namespace hamkaas::rt

#endif // HAMKAAS_LIB_RUNTIME_FILES_GGUFHEADER_H
