//===- Npy.h - Read and write numpy's arrays --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Versions 1 to 3 of the format, little-endian and in C order, of all element
// types but bfloat16, which the format lacks; anything else is an error that
// says what was expected and what was found.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_FILES_NPY_H
#define HAMKAAS_RUNTIME_FILES_NPY_H

#include "HamKaas/Runtime/Core/Error.h"
#include "HamKaas/Runtime/Files/AtomicFile.h"
#include "HamKaas/Runtime/Files/NpyHeader.h"
#include "HamKaas/Runtime/Files/ParsedFile.h"
#include "hamkaas-c/Program.h"

#include <cstddef>
#include <cstdint>

namespace hamkaas::rt {

/// An array in an npy file, mapped while this object lives.
class NpyFile : public ParsedFile<NpyFile> {
public:
  static constexpr int32_t maximumRank = NpyHeader::maximumRank;

  ~NpyFile() { close(); }

  HamKaasElementType elementType() const { return header.elementType; }
  int32_t rank() const { return header.rank; }
  const int64_t *shape() const { return header.shape; }

  /// The elements, row-major and aligned for their type.
  const void *data() const { return elements; }
  uint64_t bytes() const { return elementBytes; }

private:
  friend ParsedFile;
  void clear();
  Error parseChecked(const uint8_t *contents, size_t size, const char *path);
  Error placeElements(const uint8_t *found, uint64_t size, const char *path);

  NpyHeader header;
  const void *elements = nullptr;
  uint64_t elementBytes = 0;
  void *alignedCopy = nullptr; // null if the file's data is aligned
};

/// Writes an array, row-major, to a file that is complete or not there. `rank`
/// is at most NpyFile::maximumRank.
Error writeNpy(const char *path, HamKaasElementType elementType, int32_t rank,
               const int64_t *shape, const void *data);

/// The same for an open file, which the caller commits. `path` is for messages.
Error writeNpy(AtomicFile &file, const char *path,
               HamKaasElementType elementType, int32_t rank,
               const int64_t *shape, const void *data);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_FILES_NPY_H
