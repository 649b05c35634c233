//===- WireFormat.cpp - The encoding of protobuf messages -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WireFormat.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace hamkaas::onnx;

std::optional<uint64_t> WireFields::takeVarint(StringRef &from) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !from.empty(); shift += 7) {
    uint8_t byte = from.front();
    from = from.drop_front();
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return value;
  }
  return std::nullopt;
}

bool WireFields::takeValue() {
  uint64_t size;
  switch (fieldType) {
  case Varint: {
    std::optional<uint64_t> value = takeVarint(rest);
    integer = value.value_or(0);
    return value.has_value();
  }
  case Fixed64:
    size = 8;
    break;
  case Fixed32:
    size = 4;
    break;
  case Bytes: {
    std::optional<uint64_t> length = takeVarint(rest);
    if (!length)
      return false;
    size = *length;
    break;
  }
  default:
    return false;
  }
  if (size > rest.size())
    return false;
  bytes = rest.take_front(size);
  rest = rest.drop_front(size);
  return true;
}

bool WireFields::next() {
  if (rest.empty() || isBroken)
    return false;
  std::optional<uint64_t> tag = takeVarint(rest);
  isBroken = !tag || *tag >> 3 == 0 || *tag >> 32 != 0;
  if (!isBroken) {
    fieldNumber = *tag >> 3;
    fieldType = *tag & 7;
    isBroken = !takeValue();
  }
  return !isBroken;
}

float WireFields::asFloat() const {
  float value = 0;
  if (is(Fixed32))
    std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

template <typename T> void WireFields::appendVarints(std::vector<T> &list) {
  if (is(Varint))
    list.push_back(integer);
  StringRef packed = asBytes();
  while (!packed.empty() && !isBroken) {
    std::optional<uint64_t> value = takeVarint(packed);
    isBroken = !value;
    list.push_back(value.value_or(0));
  }
}

void WireFields::appendTo(std::vector<int64_t> &list) { appendVarints(list); }
void WireFields::appendTo(std::vector<uint64_t> &list) { appendVarints(list); }

template <typename T>
void WireFields::appendFixed(std::vector<T> &list, Type type) {
  if (!is(type) && !is(Bytes))
    return;
  isBroken |= bytes.size() % sizeof(T) != 0;
  size_t first = list.size(), count = bytes.size() / sizeof(T);
  list.resize(first + count);
  // An empty list may have no address.
  if (count != 0)
    std::memcpy(list.data() + first, bytes.data(), count * sizeof(T));
}

template void WireFields::appendFixed(std::vector<float> &, Type);
template void WireFields::appendFixed(std::vector<double> &, Type);
