//===- SafetensorsHeader.cpp - The header of a safetensors file -----------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SafetensorsHeader.h"

#include "HamKaas/Runtime/Core/TensorType.h"
#include "SafetensorsFormat.h"

#include <cinttypes>
#include <cstdlib>

using namespace hamkaas::rt;

namespace {
struct Dtype {
  const char *name;
  size_t size;
};
} // namespace

// Those that no element type has. Types of less than a byte are unknown here.
static constexpr Dtype otherDtypes[] = {
    {"C64", 8}, {"F8_E5M2", 1}, {"F8_E4M3", 1}, {"F8_E8M0", 1}};

// Long names are cut in messages.
#define NAME_FORMAT "'%.200s'"

SafetensorsHeader::~SafetensorsHeader() {
  free(tensors);
  free(names);
  free(shapes);
}

Error SafetensorsHeader::fail(const char *tensorName, const char *pattern,
                              ...) const {
  TextBuilder text;
  text.append("%s: ", path);
  if (tensorName)
    text.append("tensor " NAME_FORMAT ": ", tensorName);
  va_list arguments;
  va_start(arguments, pattern);
  text.appendList(pattern, arguments);
  va_end(arguments);
  return Error::adopt(text.release());
}

bool SafetensorsHeader::isKey(size_t index) const {
  return tokens.kind(index) == JsonKind::String &&
         tokens.childCount(index) == 1;
}

bool SafetensorsHeader::isInteger(size_t index, int64_t &value) const {
  return tokens.childCount(index) == 0 && tokens.readInteger(index, value);
}

Error SafetensorsHeader::read(const char *text, size_t length) {
  // Metadata, a string to string map, nests less than a tensor's arrays.
  constexpr int maximumDepth = 3;
  if (Error error = tokens.parse(text, length, maximumDepth))
    return fail(nullptr, "the header is not valid JSON: %s", error.message());
  if (tokens.kind(0) != JsonKind::Object)
    return fail(nullptr, "expected the header to be a JSON object");
  if (Error error = allocate())
    return error;
  for (size_t index = 1; index < tokens.size();)
    if (Error error = readMember(index))
      return error;
  return Error();
}

// Takes the largest sizes that the tokens allow, so that pointers into the
// arrays stay valid.
Error SafetensorsHeader::allocate() {
  size_t nameBytes = 1, integers = 1;
  for (size_t i = 1; i < tokens.size(); ++i) {
    if (tokens.kind(i) == JsonKind::String)
      nameBytes += tokens.stringCapacity(i);
    else if (tokens.kind(i) == JsonKind::Primitive)
      ++integers;
  }
  size_t members = static_cast<size_t>(tokens.childCount(0));
  tensors = static_cast<SafetensorsTensor *>(
      calloc(members + 1, sizeof(SafetensorsTensor)));
  names = static_cast<char *>(malloc(nameBytes));
  shapes = static_cast<int64_t *>(malloc(integers * sizeof(int64_t)));
  if (!tensors || !names || !shapes)
    return fail(nullptr, "out of memory for the header of %zu tensors",
                members);
  nextName = names;
  nextShape = shapes;
  return Error();
}

Error SafetensorsHeader::readMember(size_t &index) {
  if (!isKey(index))
    return fail(nullptr,
                "expected a tensor name with a description, got "
                "'%.*s' in the header",
                tokens.shownLength(index), tokens.begin(index));
  if (tokens.isString(index, safetensors::metadataKey))
    return skipMetadata(index);
  SafetensorsTensor &tensor = tensors[count];
  if (Error error = readName(index, tensor))
    return error;
  ++index;
  if (Error error = readTensor(index, tensor))
    return error;
  ++count;
  return Error();
}

Error SafetensorsHeader::skipMetadata(size_t &index) {
  ++index;
  if (tokens.kind(index) != JsonKind::Object)
    return fail(nullptr, "expected __metadata__ to be a JSON object");
  int members = tokens.childCount(index++);
  for (int i = 0; i < members; ++i, index += 2)
    if (!isKey(index) || tokens.kind(index + 1) != JsonKind::String ||
        tokens.childCount(index + 1) != 0)
      return fail(nullptr, "expected __metadata__ to map strings to strings");
  return Error();
}

Error SafetensorsHeader::readName(size_t index, SafetensorsTensor &tensor) {
  char *end = tokens.readString(index, nextName);
  if (!end || !safetensors::isName(nextName, end))
    return fail(nullptr,
                "the name of tensor number %zu is not UTF-8 text "
                "without control characters",
                count);
  tensor.name = name = nextName;
  nextName = end + 1;
  return Error();
}

Error SafetensorsHeader::readTensor(size_t &index, SafetensorsTensor &tensor) {
  if (tokens.kind(index) != JsonKind::Object)
    return fail(name, "expected a JSON object with dtype, shape and "
                      "data_offsets");
  hasDtype = hasShape = hasOffsets = false;
  int fields = tokens.childCount(index++);
  for (int i = 0; i < fields; ++i)
    if (Error error = readField(index, tensor))
      return error;
  const char *missing = !hasDtype     ? "dtype"
                        : !hasShape   ? "shape"
                        : !hasOffsets ? "data_offsets"
                                      : nullptr;
  if (missing)
    return fail(name, "%s is missing", missing);
  return checkTensor(tensor);
}

Error SafetensorsHeader::readField(size_t &index, SafetensorsTensor &tensor) {
  if (!isKey(index))
    return fail(name, "expected a key with a value, got '%.*s'",
                tokens.shownLength(index), tokens.begin(index));
  size_t key = index++;
  bool *seen = tokens.isString(key, "dtype")          ? &hasDtype
               : tokens.isString(key, "shape")        ? &hasShape
               : tokens.isString(key, "data_offsets") ? &hasOffsets
                                                      : nullptr;
  if (!seen || *seen)
    return fail(name, "%s '%.*s', expected dtype, shape and data_offsets",
                seen ? "second" : "unknown key", tokens.shownLength(key),
                tokens.begin(key));
  *seen = true;
  if (seen == &hasDtype)
    return readDtype(index, tensor);
  if (seen == &hasShape)
    return readShape(index, tensor);
  return readOffsets(index);
}

Error SafetensorsHeader::readDtype(size_t &index, SafetensorsTensor &tensor) {
  size_t value = index++;
  auto is = [&](const char *name) {
    return tokens.childCount(value) == 0 && tokens.isString(value, name);
  };
  auto take = [&](const char *name, size_t size, int32_t elementType) {
    tensor.dtype = name;
    tensor.elementType = elementType;
    elementSize = size;
    return Error();
  };
  for (const ElementType &type : elementTypes)
    if (is(type.safetensors))
      return take(type.safetensors, type.size, type.type);
  for (const Dtype &dtype : otherDtypes)
    if (is(dtype.name))
      return take(dtype.name, dtype.size, /*elementType=*/-1);
  return fail(name, "unknown dtype '%.*s'", tokens.shownLength(value),
              tokens.begin(value));
}

Error SafetensorsHeader::readShape(size_t &index, SafetensorsTensor &tensor) {
  if (tokens.kind(index) != JsonKind::Array)
    return fail(name, "expected shape to be an array of integers");
  tensor.rank = tokens.childCount(index++);
  tensor.shape = nextShape;
  for (int32_t i = 0; i < tensor.rank; ++i, ++index)
    if (!isInteger(index, *nextShape++))
      return fail(name,
                  "expected dimension %d of shape to be an integer from "
                  "0 to 2^63 - 1, got '%.*s'",
                  i, tokens.shownLength(index), tokens.begin(index));
  return Error();
}

Error SafetensorsHeader::readOffsets(size_t &index) {
  bool valid = tokens.kind(index) == JsonKind::Array &&
               tokens.childCount(index) == 2 &&
               isInteger(index + 1, offsets[0]) &&
               isInteger(index + 2, offsets[1]) && offsets[0] <= offsets[1];
  if (!valid)
    return fail(name, "expected data_offsets to be two integers, begin <= end");
  index += 3;
  return Error();
}

Error SafetensorsHeader::checkTensor(SafetensorsTensor &tensor) {
  uint64_t begin = static_cast<uint64_t>(offsets[0]);
  uint64_t end = static_cast<uint64_t>(offsets[1]);
  uint64_t expected = 0;
  bool fits = countBytes(elementSize, tensor.rank, tensor.shape, expected);
  if (!fits || end - begin != expected) {
    TextBuilder shape;
    appendShape(shape, tensor.rank, tensor.shape);
    char *text = shape.release();
    Error error = fail(name,
                       "data_offsets [%" PRIu64 ", %" PRIu64 "] hold %" PRIu64
                       " bytes, expected %s%" PRIu64 " for %s %.200s",
                       begin, end, end - begin, fits ? "" : "more than ",
                       fits ? expected : uint64_t{INT64_MAX}, tensor.dtype,
                       text ? text : "");
    free(text);
    return error;
  }
  if (end > dataSize)
    return fail(name,
                "data_offsets [%" PRIu64 ", %" PRIu64 "] end after the %" PRIu64
                " bytes of data in the file",
                begin, end, dataSize);
  tensor.data = data + begin;
  tensor.bytes = expected;
  return Error();
}
