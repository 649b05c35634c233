//===- Lexer.cpp - Words and numbers of a script ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace hamkaas::script;

static bool isWordCharacter(char c) { return isAlnum(c) || c == '_'; }

std::string Token::describe() const {
  constexpr size_t limit = 40;
  if (kind == Kind::End)
    return "the end of the script";
  unsigned char first = text.empty() ? 0 : text.front();
  if (kind == Kind::Unknown && (first < 0x20 || first == 0x7f))
    return formatv("the control character {0:x2}", first);
  bool isQuoted = kind == Kind::Node || kind == Kind::String;
  if (text.size() <= limit)
    return isQuoted ? text.str() : ("'" + text + "'").str();
  // Cut between characters, not within one.
  size_t cut = limit;
  while ((text[cut] & 0xc0) == 0x80)
    --cut;
  return ("'" + text.take_front(cut) + "...'").str();
}

void Lexer::skipSpace() {
  for (; cursor != end; ++cursor) {
    if (*cursor == '\n') {
      ++line;
      lineStart = cursor + 1;
      startsLine = true;
    } else if (*cursor == '#') {
      cursor = std::find(cursor, end, '\n');
      --cursor;
    } else if (!isSpace(*cursor)) {
      return;
    }
  }
}

Token Lexer::form(Token::Kind kind, const char *begin) {
  Token token;
  token.kind = kind;
  token.text = StringRef(begin, cursor - begin);
  token.position = {line, uint32_t(begin - lineStart + 1)};
  token.startsLine = startsLine;
  startsLine = false;
  return token;
}

void Lexer::skipDigits() {
  while (cursor != end && isDigit(*cursor))
    ++cursor;
}

/// Reads digits, a fraction and an exponent, of which the digits are behind
/// the cursor.
Token::Kind Lexer::lexFraction() {
  Token::Kind kind = Token::Kind::Integer;
  StringRef rest(cursor, end - cursor);
  if (rest.consume_front(".") && !rest.empty() && isDigit(rest.front())) {
    kind = Token::Kind::Float;
    ++cursor;
    skipDigits();
    rest = StringRef(cursor, end - cursor);
  }
  if (rest.consume_front_insensitive("e")) {
    if (!rest.consume_front("-"))
      rest.consume_front("+");
    if (!rest.empty() && isDigit(rest.front())) {
      kind = Token::Kind::Float;
      cursor = rest.begin();
      skipDigits();
    }
  }
  return kind;
}

Token Lexer::lexNumber(char first, const char *begin) {
  StringRef rest(cursor, end - cursor);
  if (first == '-' && rest.starts_with("inf")) {
    cursor += strlen("inf");
    return form(Token::Kind::Float, begin);
  }
  if (!isDigit(first) && (rest.empty() || !isDigit(rest.front())))
    return form(Token::Kind::Unknown, begin);
  if (version >= 3 && first == '0' && rest.starts_with("x")) {
    rest = rest.drop_front().drop_while(llvm::isHexDigit);
    cursor = rest.begin();
    return form(Token::Kind::Bits, begin);
  }
  skipDigits();
  return form(first == '$' ? Token::Kind::Node : lexFraction(), begin);
}

/// Behind its opening quote. One that does not end on its line is none.
Token Lexer::lexString(const char *begin) {
  for (; cursor != end && *cursor != '\n'; ++cursor) {
    if (*cursor == '"') {
      ++cursor;
      return form(Token::Kind::String, begin);
    }
    if (*cursor == '\\' && cursor + 1 != end && cursor[1] != '\n')
      ++cursor;
  }
  return form(Token::Kind::Unknown, begin);
}

Token Lexer::lex() {
  skipSpace();
  const char *begin = cursor;
  if (cursor == end)
    return form(Token::Kind::End, begin);
  char first = *cursor++;
  if (first == '$' || first == '-' || isDigit(first))
    return lexNumber(first, begin);
  if (isWordCharacter(first)) {
    while (cursor != end && isWordCharacter(*cursor))
      ++cursor;
    return form(Token::Kind::Word, begin);
  }
  if (StringRef("=(),;[]{}").contains(first))
    return form(Token::Kind::Punctuation, begin);
  if (version >= 3 && first == '"')
    return lexString(begin);
  // A whole character, however many bytes it has.
  unsigned bytes = getNumBytesForUTF8(UTF8(first));
  cursor = std::min(begin + bytes, end);
  return form(Token::Kind::Unknown, begin);
}

Token Lexer::lexAsName(const Token &token) {
  if (token.kind == Token::Kind::End)
    return token;
  const char *begin = token.text.begin();
  startsLine = token.startsLine;
  cursor = begin;
  while (cursor != end && !StringRef(",)#\n").contains(*cursor))
    ++cursor;
  while (cursor != begin && isSpace(cursor[-1]))
    --cursor;
  return form(Token::Kind::Name, begin);
}
