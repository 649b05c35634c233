//===- JsonTokens.cpp - The tokens of a JSON text -------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonTokens.h"

#include "HamKaas/Runtime/Core/Utf8.h"

#include <cstdlib>
#include <cstring>

// Parent links keep the closing of brackets from scanning all earlier tokens.
#define JSMN_STATIC
#define JSMN_STRICT
#define JSMN_PARENT_LINKS
#include <jsmn.h>

using namespace hamkaas::rt;

//===----------------------------------------------------------------------===//
// Between tokens
//===----------------------------------------------------------------------===//

namespace {

/// Checks that brackets, commas and colons stand where JSON has them, that the
/// nesting is bounded, and that there is nothing else between tokens.
class PunctuationCheck {
public:
  PunctuationCheck(const char *text, size_t length, int maximumDepth)
      : text(text), length(length), maximumDepth(maximumDepth) {}

  Error run();

private:
  bool step();
  bool acceptMark(char mark, const char *allowedBefore, char nowBefore);
  bool skipString();
  void skipPrimitive();

  const char *text;
  size_t length;
  int maximumDepth;
  int depth = 0;
  size_t position = 0;
  /// The last token: a mark, 'v' after a value or key, '^' at the beginning.
  char before = '^';
};

} // namespace

Error PunctuationCheck::run() {
  for (; position < length; ++position) {
    size_t start = position;
    if (!step())
      return Error::format("unexpected character at byte %zu", start);
    if (depth > maximumDepth)
      return Error::format("nested deeper than %d levels at byte %zu",
                           maximumDepth, start);
  }
  return Error();
}

bool PunctuationCheck::acceptMark(char mark, const char *allowedBefore,
                                  char nowBefore) {
  if (!strchr(allowedBefore, before))
    return false;
  depth += mark == '{' || mark == '[';
  depth -= mark == '}' || mark == ']';
  before = nowBefore;
  return true;
}

bool PunctuationCheck::step() {
  char c = text[position];
  switch (c) {
  case ' ':
  case '\t':
  case '\n':
  case '\r':
    return true;
  case '{':
  case '[':
    return acceptMark(c, "^[,:", c);
  case '}':
    return acceptMark(c, "{v", 'v');
  case ']':
    return acceptMark(c, "[v", 'v');
  case ',':
  case ':':
    return acceptMark(c, "v", c);
  case '"':
    return skipString() && acceptMark(c, "^{[,:", 'v');
  default:
    skipPrimitive();
    return acceptMark(c, "^[,:", 'v');
  }
}

// Leaves `position` at the closing quote. That there is one, and that escapes
// are valid, jsmn checks; control characters it lets through.
bool PunctuationCheck::skipString() {
  for (++position; position < length && text[position] != '"'; ++position) {
    if (static_cast<uint8_t>(text[position]) < 0x20)
      return false;
    if (text[position] == '\\')
      ++position;
  }
  return true;
}

// Leaves `position` at the last character. What it consists of is checked
// where it is read.
void PunctuationCheck::skipPrimitive() {
  while (position + 1 < length &&
         !strchr(" \t\n\r{}[],:\"", text[position + 1]))
    ++position;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

static const jsmntok_t &token(const void *tokens, size_t index) {
  return static_cast<const jsmntok_t *>(tokens)[index];
}

JsonTokens::~JsonTokens() { free(tokens); }

Error JsonTokens::parse(const char *newText, size_t length, int maximumDepth) {
  free(tokens);
  tokens = nullptr;
  count = 0;
  text = newText;
  if (Error error = PunctuationCheck(text, length, maximumDepth).run())
    return error;

  jsmn_parser parser;
  jsmn_init(&parser);
  int found = jsmn_parse(&parser, text, length, nullptr, 0);
  if (found > 0) {
    tokens = malloc(static_cast<size_t>(found) * sizeof(jsmntok_t));
    if (!tokens)
      return Error::format("out of memory for %d tokens", found);
    jsmn_init(&parser);
    found = jsmn_parse(&parser, text, length, static_cast<jsmntok_t *>(tokens),
                       static_cast<unsigned>(found));
  }
  if (found == JSMN_ERROR_PART)
    return Error::format("incomplete at byte %u", parser.pos);
  // jsmn takes a null character for the end of the text.
  if (found <= 0 || parser.pos < length)
    return Error::format("unexpected character at byte %u", parser.pos);
  count = static_cast<size_t>(found);
  return Error();
}

JsonKind JsonTokens::kind(size_t index) const {
  switch (token(tokens, index).type) {
  case JSMN_OBJECT:
    return JsonKind::Object;
  case JSMN_ARRAY:
    return JsonKind::Array;
  case JSMN_STRING:
    return JsonKind::String;
  default:
    return JsonKind::Primitive;
  }
}

int JsonTokens::childCount(size_t index) const {
  return token(tokens, index).size;
}

const char *JsonTokens::begin(size_t index) const {
  return text + token(tokens, index).start;
}

int JsonTokens::length(size_t index) const {
  return token(tokens, index).end - token(tokens, index).start;
}

int JsonTokens::shownLength(size_t index) const {
  constexpr int maximum = 100;
  return length(index) < maximum ? length(index) : maximum;
}

bool JsonTokens::isString(size_t index, const char *expected) const {
  size_t size = strlen(expected);
  return kind(index) == JsonKind::String &&
         static_cast<size_t>(length(index)) == size &&
         memcmp(begin(index), expected, size) == 0;
}

bool JsonTokens::readInteger(size_t index, int64_t &value) const {
  if (kind(index) != JsonKind::Primitive)
    return false;
  const char *digits = begin(index);
  int size = length(index);
  if (size > 1 && digits[0] == '0')
    return false;
  value = 0;
  for (int i = 0; i < size; ++i) {
    if (digits[i] < '0' || digits[i] > '9' ||
        __builtin_mul_overflow(value, int64_t{10}, &value) ||
        __builtin_add_overflow(value, int64_t{digits[i] - '0'}, &value))
      return false;
  }
  return size > 0;
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

// jsmn has made sure that there are four hexadecimal digits.
static uint32_t readHex(const char *digits) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    char c = digits[i];
    uint32_t digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    value = value * 16 + digit;
  }
  return value;
}

// The code point of the escape after "\u", and where the text goes on; 0 for
// half a surrogate pair. U+0000 is no valid result anyway.
static uint32_t readUnicodeEscape(const char *&next, const char *end) {
  uint32_t first = readHex(next);
  next += 4;
  if (first < 0xD800 || first > 0xDFFF)
    return first;
  if (first > 0xDBFF || end - next < 6 || next[0] != '\\' || next[1] != 'u')
    return 0;
  uint32_t second = readHex(next + 2);
  next += 6;
  if (second < 0xDC00 || second > 0xDFFF)
    return 0;
  return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
}

static char *writeUtf8(char *output, uint32_t code) {
  if (code < 0x80) {
    *output++ = static_cast<char>(code);
    return output;
  }
  int continuations = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  // One bit more than there are bytes to come.
  uint32_t lead = (0xFF00u >> (continuations + 1)) & 0xFF;
  *output++ = static_cast<char>(lead | (code >> (6 * continuations)));
  while (continuations-- > 0)
    *output++ =
        static_cast<char>(0x80 | ((code >> (6 * continuations)) & 0x3F));
  return output;
}

// The character that a letter after a backslash stands for; 'u' is not one.
static char simpleEscape(char letter) {
  switch (letter) {
  case 'b':
    return '\b';
  case 'f':
    return '\f';
  case 'n':
    return '\n';
  case 'r':
    return '\r';
  case 't':
    return '\t';
  default:
    return letter;
  }
}

size_t JsonTokens::stringCapacity(size_t index) const {
  // An escape is never shorter than what it stands for.
  return static_cast<size_t>(length(index)) + 1;
}

char *JsonTokens::readString(size_t index, char *output) const {
  const char *next = begin(index), *end = next + length(index);
  while (next < end) {
    if (*next == '\\' && next[1] == 'u') {
      next += 2;
      uint32_t code = readUnicodeEscape(next, end);
      if (code == 0)
        return nullptr;
      output = writeUtf8(output, code);
    } else if (*next == '\\') {
      *output++ = simpleEscape(next[1]);
      next += 2;
    } else {
      int size = utf8Length(next, end);
      if (size == 0)
        return nullptr;
      memcpy(output, next, static_cast<size_t>(size));
      output += size;
      next += size;
    }
  }
  *output = '\0';
  return output;
}
