//===- NpyHeader.cpp - The header of an npy file --------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/NpyHeader.h"

#include "HamKaas/Runtime/Core/TensorType.h"

#include <cstring>
#include <initializer_list>

using namespace hamkaas::rt;

namespace {

/// A piece of the header's text, not null-terminated.
struct Piece {
  const char *begin = nullptr;
  size_t length = 0;

  bool is(const char *text) const {
    return strlen(text) == length && memcmp(begin, text, length) == 0;
  }
  /// For messages: long pieces are cut.
  int shownLength() const {
    return length < 100 ? static_cast<int>(length) : 100;
  }
};

/// Reads the dictionary from left to right.
class HeaderReader {
public:
  HeaderReader(const char *text, size_t length, const char *path,
               NpyHeader &header)
      : begin(text), next(text), end(text + length), path(path),
        header(header) {}

  Error run();

private:
  Error readEntry();
  Error readDescription();
  Error unknownDescription(const Piece *found) const;
  Error readOrder();
  Error readShape();

  void skipSpaces();
  bool accept(char mark);
  bool readQuoted(Piece &piece);
  bool readInteger(int64_t &value);
  Error unexpected(const char *expected) const;

  const char *begin, *next, *end;
  const char *path;
  NpyHeader &header;
  bool hasDescription = false, hasOrder = false, hasShape = false;
};

} // namespace

Error NpyHeader::parse(const char *text, size_t length, const char *path) {
  return HeaderReader(text, length, path, *this).run();
}

//===----------------------------------------------------------------------===//
// Characters
//===----------------------------------------------------------------------===//

Error HeaderReader::unexpected(const char *expected) const {
  size_t position = static_cast<size_t>(next - begin);
  if (next == end)
    return Error::format("%s: expected %s at byte %zu of the header, got its "
                         "end",
                         path, expected, position);
  return Error::format("%s: expected %s at byte %zu of the header, got "
                       "character 0x%02x",
                       path, expected, position,
                       static_cast<unsigned char>(*next));
}

void HeaderReader::skipSpaces() {
  while (next < end && (*next == ' ' || *next == '\n' || *next == '\t'))
    ++next;
}

bool HeaderReader::accept(char mark) {
  skipSpaces();
  if (next == end || *next != mark)
    return false;
  ++next;
  return true;
}

// Names have no escapes.
bool HeaderReader::readQuoted(Piece &piece) {
  skipSpaces();
  if (next == end || (*next != '\'' && *next != '"'))
    return false;
  const char *first = next + 1;
  const void *close = memchr(first, *next, static_cast<size_t>(end - first));
  if (!close)
    return false;
  next = static_cast<const char *>(close);
  piece = {first, static_cast<size_t>(next - first)};
  ++next;
  return true;
}

bool HeaderReader::readInteger(int64_t &value) {
  skipSpaces();
  const char *first = next;
  value = 0;
  for (; next < end && *next >= '0' && *next <= '9'; ++next)
    if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
        __builtin_add_overflow(value, int64_t{*next - '0'}, &value))
      return false;
  bool found = next != first;
  // Python 2 wrote long integers so.
  if (found && next < end && *next == 'L')
    ++next;
  return found;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

Error HeaderReader::run() {
  if (!accept('{'))
    return unexpected("'{'");
  while (!accept('}')) {
    if (Error error = readEntry())
      return error;
    if (!accept(',')) {
      if (!accept('}'))
        return unexpected("',' or '}'");
      break;
    }
  }
  skipSpaces();
  if (next != end)
    return unexpected("nothing after '}'");
  const char *missing = !hasDescription ? "descr"
                        : !hasOrder     ? "fortran_order"
                        : !hasShape     ? "shape"
                                        : nullptr;
  if (missing)
    return Error::format("%s: expected '%s' in the header, got none", path,
                         missing);
  return Error();
}

Error HeaderReader::readEntry() {
  Piece key;
  if (!readQuoted(key))
    return unexpected("a quoted key");
  if (!accept(':'))
    return unexpected("':'");
  bool *seen = key.is("descr")           ? &hasDescription
               : key.is("fortran_order") ? &hasOrder
               : key.is("shape")         ? &hasShape
                                         : nullptr;
  if (!seen || *seen)
    return Error::format("%s: expected one each of descr, fortran_order and "
                         "shape in the header, got %s '%.*s'",
                         path, seen ? "a second" : "key", key.shownLength(),
                         key.begin);
  *seen = true;
  if (seen == &hasDescription)
    return readDescription();
  if (seen == &hasOrder)
    return readOrder();
  return readShape();
}

Error HeaderReader::readDescription() {
  Piece piece;
  if (!readQuoted(piece))
    return unknownDescription(nullptr);
  for (const ElementType &type : elementTypes) {
    if (!type.npy || !piece.is(type.npy))
      continue;
    header.elementType = type.type;
    return Error();
  }
  return unknownDescription(&piece);
}

Error HeaderReader::unknownDescription(const Piece *found) const {
  if (found && found->is("|O"))
    return Error::format("%s: expected numbers, got Python objects; "
                         "numpy.array with a dtype makes numbers of them",
                         path);
  TextBuilder text;
  text.append("%s: expected dtype", path);
  for (const ElementType &type : elementTypes)
    if (type.npy)
      text.append("%s '%s'", &type == elementTypes ? "" : ",", type.npy);
  if (!found) {
    text.append(", got one that is not a string");
    return Error::adopt(text.release());
  }
  bool bigEndian = found->length > 0 && found->begin[0] == '>';
  text.append(", got %s'%.*s'", bigEndian ? "big-endian " : "",
              found->shownLength(), found->begin);
  // Numpy's text for a type that a package added to it.
  if (found->is("<V2") || found->is("|V2"))
    text.append(", which may be bfloat16; the format npy has no such type");
  return Error::adopt(text.release());
}

Error HeaderReader::readOrder() {
  skipSpaces();
  for (const char *word : {"False", "True"}) {
    size_t length = strlen(word);
    if (static_cast<size_t>(end - next) < length ||
        memcmp(next, word, length) != 0)
      continue;
    next += length;
    if (*word == 'F')
      return Error();
    return Error::format("%s: expected elements in C order, got Fortran "
                         "order; numpy.ascontiguousarray changes it",
                         path);
  }
  return unexpected("True or False");
}

Error HeaderReader::readShape() {
  if (!accept('('))
    return unexpected("'('");
  while (!accept(')')) {
    if (header.rank == NpyHeader::maximumRank)
      return Error::format("%s: expected at most %d dimensions, got more", path,
                           NpyHeader::maximumRank);
    if (!readInteger(header.shape[header.rank]))
      return unexpected("a dimension from 0 to 2^63 - 1");
    ++header.rank;
    if (!accept(',')) {
      if (!accept(')'))
        return unexpected("',' or ')'");
      break;
    }
  }
  return Error();
}
