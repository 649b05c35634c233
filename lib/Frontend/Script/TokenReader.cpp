//===- TokenReader.cpp - Tokens of a script, and messages about them ------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TokenReader.h"

using namespace mlir;
using namespace hamkaas::script;

TokenReader::TokenReader(StringRef text, StringAttr fileName,
                         ArrayRef<SourceLine> lines, unsigned version)
    : context(fileName.getContext()), fileName(fileName), lines(lines),
      lexer(text, version), token(lexer.lex()) {}

Location TokenReader::getLocation(Position position) const {
  if (position.line > lines.size() || lines[position.line - 1].file.empty())
    return FileLineColLoc::get(fileName, position.line, position.column);
  const SourceLine &line = lines[position.line - 1];
  return FileLineColLoc::get(context, line.file, line.line, /*column=*/0);
}

InFlightDiagnostic TokenReader::error(Position position) {
  ++errorCount;
  return emitError(getLocation(position));
}

/// False after the limit, which is told at the first that exceeds it.
bool TokenReader::mayWarn(Position position) {
  if (++warningCount == messageLimit + 1)
    emitWarning(getLocation(position))
        << "no more warnings are shown after " << messageLimit;
  return warningCount <= messageLimit;
}

LogicalResult TokenReader::expected(const Twine &what) {
  return error(token.position)
         << "expected " << what << ", got " << token.describe();
}

Token TokenReader::take() {
  lastTaken = token;
  token = lexer.lex();
  return lastTaken;
}

Token TokenReader::peek() const {
  Lexer ahead = lexer;
  return ahead.lex();
}

LogicalResult TokenReader::takePunctuation(char punctuation,
                                           const Twine &place) {
  if (!token.is(punctuation))
    return expected("'" + Twine(punctuation) + "' " + place);
  take();
  return success();
}

/// Items between commas, before `end`, which is not taken.
LogicalResult
TokenReader::parseSeparated(char end, StringRef item,
                            function_ref<LogicalResult()> parseItem) {
  for (bool isFirst = true; !token.is(end); isFirst = false) {
    if (!isFirst && failed(takePunctuation(',', "or '" + Twine(end) +
                                                    "' after the " + item)))
      return failure();
    if (failed(parseItem()))
      return failure();
  }
  return success();
}

/// A missing ';' is reported where it belongs: the next token may stand many
/// lines below.
LogicalResult TokenReader::endStatement() {
  if (token.is(';')) {
    take();
    return success();
  }
  return error(lastTaken.getEnd())
         << "expected ';' at the end of the statement, got "
         << token.describe();
}

FailureOr<int64_t> TokenReader::parseInteger() {
  if (token.kind != Token::Kind::Integer)
    return expected("an integer");
  int64_t value;
  if (token.text.getAsInteger(10, value))
    return expected("an integer of 64 bits");
  take();
  return value;
}
