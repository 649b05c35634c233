//===- MappedFile.h - A file's contents in memory ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_FILES_MAPPEDFILE_H
#define HAMKAAS_RUNTIME_FILES_MAPPEDFILE_H

#include "HamKaas/Runtime/Core/Error.h"

#include <cstddef>
#include <cstdint>

namespace hamkaas::rt {

/// Maps a regular file read-only. Pages are read when they are touched, so a
/// file that another process shortens meanwhile is not protected against.
class MappedFile {
public:
  MappedFile() = default;
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile() { close(); }

  /// Replaces what was open before. Fails on what is not a regular file; never
  /// blocks on a pipe.
  Error open(const char *path);
  void close();

  /// Null if the file is empty.
  const uint8_t *data() const { return contents; }
  size_t size() const { return length; }

private:
  const uint8_t *contents = nullptr;
  size_t length = 0;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_FILES_MAPPEDFILE_H
