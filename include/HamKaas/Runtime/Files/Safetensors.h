//===- Safetensors.h - Read a safetensors file ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format: 8 bytes with the length of the header, the header in JSON, then
// the data of all tensors without holes. Everything a file can get wrong is an
// error that names the file, the tensor, what was expected and what was found.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_FILES_SAFETENSORS_H
#define HAMKAAS_RUNTIME_FILES_SAFETENSORS_H

#include "HamKaas/Runtime/Core/Error.h"
#include "HamKaas/Runtime/Files/ParsedFile.h"
#include "HamKaas/Runtime/Files/SafetensorsTensor.h"

#include <cstddef>
#include <cstdint>

namespace hamkaas::rt {

/// A safetensors file, mapped while it is open.
class SafetensorsFile : public ParsedFile<SafetensorsFile> {
public:
  ~SafetensorsFile() { close(); }

  /// The tensors in the order of their data.
  size_t size() const { return count; }
  const SafetensorsTensor &operator[](size_t index) const {
    return tensors[index];
  }

  /// Null if there is no such tensor.
  const SafetensorsTensor *find(const char *name) const;

private:
  friend ParsedFile;
  void clear();
  Error parseChecked(const uint8_t *contents, size_t size, const char *path);
  Error checkLayout(const uint8_t *data, uint64_t size, const char *path) const;
  Error sortTensors(const char *path);

  SafetensorsTensor *tensors = nullptr;       // sorted by data
  const SafetensorsTensor **byName = nullptr; // sorted by name
  size_t count = 0;
  char *names = nullptr;     // what the tensors' names point into
  int64_t *shapes = nullptr; // what the tensors' shapes point into
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_FILES_SAFETENSORS_H
