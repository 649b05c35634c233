//===- WireMutator.cpp - Changes fields of a message ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Changes protobuf messages field by field, with the lengths around what has
// changed corrected: changed anywhere else, nearly every message is one that is
// cut off. Which bytes are a message in turn is guessed, because nothing in the
// encoding says so.

#include "llvm/ADT/StringRef.h"
#include <cstring>
#include <random>
#include <string>
#include <vector>

using llvm::StringRef;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

enum WireType { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

struct Field {
  uint64_t tag = 0;
  /// The encoded number, or the bytes without their length.
  std::string value;

  WireType type() const { return WireType(tag & 7); }
};

using Message = std::vector<Field>;
using Random = std::minstd_rand;

} // namespace

//===----------------------------------------------------------------------===//
// The encoding
//===----------------------------------------------------------------------===//

/// Drops a number of `text` and returns whether there is one.
static bool takeVarint(StringRef &text, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !text.empty(); shift += 7) {
    uint8_t byte = text.front();
    text = text.drop_front();
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

static void appendVarint(std::string &text, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    text += char(value | 0x80);
  text += char(value);
}

/// The fields of a message; none if it is no message.
static Message parse(StringRef text) {
  Message message;
  while (!text.empty()) {
    Field field;
    uint64_t size = 0;
    if (!takeVarint(text, field.tag) || field.tag < 8)
      return {};
    StringRef before = text;
    if (field.type() == Varint) {
      if (!takeVarint(text, size))
        return {};
      size = before.size() - text.size();
      text = before;
    } else if (field.type() == Bytes) {
      if (!takeVarint(text, size))
        return {};
    } else if (field.type() == Fixed32 || field.type() == Fixed64) {
      size = field.type() == Fixed32 ? 4 : 8;
    } else {
      return {};
    }
    if (size > text.size())
      return {};
    field.value = text.take_front(size).str();
    text = text.drop_front(size);
    message.push_back(std::move(field));
  }
  return message;
}

static std::string encode(const Message &message) {
  std::string text;
  for (const Field &field : message) {
    appendVarint(text, field.tag);
    if (field.type() == Bytes)
      appendVarint(text, field.value.size());
    text += field.value;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

static size_t choose(Random &random, size_t count) { return random() % count; }

static void mutateBytes(std::string &text, size_t room) {
  size_t size = text.size();
  text.resize(size + room);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(text.data()), size,
                               text.size()));
}

static void mutateNumber(std::string &value, Random &random) {
  StringRef text(value);
  uint64_t number = 0;
  takeVarint(text, number);
  const uint64_t candidates[] = {0,
                                 1,
                                 number + 1,
                                 number - 1,
                                 -number,
                                 number << choose(random, 64),
                                 choose(random, 32),
                                 ~uint64_t(0) >> choose(random, 64)};
  value.clear();
  appendVarint(value, candidates[choose(random, std::size(candidates))]);
}

static void mutate(Message &message, size_t room, Random &random);

static void mutate(Field &field, size_t room, Random &random) {
  if (field.type() == Varint)
    return mutateNumber(field.value, random);
  if (field.type() != Bytes)
    return mutateBytes(field.value, 0);
  Message inner = parse(field.value);
  if (inner.empty() || choose(random, 8) == 0)
    return mutateBytes(field.value, room);
  mutate(inner, room, random);
  field.value = encode(inner);
}

static void mutate(Message &message, size_t room, Random &random) {
  size_t i = choose(random, message.size());
  size_t other = choose(random, message.size());
  switch (choose(random, 16)) {
  case 0:
    message.erase(message.begin() + i);
    break;
  case 1:
    message.insert(message.begin() + i, Field(message[other]));
    break;
  case 2:
    std::swap(message[i], message[other]);
    break;
  case 3:
    if (message[i].type() == message[other].type())
      message[i].value = message[other].value;
    break;
  default:
    mutate(message[i], room, random);
  }
}

/// Puts a field of `from` into `into`, at a place that it may have.
static void cross(Message &into, const Message &from, Random &random) {
  const Field &given = from[choose(random, from.size())];
  size_t i = choose(random, into.size());
  Message inner = parse(into[i].value), source = parse(given.value);
  bool descends = into[i].tag == given.tag && given.type() == Bytes &&
                  !inner.empty() && !source.empty();
  if (descends && choose(random, 4) != 0) {
    cross(inner, source, random);
    into[i].value = encode(inner);
  } else if (into[i].tag == given.tag) {
    into[i] = given;
  } else {
    into.insert(into.begin() + i, given);
  }
}

//===----------------------------------------------------------------------===//
// Entry points of libFuzzer
//===----------------------------------------------------------------------===//

static StringRef asText(const uint8_t *data, size_t size) {
  return StringRef(reinterpret_cast<const char *>(data), size);
}

/// Writes `text` if there is room for it.
static size_t store(StringRef text, uint8_t *out, size_t maxSize) {
  if (text.empty() || text.size() > maxSize)
    return 0;
  std::memcpy(out, text.data(), text.size());
  return text.size();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  Random random(seed);
  Message message = parse(asText(data, size));
  // Files that are no messages are tried, too.
  if (message.empty() || choose(random, 16) == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  mutate(message, maxSize - size, random);
  size_t stored = store(encode(message), data, maxSize);
  return stored ? stored : LLVMFuzzerMutate(data, size, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
                                            const uint8_t *otherData,
                                            size_t otherSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  Random random(seed);
  Message message = parse(asText(data, size));
  Message other = parse(asText(otherData, otherSize));
  if (message.empty() || other.empty())
    return store(asText(data, size), out, maxSize);
  cross(message, other, random);
  return store(encode(message), out, maxSize);
}
