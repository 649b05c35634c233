//===- SafetensorsHeader.h - The header of a safetensors file ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_FILES_SAFETENSORSHEADER_H
#define HAMKAAS_LIB_RUNTIME_FILES_SAFETENSORSHEADER_H

#include "HamKaas/Runtime/Core/Error.h"
#include "HamKaas/Runtime/Files/SafetensorsTensor.h"
#include "JsonTokens.h"

namespace hamkaas::rt {

/// Reads the JSON header into a table of tensors.
class SafetensorsHeader {
public:
  /// `data` is what the offsets count from, `dataSize` bytes long; `path` is
  /// for messages.
  SafetensorsHeader(const char *path, const uint8_t *data, uint64_t dataSize)
      : path(path), data(data), dataSize(dataSize) {}
  SafetensorsHeader(const SafetensorsHeader &) = delete;
  SafetensorsHeader &operator=(const SafetensorsHeader &) = delete;
  ~SafetensorsHeader();

  /// Checks that each tensor's type, shape and size agree and its data is
  /// within the file. Does not check tensors against each other.
  Error read(const char *text, size_t length);

  /// After read: what the caller takes over, each from malloc, by setting it
  /// to null here.
  SafetensorsTensor *tensors = nullptr;
  char *names = nullptr;
  int64_t *shapes = nullptr;
  size_t count = 0;

private:
  Error allocate();
  Error readMember(size_t &index);
  Error skipMetadata(size_t &index);
  Error readName(size_t index, SafetensorsTensor &tensor);
  Error readTensor(size_t &index, SafetensorsTensor &tensor);
  Error readField(size_t &index, SafetensorsTensor &tensor);
  Error readDtype(size_t &index, SafetensorsTensor &tensor);
  Error readShape(size_t &index, SafetensorsTensor &tensor);
  Error readOffsets(size_t &index);
  Error checkTensor(SafetensorsTensor &tensor);

  bool isKey(size_t index) const;
  bool isInteger(size_t index, int64_t &value) const;
  Error fail(const char *tensorName, const char *pattern, ...) const
      __attribute__((format(printf, 3, 4)));

  const char *path;
  const uint8_t *data;
  uint64_t dataSize;
  JsonTokens tokens;
  char *nextName = nullptr;
  int64_t *nextShape = nullptr;

  /// Of the tensor being read.
  const char *name = nullptr;
  size_t elementSize = 0;
  int64_t offsets[2] = {0, 0};
  bool hasDtype = false, hasShape = false, hasOffsets = false;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_LIB_RUNTIME_FILES_SAFETENSORSHEADER_H
