//===- GraphParser.cpp - Scripts of version 3 to GRAPH --------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphParser.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Frontend/Builder/OperationTable.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::script;
using llvm::Error;
using llvm::Expected;

GraphParser::GraphParser(StringRef text, StringAttr fileName,
                         ArrayRef<SourceLine> lines)
    : TokenReader(text, fileName, lines, /*version=*/3),
      graph(fileName.getContext()) {
  assert(llvm::none_of(getStatements(),
                       [](const Statement &statement) {
                         auto *info = graph::findOperation(statement.word);
                         return info && info->isOpen();
                       }) &&
         "words of the language are no names of operations");
}

ArrayRef<GraphParser::Statement> GraphParser::getStatements() {
  using Argument = graph::UserGraph::ScanArgument;
  static constexpr Statement statements[] = {
      {"input", &GraphParser::parseInput, Statement::OutsideBodies},
      {"parameter", &GraphParser::parseParameter, Statement::BeforeFunctions},
      {"state", &GraphParser::parseState, Statement::BeforeFunctions},
      {"constant", &GraphParser::parseConstant, Statement::Anywhere},
      {"scan", &GraphParser::parseScan, Statement::Anywhere},
      {"init", &GraphParser::parseScanArgument<Argument::Init>,
       Statement::InBodies},
      {"row", &GraphParser::parseScanArgument<Argument::Row>,
       Statement::InBodies},
      {"value", &GraphParser::parseScanArgument<Argument::Value>,
       Statement::InBodies},
      {"yield", &GraphParser::parseYield, Statement::InBodies},
      {"store", &GraphParser::parseStore, Statement::OutsideBodies},
      {"output", &GraphParser::parseOutput, Statement::OutsideBodies},
  };
  return statements;
}

const GraphParser::Statement *GraphParser::findStatement(StringRef word) {
  const Statement *found =
      llvm::find_if(getStatements(), [&](const Statement &statement) {
        return statement.word == word;
      });
  return found == getStatements().end() ? nullptr : found;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

OwningOpRef<ModuleOp> GraphParser::parse() {
  parseVersion();
  while (token.kind != Token::Kind::End && errorCount < messageLimit) {
    if (isAtFunction())
      parseFunction();
    else
      parseStatement();
  }
  if (errorCount >= messageLimit)
    error(token.position) << "stopped after " << messageLimit << " errors";
  else if (!hasFunctions)
    endFunction();
  return errorCount == 0 ? graph.take() : OwningOpRef<ModuleOp>();
}

/// `version = 3;`, of which all but the semicolon is known to be there.
void GraphParser::parseVersion() {
  for (unsigned i = 0; i < 3; ++i)
    take();
  if (failed(endStatement()))
    skipStatement();
}

/// True where a statement begins, whatever stands before it.
bool GraphParser::isAtStatement() const {
  if (!token.startsLine)
    return false;
  Lexer ahead = lexer;
  Token next = ahead.lex();
  if (token.kind == Token::Kind::Word)
    return next.is('(') || isAtFunction();
  if (token.kind != Token::Kind::Node)
    return false;
  // The ids of several results.
  while (next.is(',') && ahead.lex().kind == Token::Kind::Node)
    next = ahead.lex();
  return next.is('=');
}

bool GraphParser::isAtFunction() const {
  return token.isWord("function") && peek().kind == Token::Kind::Word;
}

/// Continues after the next ';' or the body that comes first, or where a
/// statement or the end of a body shows that it is missing.
void GraphParser::skipStatement() {
  unsigned open = 0;
  while (token.kind != Token::Kind::End) {
    if (open == 0 && (isAtStatement() || token.is('}')))
      return;
    Token skipped = take();
    open += skipped.is('{');
    if (skipped.is('}') && --open == 0)
      return;
    if (skipped.is(';') && open == 0)
      return;
  }
}

void GraphParser::parseStatement() {
  statement = token.position;
  SmallVector<Token, 2> ids;
  if (failed(parseIds(ids))) {
    for (const Token &id : ids)
      defineId(id, Node());
    // At least one token, so that the parser goes on.
    if (!ids.empty() || !take().is(';'))
      skipStatement();
    return;
  }
  Token word = take();
  FailureOr<Results> results = parseCall(word);
  define(ids, word, succeeded(results) ? *results : Results{{}, false});
  bool hasBody = lastTaken.is('}');
  if (failed(results) || (!hasBody && failed(endStatement())))
    skipStatement();
}

/// `function name { ... }`.
void GraphParser::parseFunction() {
  statement = token.position;
  take();
  Token name = take();
  if (failed(takePunctuation('{', "after the name of the function")))
    return skipStatement();
  if (hasMain)
    error(statement) << "expected no function after statements other than "
                        "parameters and states";
  else if (Error problem =
               graph.beginFunction(name.text, getLocation(statement)))
    (void)report(name.position, std::move(problem));
  hasFunctions = isInFunction = true;
  outputs.clear();
  outputNames.clear();
  hasEffect = false;
  while (!token.is('}') && token.kind != Token::Kind::End &&
         errorCount < messageLimit)
    parseStatement();
  endFunction();
  forgetIds(0);
  isInFunction = false;
  if (errorCount < messageLimit)
    (void)takePunctuation('}', "at the end of the function");
}

/// The ids and the `=` behind them, if there are any, up to a word.
LogicalResult GraphParser::parseIds(SmallVectorImpl<Token> &ids) {
  while (token.kind == Token::Kind::Node) {
    ids.push_back(take());
    if (!token.is(','))
      break;
    take();
    if (token.kind != Token::Kind::Node)
      return expected("another '$<id>' after ','");
  }
  if (!ids.empty() &&
      failed(takePunctuation('=', "after " + ids.back().describe())))
    return failure();
  if (token.kind == Token::Kind::Word)
    return success();
  return expected(ids.empty() ? "a statement, '$<id> = <operation>(...);' or "
                                "'<word>(...);'"
                              : "an operation");
}

LogicalResult GraphParser::checkPlace(const Token &word,
                                      const Statement *known) {
  auto fail = [&](StringRef place) {
    return error(word.position) << "expected " << word.describe() << place;
  };
  Statement::Place place = known ? known->place : Statement::Anywhere;
  if (place == Statement::InBodies && depth == 0)
    return fail(" in the body of a scan");
  if (place != Statement::InBodies && place != Statement::Anywhere &&
      depth != 0)
    return fail(" outside of bodies");
  if (place == Statement::BeforeFunctions && hasFunctions)
    return fail(" before the functions");
  if (place != Statement::BeforeFunctions && hasFunctions && !isInFunction)
    return fail(" in a function");
  hasMain |= place != Statement::BeforeFunctions && !isInFunction;
  if (!yielded)
    return success();
  return error(word.position)
         << "expected '}' after yield, got " << word.describe();
}

FailureOr<GraphParser::Results> GraphParser::parseCall(const Token &word) {
  if (word.text == "result" && token.is('=')) {
    hasEffect = true;
    return error(word.position) << "expected 'output(\"result\", $<id>);' in "
                                   "version 3, got 'result ='";
  }
  if (failed(takePunctuation('(', "after " + word.describe())))
    return failure();
  const Statement *found = findStatement(word.text);
  if (failed(checkPlace(word, found)))
    return failure();
  return found ? (this->*found->parse)(word) : parseOperation(word);
}

void GraphParser::define(ArrayRef<Token> ids, const Token &word,
                         const Results &results) {
  size_t wanted = results.nodes.size();
  bool isMismatch = results.isKnown && ids.size() != wanted;
  if (isMismatch)
    error(ids.empty() ? word.position : ids.front().position)
        << "expected " << wanted << (wanted == 1 ? " id" : " ids")
        << " and '=' before " << word.describe() << ", got " << ids.size();
  bool isKnown = results.isKnown && !isMismatch;
  for (auto [i, id] : llvm::enumerate(ids))
    defineId(id, isKnown ? results.nodes[i] : Node());
}

void GraphParser::defineId(const Token &id, Node node) {
  uint64_t number;
  if (id.text.drop_front().getAsInteger(10, number) || number >> 63 != 0) {
    error(id.position) << "expected an id below 2^63, got " << id.describe();
    return;
  }
  auto [known, isNew] =
      definitions.try_emplace(number, Definition{node, id.position, depth});
  lastId = number;
  if (isNew && (depth != 0 || isInFunction))
    bodyIds.push_back(number);
  if (isNew)
    return;
  InFlightDiagnostic duplicate = error(id.position)
                                 << "expected a new id, " << id.describe()
                                 << " is already defined";
  duplicate.attachNote(getLocation(known->second.position)) << "defined here";
}

/// Removes the definitions of all but the first ids.
void GraphParser::forgetIds(size_t kept) {
  for (; bodyIds.size() > kept; bodyIds.pop_back())
    definitions.erase(bodyIds.back());
}

/// Sets the outputs of the function, or of the script if it has none.
void GraphParser::endFunction() {
  if (!hasEffect)
    (void)expected("'output(\"<name>\", $<id>);' or 'store($<id>, $<id>);'");
  if (errorCount != 0)
    return;
  SmallVector<std::pair<StringRef, uint32_t>> named(outputs.begin(),
                                                    outputs.end());
  if (Error problem = graph.setOutputs(named))
    (void)report(token.position, std::move(problem));
  else if (Error incomplete = graph.endFunction())
    (void)report(token.position, std::move(incomplete));
}

LogicalResult GraphParser::report(Position position, Error problem) {
  return error(position) << llvm::toString(std::move(problem));
}

/// The result of a statement that adds one value.
FailureOr<GraphParser::Results> GraphParser::single(const Token &word,
                                                    Expected<uint32_t> value) {
  if (!value)
    return report(word.position, value.takeError());
  return Results{{*value}};
}

//===----------------------------------------------------------------------===//
// Nodes and literals
//===----------------------------------------------------------------------===//

/// One of the values that stand in so many bodies.
FailureOr<GraphParser::Node> GraphParser::parseNode(unsigned wantedDepth) {
  if (token.kind != Token::Kind::Node)
    return expected("a node, '$<id>'");
  Token id = take();
  uint64_t number;
  if (!id.text.drop_front().getAsInteger(10, number) && number >> 63 == 0) {
    auto known = definitions.find(number);
    bool isKnown = known != definitions.end();
    if (isKnown && known->second.depth == wantedDepth)
      return known->second.node;
    if (isKnown)
      return error(id.position)
             << (known->second.depth < wantedDepth
                     ? "expected a node of the body, for which 'value' stands, "
                       "got "
                     : "expected a node from outside of the body, got ")
             << id.describe();
  }
  InFlightDiagnostic unknown = error(id.position)
                               << "unknown node " << id.describe();
  if (lastId)
    unknown << ", the last defined is $" << *lastId;
  return Node();
}

LogicalResult GraphParser::parseList(SmallVectorImpl<int64_t> &list) {
  if (failed(takePunctuation('[', "before the list")))
    return failure();
  auto parseItem = [&]() -> LogicalResult {
    FailureOr<int64_t> item = parseInteger();
    if (succeeded(item))
      list.push_back(*item);
    return item;
  };
  if (failed(parseSeparated(']', "integer", parseItem)))
    return failure();
  take();
  return success();
}

/// Text between quotes, in which a backslash stands before a quote or another
/// backslash.
FailureOr<std::string> GraphParser::parseString(StringRef what) {
  if (token.kind != Token::Kind::String)
    return expected(what + " between quotes");
  std::string text;
  StringRef quoted = token.text.drop_front().drop_back();
  for (size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] == '\\' && quoted[++i] != '"' && quoted[i] != '\\') {
      Position position = token.position;
      position.column += i;
      return error(position) << "expected '\\\"' or '\\\\' in " << what
                             << ", got '" << quoted.substr(i - 1, 2) << "'";
    }
    text += quoted[i];
  }
  if (!isValidName(text))
    return expected(what + " without control characters, and not empty");
  take();
  return text;
}

LogicalResult GraphParser::closeCall(StringRef last) {
  return takePunctuation(')', "after " + last);
}
