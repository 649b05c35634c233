//===- GgufHeader.cpp - What stands before the data of a GGUF file --------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GgufHeader.h"

#include "GgufFormat.h"
#include "HamKaas/Runtime/Core/Utf8.h"

#include <cinttypes>
#include <cstdlib>
#include <cstring>

using namespace hamkaas::rt;

static constexpr char alignmentKey[] = "general.alignment";

GgufHeader::~GgufHeader() {
  free(values);
  free(tensors);
  free(names);
}

Error GgufHeader::fail(uint64_t position, const char *pattern, ...) const {
  TextBuilder text;
  text.append("%s: byte %" PRIu64 ": expected ", path, position);
  va_list arguments;
  va_start(arguments, pattern);
  text.appendList(pattern, arguments);
  va_end(arguments);
  return Error::adopt(text.release());
}

template <typename Number>
Error GgufHeader::readNumber(Number &value, const char *what) {
  if (size - at < sizeof(value))
    return fail(at, "%zu bytes of %s, got %zu: the file is cut off",
                sizeof(value), what, size - at);
  memcpy(&value, contents + at, sizeof(value));
  at += sizeof(value);
  return Error();
}

Error GgufHeader::readText(GgufText &text, const char *what) {
  uint64_t length = 0;
  if (Error error = readNumber(length, what))
    return error;
  if (length > size - at)
    return fail(at, "%" PRIu64 " bytes of %s, got %zu: the file is cut off",
                length, what, size - at);
  text = {reinterpret_cast<const char *>(contents + at),
          static_cast<size_t>(length)};
  const char *end = text.data + text.size;
  for (const char *next = text.data; next != end;) {
    int bytes = utf8Length(next, end);
    if (bytes == 0)
      return fail(at + static_cast<size_t>(next - text.data),
                  "UTF-8 in %s, got the byte 0x%02X", what,
                  static_cast<unsigned>(static_cast<uint8_t>(*next)));
    next += bytes;
  }
  at += text.size;
  return Error();
}

Error GgufHeader::readName(GgufText &name, const char *what) {
  if (Error error = readText(name, what))
    return error;
  size_t begin = at - name.size;
  if (name.size == 0)
    return fail(begin, "%s, got an empty one", what);
  for (size_t i = 0; i < name.size; ++i) {
    auto code = static_cast<uint8_t>(name.data[i]);
    if (code < 0x20 || code == 0x7F)
      return fail(begin + i, "%s without control characters, got 0x%02X", what,
                  static_cast<unsigned>(code));
  }
  return Error();
}

Error GgufHeader::checkCount(uint64_t count, size_t leastBytes,
                             const char *what) const {
  if (count <= (size - at) / leastBytes)
    return Error();
  return fail(at, "%" PRIu64 " %s, got %zu bytes, which hold %zu at most",
              count, what, size - at, (size - at) / leastBytes);
}

//===----------------------------------------------------------------------===//
// The whole header
//===----------------------------------------------------------------------===//

Error GgufHeader::readStart() {
  if (!gguf::hasMagic(contents, size))
    return fail(0, "a file that begins with 'GGUF', got another");
  at = sizeof(gguf::magic);
  uint32_t version = 0;
  if (Error error = readNumber(version, "the version"))
    return error;
  if (version < gguf::firstVersion || version > gguf::lastVersion) {
    bool isSwapped = __builtin_bswap32(version) <= gguf::lastVersion;
    return fail(sizeof(gguf::magic), "version %u or %u, got %u%s",
                gguf::firstVersion, gguf::lastVersion, version,
                isSwapped ? ": the file is big endian" : "");
  }
  if (Error error = readNumber(tensorCount, "the number of tensors"))
    return error;
  return readNumber(valueCount, "the number of keys");
}

Error GgufHeader::allocate() {
  if (Error error = checkCount(valueCount, gguf::leastValueBytes, "keys"))
    return error;
  if (Error error = checkCount(tensorCount, gguf::leastTensorBytes, "tensors"))
    return error;
  // calloc may return null for no entries.
  values = static_cast<GgufValue *>(
      calloc(static_cast<size_t>(valueCount) + 1, sizeof(GgufValue)));
  tensors = static_cast<GgufTensor *>(
      calloc(static_cast<size_t>(tensorCount) + 1, sizeof(GgufTensor)));
  if (values && tensors)
    return Error();
  return Error::format("%s: out of memory for %" PRIu64 " keys and %" PRIu64
                       " tensors",
                       path, valueCount, tensorCount);
}

Error GgufHeader::read() {
  if (Error error = readStart())
    return error;
  if (Error error = allocate())
    return error;
  for (uint64_t i = 0; i < valueCount; ++i)
    if (Error error = readValue(values[i]))
      return error;
  for (uint64_t i = 0; i < tensorCount; ++i)
    if (Error error = readTensor(tensors[i]))
      return error;
  // Not far behind the end of the file, so that no sum overflows.
  uint64_t dataBegin = (at + alignment - 1) / alignment * alignment;
  for (uint64_t i = 0; i < tensorCount; ++i)
    if (Error error = placeTensor(tensors[i], dataBegin))
      return error;
  return copyNames();
}

// Until here a name is that in the file, where its length stands before it.
static uint64_t lengthInFile(const char *name) {
  uint64_t length;
  memcpy(&length, name - sizeof(length), sizeof(length));
  return length;
}

template <typename Entry>
static size_t countNameBytes(const Entry *entries, uint64_t count) {
  size_t bytes = 0;
  for (uint64_t i = 0; i < count; ++i)
    bytes += lengthInFile(entries[i].name) + 1;
  return bytes;
}

template <typename Entry>
static void takeNames(Entry *entries, uint64_t count, char *&next) {
  for (uint64_t i = 0; i < count; ++i) {
    const char *&name = entries[i].name;
    uint64_t length = lengthInFile(name);
    memcpy(next, name, length);
    next[length] = 0;
    name = next;
    next += length + 1;
  }
}

Error GgufHeader::copyNames() {
  size_t bytes =
      countNameBytes(values, valueCount) + countNameBytes(tensors, tensorCount);
  names = static_cast<char *>(malloc(bytes + 1));
  if (!names)
    return Error::format("%s: out of memory for %zu bytes of names", path,
                         bytes);
  char *next = names;
  takeNames(values, valueCount, next);
  takeNames(tensors, tensorCount, next);
  return Error();
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

Error GgufHeader::readType(GgufType &type) {
  uint32_t number = 0;
  if (Error error = readNumber(number, "the type of a value"))
    return error;
  if (number >= ggufTypeCount)
    return fail(at - sizeof(number), "a type of values from 0 to %u, got %u",
                ggufTypeCount - 1, number);
  type = static_cast<GgufType>(number);
  return Error();
}

Error GgufHeader::readArrayType(GgufValue &value) {
  if (Error error = readType(value.type))
    return error;
  if (value.type == GgufType::Array)
    return fail(at - sizeof(uint32_t),
                "an array of values, got an array of arrays");
  return readNumber(value.count, "the length of an array");
}

Error GgufHeader::readValue(GgufValue &value) {
  GgufText name;
  if (Error error = readName(name, "a key"))
    return error;
  value.name = name.data;
  if (Error error = readType(value.type))
    return error;
  value.isArray = value.type == GgufType::Array;
  value.count = 1;
  if (value.isArray)
    if (Error error = readArrayType(value))
      return error;
  value.data = contents + at;
  value.offset = at;
  if (Error error = checkElements(value))
    return error;
  return name.equals(alignmentKey) ? takeAlignment(value) : Error();
}

Error GgufHeader::checkElements(const GgufValue &value) {
  size_t bytes = ggufTypeSize(value.type);
  bool isText = value.type == GgufType::String;
  // A string has a length at least.
  size_t leastBytes = isText ? sizeof(uint64_t) : bytes;
  if (Error error = checkCount(value.count, leastBytes, "values"))
    return error;
  if (isText)
    return checkTexts(value);
  if (value.type == GgufType::Bool)
    if (Error error = checkBools(value))
      return error;
  at += static_cast<size_t>(value.count) * bytes;
  return Error();
}

Error GgufHeader::checkTexts(const GgufValue &value) {
  GgufText text;
  for (uint64_t i = 0; i < value.count; ++i)
    if (Error error = readText(text, "a string"))
      return error;
  return Error();
}

Error GgufHeader::checkBools(const GgufValue &value) {
  for (uint64_t i = 0; i < value.count; ++i)
    if (value.data[i] > 1)
      return fail(value.offset + i, "0 or 1 as a bool, got %u",
                  static_cast<unsigned>(value.data[i]));
  return Error();
}

Error GgufHeader::takeAlignment(const GgufValue &value) {
  // The format wants multiples of 8; llama.cpp reads powers of 2 alone.
  constexpr uint64_t least = 8, most = 1 << 20;
  uint64_t number = 0;
  if (value.isArray || value.type != GgufType::UInt32)
    return fail(value.offset, "%s to be a uint32, got %s%s", alignmentKey,
                value.isArray ? "an array of " : "", ggufTypeName(value.type));
  if (!value.readCount(0, number) || number < least || number > most ||
      (number & (number - 1)) != 0)
    return fail(value.offset,
                "%s to be a power of 2 from %" PRIu64 " to %" PRIu64
                ", got %" PRIu64,
                alignmentKey, least, most, number);
  alignment = number;
  return Error();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Error GgufHeader::readTensor(GgufTensor &tensor) {
  GgufText name;
  if (Error error = readName(name, "the name of a tensor"))
    return error;
  tensor.name = name.data;
  if (Error error = readShape(tensor))
    return error;
  if (Error error = readTensorType(tensor))
    return error;
  size_t place = at;
  if (Error error = readNumber(tensor.offset, "the offset of a tensor"))
    return error;
  if (tensor.offset % alignment != 0)
    return fail(place,
                "an offset that is a multiple of %" PRIu64 ", got %" PRIu64,
                alignment, tensor.offset);
  return Error();
}

Error GgufHeader::readShape(GgufTensor &tensor) {
  uint32_t rank = 0;
  if (Error error = readNumber(rank, "the rank of a tensor"))
    return error;
  if (rank > GgufTensor::maximumRank)
    return fail(at - sizeof(rank), "a rank up to %d, got %u",
                GgufTensor::maximumRank, rank);
  tensor.rank = static_cast<int32_t>(rank);
  for (int32_t i = tensor.rank; i-- > 0;) {
    if (Error error = readNumber(tensor.shape[i], "the shape of a tensor"))
      return error;
    if (tensor.shape[i] < 1)
      return fail(at - sizeof(int64_t),
                  "a dimension from 1 to 2^63 - 1, got %" PRIu64,
                  static_cast<uint64_t>(tensor.shape[i]));
  }
  return Error();
}

Error GgufHeader::readTensorType(GgufTensor &tensor) {
  size_t place = at;
  uint32_t number = 0;
  if (Error error = readNumber(number, "the type of a tensor"))
    return error;
  tensor.type = findGgufTensorType(number);
  if (!tensor.type)
    return fail(place, "the number of a type of tensors, got %u", number);
  uint64_t row = tensor.rank > 0
                     ? static_cast<uint64_t>(tensor.shape[tensor.rank - 1])
                     : 1;
  if (row % tensor.type->blockNumbers != 0)
    return fail(place, "rows of a multiple of %u numbers for %s, got %" PRIu64,
                tensor.type->blockNumbers, tensor.type->name, row);
  // Bytes of a row are at most 8 times its numbers.
  bool overflows = row > uint64_t{INT64_MAX} / 8;
  int64_t bytes = overflows ? 0 : static_cast<int64_t>(tensor.rowBytes());
  for (int32_t i = 0; i + 1 < tensor.rank; ++i)
    overflows |= __builtin_mul_overflow(bytes, tensor.shape[i], &bytes);
  if (overflows)
    return fail(place, "a tensor of at most 2^63 - 1 bytes, got more");
  tensor.bytes = static_cast<uint64_t>(bytes);
  return Error();
}

Error GgufHeader::placeTensor(GgufTensor &tensor, uint64_t dataBegin) const {
  uint64_t left = size > dataBegin ? size - dataBegin : 0;
  // Long names are cut in messages.
  constexpr uint64_t shown = 200;
  uint64_t length = lengthInFile(tensor.name);
  if (tensor.offset > left || tensor.bytes > left - tensor.offset)
    return Error::format(
        "%s: tensor '%.*s': expected %" PRIu64 " bytes at offset %" PRIu64
        " of the data, which begins at byte %" PRIu64 ", got a file of %zu",
        path, static_cast<int>(length < shown ? length : shown), tensor.name,
        tensor.bytes, tensor.offset, dataBegin, size);
  tensor.offset += dataBegin;
  tensor.data = contents + tensor.offset;
  return Error();
}
