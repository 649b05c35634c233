//===- Parser.cpp - The syntax of a script ----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::script;

Parser::Parser(StringRef text, StringAttr fileName, ArrayRef<SourceLine> lines)
    : TokenReader(text, fileName, lines, /*version=*/1),
      graph(context, FileLineColLoc::get(fileName, 1, 1)) {
  for (const Operator &op : getOperators())
    operators[op.spelling] = &op;
  StringRef dialect = HamKaasDialect::getDialectNamespace();
  for (OperationName op : context->getRegisteredOperationsByDialect(dialect))
    if (op.hasInterface<KernelOpInterface>())
      ops.try_emplace(getVersion2Spelling(op.stripDialect()), op);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// True where a statement begins, whatever stands before it.
bool Parser::isAtStatement() const {
  return token.startsLine &&
         (token.kind == Token::Kind::Node || token.isWord("result") ||
          token.isWord("version")) &&
         peek().is('=');
}

/// Continues after the next ';', or at the next statement if the ';' is
/// missing.
void Parser::skipStatement() {
  while (token.kind != Token::Kind::End && !isAtStatement())
    if (take().is(';'))
      return;
}

OwningOpRef<ModuleOp> Parser::parse() {
  while (token.kind != Token::Kind::End && errorCount < messageLimit)
    parseStatement();
  if (errorCount >= messageLimit)
    error(token.position) << "stopped after " << messageLimit << " errors";
  else
    checkEnd();
  if (errorCount != 0)
    return {};
  return graph.finish(*result->node, getLocation(result->position));
}

void Parser::parseStatement() {
  LogicalResult parsed = success();
  if (token.kind == Token::Kind::Node) {
    parsed = parseDefinition();
    resultIsLast = false;
  } else if (token.isWord("result")) {
    parsed = parseResult();
  } else if (token.isWord("version")) {
    parsed = parseVersion();
  } else {
    parsed = expected("'$<id> = ...;' or 'result = $<id>;'");
    if (take().is(';'))
      return;
  }
  if (failed(parsed))
    skipStatement();
  isFirstStatement = false;
}

LogicalResult Parser::parseVersion() {
  Token word = take();
  if (failed(takePunctuation('=', "after 'version'")))
    return failure();
  Token number = token;
  FailureOr<int64_t> value = parseInteger();
  if (failed(value))
    return failure();
  if (*value != 2 && *value != 3)
    error(number.position)
        << "expected version 2 or 3, got " << *value
        << "; a script of version 1 has no version statement";
  else if (!isFirstStatement)
    error(word.position) << "expected the version to be the first statement";
  version = 2;
  return endStatement();
}

LogicalResult Parser::parseResult() {
  Position position = take().position;
  if (result && mayWarn(position)) {
    InFlightDiagnostic warning =
        emitWarning(getLocation(position))
        << "expected one result, this one replaces the one before";
    warning.attachNote(getLocation(result->position)) << "given here before";
  }
  result = Definition{std::nullopt, position};
  resultIsLast = true;
  if (failed(takePunctuation('=', "after 'result'")))
    return failure();
  FailureOr<NodeOrError> node = parseNode();
  if (failed(node))
    return failure();
  result->node = *node;
  return endStatement();
}

LogicalResult Parser::parseDefinition() {
  Token id = take();
  std::optional<uint64_t> number = parseId(id);
  FailureOr<NodeOrError> node = parseRightSide(id);
  // NOTE: only now, so that a statement cannot use the node it defines.
  if (number) {
    definitions[*number] = {succeeded(node) ? *node : std::nullopt,
                            id.position};
    lastId = number;
  }
  if (failed(node))
    return failure();
  take();
  return endStatement();
}

/// Emits what can be said only about the whole script.
void Parser::checkEnd() {
  if (!result)
    error(token.position) << "expected 'result = $<id>;' before the end of the "
                             "script";
  else if (!resultIsLast && mayWarn(result->position))
    emitWarning(getLocation(result->position))
        << "expected the result to be the last statement, it counts as if it "
           "were";
}

//===----------------------------------------------------------------------===//
// The right side of a definition
//===----------------------------------------------------------------------===//

/// Ends before the closing parenthesis.
FailureOr<NodeOrError> Parser::parseRightSide(const Token &id) {
  if (failed(takePunctuation('=', "after " + id.describe())))
    return failure();
  if (token.kind != Token::Kind::Word)
    return expected("an operator");
  std::string joined;
  Token spelling = takeOperator(joined);
  if (failed(takePunctuation('(', "after " + spelling.describe())))
    return failure();
  if (spelling.text == "InputTensor" || spelling.text == "ConstantTensor" ||
      spelling.text == "BufferTensor" || spelling.text == numberTensor)
    return parseTensor(id, spelling);
  SmallVector<Argument, 4> arguments;
  if (failed(parseArguments(arguments)))
    return failure();
  return applyOperator(id, spelling, arguments);
}

/// The name of an operator, which may have space in it, as the first system
/// allowed. `joined` keeps one that has.
Token Parser::takeOperator(std::string &joined) {
  Token spelling = take();
  Lexer ahead = lexer;
  Token next = token;
  std::string name = spelling.text.str();
  for (; next.kind == Token::Kind::Word; next = ahead.lex())
    name += next.text;
  if (token.kind != Token::Kind::Word || !next.is('('))
    return spelling;
  lexer = ahead;
  token = next;
  joined = std::move(name);
  spelling.text = joined;
  return spelling;
}

/// name, type, shape; for a buffer also type, shape. What a number tensor has
/// in the place of a name is its number.
FailureOr<NodeOrError> Parser::parseTensor(const Token &id,
                                           const Token &spelling) {
  Token name = lexer.lexAsName(token);
  token = lexer.lex();
  StringRef what = spelling.text == numberTensor ? "number" : "name";
  if (name.text.empty())
    return expected("a " + what);
  if (failed(takePunctuation(',', "after the " + what)))
    return failure();
  Token type;
  if (spelling.text == "BufferTensor" && token.is('[')) {
    std::swap(type, name);
  } else {
    type = take();
    if (failed(takePunctuation(',', "after the type")))
      return failure();
  }
  Argument shape;
  shape.token = token;
  if (failed(parseList(shape)))
    return failure();
  if (!token.is(')'))
    return expected("')' after the shape");
  return defineTensor(id, spelling, name, type, shape);
}

/// A number for a new node, or nothing where the id cannot be defined.
std::optional<uint64_t> Parser::parseId(const Token &id) {
  uint64_t number;
  if (id.text.drop_front().getAsInteger(10, number) || number >> 63 != 0) {
    error(id.position) << "expected an id below 2^63, got " << id.describe();
    return std::nullopt;
  }
  auto known = definitions.find(number);
  if (known == definitions.end())
    return number;
  InFlightDiagnostic duplicate = error(id.position)
                                 << "expected a new id, " << id.describe()
                                 << " is already defined";
  duplicate.attachNote(getLocation(known->second.position)) << "defined here";
  return std::nullopt;
}

FailureOr<NodeOrError> Parser::parseNode() {
  if (token.kind != Token::Kind::Node)
    return expected("a node, '$<id>'");
  Token id = take();
  uint64_t number;
  if (!id.text.drop_front().getAsInteger(10, number) && number >> 63 == 0) {
    auto known = definitions.find(number);
    if (known != definitions.end())
      return known->second.node;
  }
  InFlightDiagnostic unknown = error(id.position)
                               << "unknown node " << id.describe();
  if (lastId)
    unknown << ", the last defined is $" << *lastId;
  return NodeOrError();
}

LogicalResult Parser::parseList(Argument &argument) {
  argument.kind = Argument::Kind::List;
  if (failed(takePunctuation('[', "before the list")))
    return failure();
  auto parseItem = [&]() -> LogicalResult {
    argument.itemPositions.push_back(token.position);
    FailureOr<int64_t> item = parseInteger();
    if (succeeded(item))
      argument.list.push_back(*item);
    return item;
  };
  if (failed(parseSeparated(']', "integer", parseItem)))
    return failure();
  take();
  return success();
}

FailureOr<Argument> Parser::parseArgument() {
  Argument argument;
  if (token.kind == Token::Kind::Word && peek().is('=')) {
    argument.name = take();
    take();
  }
  argument.token = token;
  if (token.kind == Token::Kind::Node && !argument.isNamed()) {
    argument.kind = Argument::Kind::Node;
    FailureOr<NodeOrError> node = parseNode();
    if (failed(node))
      return failure();
    argument.node = *node;
  } else if (token.is('[')) {
    if (failed(parseList(argument)))
      return failure();
  } else if (argument.isNamed()) {
    if (failed(parseValue(argument)))
      return failure();
  } else if (token.kind == Token::Kind::Integer) {
    FailureOr<int64_t> integer = parseInteger();
    if (failed(integer))
      return failure();
    argument.integer = *integer;
  } else {
    return expected("a node, an integer or a list");
  }
  return argument;
}

/// The value of an attribute that is no list.
LogicalResult Parser::parseValue(Argument &argument) {
  if (token.kind == Token::Kind::Integer) {
    // One that is too large may be meant for a float.
    argument.kind = token.text.getAsInteger(10, argument.integer)
                        ? Argument::Kind::Float
                        : Argument::Kind::Integer;
  } else if (token.isWord("true") || token.isWord("false")) {
    argument.kind = Argument::Kind::Flag;
    argument.integer = token.isWord("true");
  } else if (token.kind == Token::Kind::Float || token.isWord("inf") ||
             token.isWord("nan")) {
    argument.kind = Argument::Kind::Float;
  } else if (token.kind == Token::Kind::Word) {
    argument.kind = Argument::Kind::Word;
  } else {
    return expected("a number, a list, a word, true or false");
  }
  take();
  return success();
}

/// Ends before the closing parenthesis.
LogicalResult Parser::parseArguments(SmallVectorImpl<Argument> &arguments) {
  return parseSeparated(')', "argument", [&]() -> LogicalResult {
    FailureOr<Argument> argument = parseArgument();
    if (succeeded(argument))
      arguments.push_back(std::move(*argument));
    return argument;
  });
}
