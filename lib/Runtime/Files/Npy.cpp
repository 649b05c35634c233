//===- Npy.cpp - Read and write numpy's arrays ----------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/Npy.h"

#include "HamKaas/Runtime/Core/TensorType.h"
#include "HamKaas/Runtime/Files/AtomicFile.h"
#include "HamKaas/Runtime/Files/FileKind.h"

#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <utility>

using namespace hamkaas::rt;

// Before the length of the header: these and two bytes of version.
static constexpr char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};
static constexpr size_t versionAt = sizeof(magic);
static constexpr size_t lengthAt = versionAt + 2;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

void NpyFile::clear() {
  free(alignedCopy);
  alignedCopy = nullptr;
  header = {};
  elements = nullptr;
  elementBytes = 0;
}

Error NpyFile::parseChecked(const uint8_t *contents, size_t size,
                            const char *path) {
  if (size < lengthAt + 2 || memcmp(contents, magic, sizeof(magic)) != 0) {
    const char *kind = describeFileKind(contents, size);
    return Error::format("%s: expected an npy file, got %s", path,
                         size < lengthAt + 2 ? "a shorter one"
                         : kind              ? kind
                                             : "other first bytes");
  }
  uint8_t version = contents[versionAt];
  if (version < 1 || version > 3)
    return Error::format("%s: expected npy version 1 to 3, got %d.%d", path,
                         version, contents[versionAt + 1]);
  size_t lengthSize = version == 1 ? 2 : 4;
  size_t headerAt = lengthAt + lengthSize;
  uint64_t headerSize = 0;
  for (size_t i = 0; i < lengthSize && lengthAt + i < size; ++i)
    headerSize |= uint64_t{contents[lengthAt + i]} << (8 * i);
  if (size < headerAt || headerSize > size - headerAt)
    return Error::format(
        "%s: truncated: expected a header of %" PRIu64 " bytes, got %zu", path,
        headerSize, size < headerAt ? 0 : size - headerAt);

  if (Error error =
          header.parse(reinterpret_cast<const char *>(contents + headerAt),
                       headerSize, path))
    return error;
  return placeElements(contents + headerAt + headerSize,
                       size - headerAt - headerSize, path);
}

Error NpyFile::placeElements(const uint8_t *found, uint64_t size,
                             const char *path) {
  size_t alignment = elementTypeSize(header.elementType);
  bool fits = countBytes(alignment, header.rank, header.shape, elementBytes);
  if (!fits || elementBytes != size)
    return Error::format("%s: expected %s%" PRIu64 " bytes of data, got "
                         "%" PRIu64,
                         path, fits ? "" : "more than ",
                         fits ? elementBytes : uint64_t{INT64_MAX}, size);
  elements = found;
  if (size == 0 || reinterpret_cast<uintptr_t>(found) % alignment == 0)
    return Error();
  alignedCopy = malloc(size);
  if (!alignedCopy)
    return Error::format("%s: out of memory for %" PRIu64 " bytes of data",
                         path, size);
  memcpy(alignedCopy, found, size);
  elements = alignedCopy;
  return Error();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

// The data begins at a multiple of this, as numpy writes it.
static constexpr size_t dataAlignment = 64;

static void appendDictionary(TextBuilder &text, HamKaasElementType elementType,
                             int32_t rank, const int64_t *shape) {
  text.append("{'descr': '%s', 'fortran_order': False, 'shape': (",
              elementTypes[elementType].npy);
  for (int32_t i = 0; i < rank; ++i)
    text.append(i == 0 ? "%" PRId64 : ", %" PRId64, shape[i]);
  // A tuple of one has a comma.
  text.append("%s), }", rank == 1 ? "," : "");
}

Error hamkaas::rt::writeNpy(AtomicFile &file, const char *path,
                            HamKaasElementType elementType, int32_t rank,
                            const int64_t *shape, const void *data) {
  uint64_t bytes = 0;
  size_t elementSize = elementTypeSize(elementType);
  if (elementSize == 0 || rank < 0 || rank > NpyFile::maximumRank ||
      !countBytes(elementSize, rank, shape, bytes))
    return Error::format("cannot write '%s': no such tensor type", path);
  if (!elementTypes[elementType].npy)
    return Error::format("cannot write '%s': the format npy has no type %s",
                         path, elementTypeName(elementType));

  // Version 1: two bytes of length, more than 64 dimensions can need.
  TextBuilder dictionary;
  appendDictionary(dictionary, elementType, rank, shape);
  char *text = dictionary.release();
  if (!text)
    return Error::format("cannot write '%s': out of memory", path);
  size_t textSize = strlen(text);
  size_t headerAt = lengthAt + 2;
  // A newline ends the padding.
  size_t padding = dataAlignment - (headerAt + textSize + 1) % dataAlignment;
  size_t headerSize = textSize + padding + 1;

  char start[lengthAt + 2] = {};
  memcpy(start, magic, sizeof(magic));
  start[versionAt] = 1;
  start[lengthAt] = static_cast<char>(headerSize & 0xFF);
  start[lengthAt + 1] = static_cast<char>(headerSize >> 8);
  char spaces[dataAlignment + 1];
  memset(spaces, ' ', sizeof(spaces));
  spaces[padding] = '\n';

  Error error = file.write(start, sizeof(start));
  if (!error)
    error = file.write(text, textSize);
  free(text);
  if (!error)
    error = file.write(spaces, padding + 1);
  if (!error)
    error = file.write(data, bytes);
  return error;
}

Error hamkaas::rt::writeNpy(const char *path, HamKaasElementType elementType,
                            int32_t rank, const int64_t *shape,
                            const void *data) {
  AtomicFile file;
  Error error = file.open(path);
  if (!error)
    error = writeNpy(file, path, elementType, rank, shape, data);
  return error ? std::move(error) : file.commit();
}
