//===- Lexer.h - Words and numbers of a script ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_SCRIPT_LEXER_H
#define HAMKAAS_LIB_FRONTEND_SCRIPT_LEXER_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace hamkaas::script {

/// A place in the script, both counted from 1, the column in bytes.
struct Position {
  uint32_t line = 1;
  uint32_t column = 1;
};

struct Token {
  enum class Kind {
    End,
    Node,    // $12
    Integer, // -3
    Float,   // 1.5e-3, -inf
    Word,    // SumNode
    Name,    // of an input, constant or buffer
    String,  // "x", of version 3
    Bits,    // 0x7fc00001, of version 3
    Punctuation,
    Unknown,
  };

  Kind kind = Kind::End;
  /// As it stands in the script; for an id with its `$`.
  llvm::StringRef text;
  Position position;
  /// Nothing but space stands before it on its line.
  bool startsLine = false;

  bool is(char punctuation) const {
    return kind == Kind::Punctuation && text.front() == punctuation;
  }
  bool isWord(llvm::StringRef word) const {
    return kind == Kind::Word && text == word;
  }
  /// The place behind the last character. No token spans lines.
  Position getEnd() const {
    return {position.line, position.column + uint32_t(text.size())};
  }
  /// As it appears in a message: quoted unless it is an id, shortened when
  /// long.
  std::string describe() const;
};

/// Splits a script, which must be valid UTF-8, into tokens. Never fails: what
/// is no token comes out as `Unknown`. Small, so that a copy serves as
/// lookahead.
class Lexer {
public:
  Lexer(llvm::StringRef text, unsigned version)
      : cursor(text.begin()), end(text.end()), lineStart(text.begin()),
        version(version) {}

  /// The next token. At the end of the script, `End` again and again.
  Token lex();

  /// Reads `token`, the last one read, again as a name, which runs to the next
  /// `,` or `)` or to the end of the line, without the spaces around it.
  Token lexAsName(const Token &token);

private:
  void skipSpace();
  void skipDigits();
  Token::Kind lexFraction();
  Token lexNumber(char first, const char *begin);
  Token lexString(const char *begin);
  Token form(Token::Kind kind, const char *begin);

  const char *cursor;
  const char *end;
  const char *lineStart;
  uint32_t line = 1;
  unsigned version;
  bool startsLine = true;
};

} // namespace hamkaas::script

#endif // HAMKAAS_LIB_FRONTEND_SCRIPT_LEXER_H
