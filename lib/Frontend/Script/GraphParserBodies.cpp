//===- GraphParserBodies.cpp - Loops over rows ----------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphParser.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::script;
using llvm::Expected;

/// `(steps=3, reversed=true) { ... }`.
FailureOr<GraphParser::Results> GraphParser::parseScan(const Token &word) {
  Arguments arguments;
  if (failed(parseArguments(arguments)))
    return failure();
  std::optional<int64_t> steps;
  bool isReversed = false;
  for (const Argument &argument : arguments) {
    int64_t number;
    if (argument.name.text == "steps" && !steps &&
        !argument.token.text.getAsInteger(10, number))
      steps = number;
    else if (argument.name.text == "reversed" &&
             (argument.token.isWord("true") || argument.token.isWord("false")))
      isReversed = argument.token.isWord("true");
    else
      return error(argument.position())
             << "expected 'steps=<integer>' and 'reversed=<true or false>', "
                "got "
             << (argument.isNamed() ? argument.name : argument.token)
                    .describe();
  }
  if (!steps)
    return error(word.position) << "expected 'steps=<integer>', got none";
  if (!token.is('{'))
    return expected("'{' after ')'");
  if (depth == graph::UserGraph::deepestScan)
    return error(word.position) << "expected bodies that nest at most "
                                << graph::UserGraph::deepestScan << " deep";
  take();
  return parseBody(word, *steps, isReversed);
}

/// Up to the closing brace.
FailureOr<GraphParser::Results>
GraphParser::parseBody(const Token &word, int64_t steps, bool isReversed) {
  unsigned errorsBefore = errorCount;
  size_t idsBefore = bodyIds.size();
  Location location = getLocation(statement);
  bool isOuterKnown = std::exchange(isBodyKnown, true);
  graph.beginScan(steps, isReversed, location);
  ++depth;
  while (!token.is('}') && token.kind != Token::Kind::End &&
         errorCount < messageLimit)
    parseStatement();
  --depth;
  forgetIds(idsBefore);
  auto results = std::exchange(yielded, std::nullopt);
  bool isKnown = std::exchange(isBodyKnown, isOuterKnown);
  if (token.kind == Token::Kind::End)
    (void)expected("'}' at the end of the body");
  else if (!results && errorCount == errorsBefore)
    (void)expected("'yield(...);' at the end of the body");
  if (token.is('}'))
    take();
  if (!isKnown || errorCount != errorsBefore) {
    graph.abandonScan();
    return Results{{}, /*isKnown=*/false};
  }
  return endScan(word, *results, location);
}

/// An error does not undo that the statement has ended.
GraphParser::Results GraphParser::endScan(const Token &word,
                                          ArrayRef<uint32_t> values,
                                          Location location) {
  Expected<SmallVector<uint32_t>> added = graph.endScan(values, location);
  if (!added) {
    graph.abandonScan();
    (void)report(word.position, added.takeError());
    return Results{{}, /*isKnown=*/false};
  }
  return Results{SmallVector<Node, 2>(added->begin(), added->end())};
}

/// `($outside)`.
template <graph::UserGraph::ScanArgument kind>
FailureOr<GraphParser::Results>
GraphParser::parseScanArgument(const Token &word) {
  FailureOr<Node> node = parseNode(depth - 1);
  if (failed(node) || failed(closeCall("the node")))
    return failure();
  if (!*node) {
    isBodyKnown = false;
    return Results{{}, /*isKnown=*/false};
  }
  return single(word,
                graph.addScanArgument(kind, **node, getLocation(statement)));
}

using ScanArgument = graph::UserGraph::ScanArgument;
template FailureOr<GraphParser::Results>
GraphParser::parseScanArgument<ScanArgument::Init>(const Token &);
template FailureOr<GraphParser::Results>
GraphParser::parseScanArgument<ScanArgument::Row>(const Token &);
template FailureOr<GraphParser::Results>
GraphParser::parseScanArgument<ScanArgument::Value>(const Token &);

/// `($next, ..., $row, ...)`.
FailureOr<GraphParser::Results> GraphParser::parseYield(const Token &word) {
  SmallVector<uint32_t> values;
  auto parseValue = [&]() -> LogicalResult {
    FailureOr<Node> node = parseNode();
    if (failed(node))
      return failure();
    isBodyKnown &= node->has_value();
    values.push_back(node->value_or(0));
    return success();
  };
  if (failed(parseSeparated(')', "node", parseValue)))
    return failure();
  take();
  yielded = std::move(values);
  return Results();
}
