//===- SafetensorsWriter.cpp - Write a safetensors file -------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/SafetensorsWriter.h"

#include "HamKaas/Runtime/Core/NameIndex.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "HamKaas/Runtime/Files/AtomicFile.h"
#include "SafetensorsFormat.h"

#include <cinttypes>
#include <cstdlib>
#include <cstring>

using namespace hamkaas::rt;

// Bytes of an element in the order of a file: the largest first, so that each
// tensor is aligned where it follows the one before.
static constexpr size_t elementSizes[] = {8, 4, 2, 1};

// Of the data; no element needs more.
static constexpr size_t dataAlignment = 8;

// Of data on its way.
static constexpr uint64_t bufferSize = uint64_t{1} << 20;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static Error checkSize(const char *path, const HamKaasTensorInfo &tensor) {
  size_t elementSize = elementTypeSize(tensor.elementType);
  uint64_t bytes = 0;
  if (elementSize != 0 &&
      countBytes(elementSize, tensor.rank, tensor.shape, bytes) &&
      bytes == tensor.bytes)
    return Error();
  TextBuilder text;
  text.append("%s: tensor '%.200s': %" PRIu64 " bytes do not fit ", path,
              tensor.name, tensor.bytes);
  appendType(text, tensor);
  return Error::adopt(text.release());
}

static Error checkTensors(const char *path, const HamKaasTensorInfo *tensors,
                          size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const char *name = tensors[i].name;
    if (!safetensors::isName(name, name + strlen(name)))
      return Error::format("%s: the name of tensor number %zu is not UTF-8 "
                           "text without control characters",
                           path, i);
    if (strcmp(name, safetensors::metadataKey) == 0)
      return Error::format("%s: a tensor cannot be named '%s'", path, name);
    if (Error error = checkSize(path, tensors[i]))
      return error;
  }
  return Error();
}

static Error checkNames(const char *path, const HamKaasTensorInfo *tensors,
                        size_t count) {
  const HamKaasTensorInfo **byName = createNameIndex(tensors, count);
  if (!byName)
    return Error::format("%s: out of memory for %zu tensors", path, count);
  const char *twice = nullptr;
  for (size_t i = 1; i < count && !twice; ++i)
    if (strcmp(byName[i - 1]->name, byName[i]->name) == 0)
      twice = byName[i]->name;
  free(byName);
  if (twice)
    return Error::format("%s: tensor '%.200s' is given twice", path, twice);
  return Error();
}

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

// Appends a text without control characters as a string of JSON.
static void appendString(TextBuilder &text, const char *string) {
  text.append("\"");
  while (*string) {
    size_t plain = strcspn(string, "\"\\");
    text.append("%.*s", static_cast<int>(plain), string);
    string += plain;
    if (*string)
      text.append("\\%c", *string++);
  }
  text.append("\"");
}

// Appends what comes before and after each tensor, too. `end` is that of the
// data so far.
static void appendTensor(TextBuilder &text, const HamKaasTensorInfo &tensor,
                         uint64_t &end) {
  text.append(text.empty() ? "{" : ",");
  appendString(text, tensor.name);
  text.append(":{\"dtype\":\"%s\",\"shape\":",
              elementTypes[tensor.elementType].safetensors);
  appendShape(text, tensor.rank, tensor.shape);
  text.append(",\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", end,
              end + tensor.bytes);
  end += tensor.bytes;
}

// Null if there is no memory.
static char *createHeader(const HamKaasTensorInfo *tensors, size_t count) {
  TextBuilder text;
  uint64_t end = 0;
  for (size_t size : elementSizes)
    for (size_t i = 0; i < count; ++i)
      if (elementTypeSize(tensors[i].elementType) == size)
        appendTensor(text, tensors[i], end);
  text.append(text.empty() ? "{}" : "}");
  return text.release();
}

static Error writeHeader(AtomicFile &file, const char *path,
                         const char *header) {
  size_t length = strlen(header);
  size_t padding = -length % dataAlignment;
  uint64_t total = length + padding;
  if (total > safetensors::maximumHeaderSize)
    return Error::format("%s: the header takes %" PRIu64
                         " bytes, the format allows %" PRIu64,
                         path, total, safetensors::maximumHeaderSize);
  uint8_t prefix[safetensors::prefixSize];
  for (size_t i = 0; i < sizeof(prefix); ++i)
    prefix[i] = static_cast<uint8_t>(total >> (8 * i));
  static_assert(safetensors::prefixSize % dataAlignment == 0);
  if (Error error = file.write(prefix, sizeof(prefix)))
    return error;
  if (Error error = file.write(header, length))
    return error;
  return file.write("        ", padding);
}

//===----------------------------------------------------------------------===//
// The data
//===----------------------------------------------------------------------===//

static Error writeTensor(AtomicFile &file, const TensorSource &source,
                         size_t tensor, uint64_t size, void *buffer) {
  for (uint64_t offset = 0; offset < size; offset += bufferSize) {
    uint64_t left = size - offset;
    uint64_t bytes = left < bufferSize ? left : bufferSize;
    if (Error error =
            source.read(source.context, tensor, offset, buffer, bytes))
      return error;
    if (Error error = file.write(buffer, bytes))
      return error;
  }
  return Error();
}

static Error writeData(AtomicFile &file, const HamKaasTensorInfo *tensors,
                       size_t count, const TensorSource &source, void *buffer) {
  for (size_t elementSize : elementSizes)
    for (size_t i = 0; i < count; ++i) {
      if (elementTypeSize(tensors[i].elementType) != elementSize)
        continue;
      if (Error error = writeTensor(file, source, i, tensors[i].bytes, buffer))
        return error;
    }
  return Error();
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static Error writeFile(const char *path, const HamKaasTensorInfo *tensors,
                       size_t count, const TensorSource &source,
                       const char *header, void *buffer) {
  if (!header || !buffer)
    return Error::format("%s: out of memory for %zu tensors", path, count);
  AtomicFile file;
  if (Error error = file.open(path))
    return error;
  if (Error error = writeHeader(file, path, header))
    return error;
  if (Error error = writeData(file, tensors, count, source, buffer))
    return error;
  return file.commitDurably();
}

Error hamkaas::rt::writeSafetensors(const char *path,
                                    const HamKaasTensorInfo *tensors,
                                    size_t count, const TensorSource &source) {
  if (Error error = checkTensors(path, tensors, count))
    return error;
  if (Error error = checkNames(path, tensors, count))
    return error;
  char *header = createHeader(tensors, count);
  void *buffer = malloc(bufferSize);
  Error error = writeFile(path, tensors, count, source, header, buffer);
  free(header);
  free(buffer);
  return error;
}
