//===- GraphParserOperations.cpp - Calls of operations --------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphParser.h"
#include "HamKaas/Frontend/Builder/OperationTable.h"
#include "Operators.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::script;
using graph::AttributeInfo;
using graph::AttributeKind;
using graph::NumberText;
using graph::OperationInfo;
using graph::UserAttribute;
using graph::UserOperationError;
using llvm::Error;
using llvm::Expected;

/// Longer names than any are not even looked up.
static constexpr size_t longestWord = 256;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// An operand, or `<name>=<value>`.
FailureOr<GraphParser::Argument> GraphParser::parseArgument() {
  Argument argument;
  if (token.kind == Token::Kind::Word && peek().is('=')) {
    argument.name = take();
    take();
  }
  argument.token = token;
  if (!argument.isNamed()) {
    if (token.isWord("none")) {
      take();
      return argument;
    }
    if (token.kind != Token::Kind::Node)
      return expected("a node, none or <attribute>=<value>");
    FailureOr<Node> node = parseNode();
    if (failed(node))
      return failure();
    argument.node = *node;
    argument.isWrong = !*node;
    return argument;
  }
  if (token.is('['))
    return failed(parseList(argument.list)) ? FailureOr<Argument>(failure())
                                            : argument;
  if (token.kind == Token::Kind::String) {
    FailureOr<std::string> text = parseString("a text");
    if (failed(text))
      return failure();
    argument.text = *text;
    return argument;
  }
  switch (token.kind) {
  case Token::Kind::Integer:
  case Token::Kind::Float:
  case Token::Kind::Bits:
  case Token::Kind::Word:
    take();
    return argument;
  default:
    return expected("a number, a list, a word, a text, true or false");
  }
}

LogicalResult GraphParser::parseArguments(Arguments &arguments) {
  auto parseNext = [&]() -> LogicalResult {
    FailureOr<Argument> argument = parseArgument();
    if (failed(argument))
      return failure();
    if (!argument->isNamed() && !arguments.empty() &&
        arguments.back().isNamed())
      return error(argument->token.position)
             << "expected operands before attributes, got "
             << argument->token.describe();
    arguments.push_back(std::move(*argument));
    return success();
  };
  if (failed(parseSeparated(')', "argument", parseNext)))
    return failure();
  take();
  return success();
}

/// A word is an element type where the table wants one.
static Type findType(const OperationInfo *info, StringRef name, StringRef word,
                     MLIRContext *context) {
  const AttributeInfo *attribute = info ? info->findAttribute(name) : nullptr;
  return attribute && (attribute->kind == AttributeKind::ResultType ||
                       attribute->kind == AttributeKind::ElementType)
             ? parseElementType(word, /*version=*/3, context)
             : Type();
}

static bool isNumber(const Token &token) {
  return token.kind != Token::Kind::Word || token.text == "inf" ||
         token.text == "nan" || token.text == "true" || token.text == "false";
}

UserAttribute GraphParser::makeAttribute(const Token &word,
                                         const Argument &argument) {
  StringRef name = argument.name.text, text = argument.token.text;
  if (argument.token.is('['))
    return {name, ArrayRef(argument.list)};
  if (argument.token.kind == Token::Kind::String)
    return {name, StringRef(argument.text)};
  if (isNumber(argument.token))
    return {name, NumberText{text}};
  if (Type type =
          findType(graph::findOperation(word.text), name, text, context))
    return {name, type};
  return {name, text};
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Points at the argument that the error is about.
LogicalResult GraphParser::reportOperation(const Token &word,
                                           ArrayRef<Argument> arguments,
                                           Error problem) {
  Position position = word.position;
  Error rest = llvm::handleErrors(
      std::move(problem), [&](std::unique_ptr<UserOperationError> blamed) {
        bool isAttribute = blamed->part == UserOperationError::Part::Attribute;
        auto named = arguments.drop_while(
            [](const Argument &argument) { return !argument.isNamed(); });
        ArrayRef<Argument> parts = isAttribute ? named : arguments;
        // An operand that is missing has no place.
        if (blamed->index < parts.size())
          position = parts[blamed->index].position();
        return Error(std::move(blamed));
      });
  return report(position, std::move(rest));
}

/// The word that was perhaps meant instead of an operation: a word of the
/// language, or an operation as version 2 spells it.
StringRef GraphParser::findMeant(StringRef word) {
  constexpr unsigned mostEdits = 2;
  for (const Statement &known : getStatements())
    if (word.edit_distance(known.word, true, mostEdits) <= mostEdits)
      return known.word;
  for (const OperationInfo &info : graph::getOperations())
    if (getVersion2Spelling(info.name) == word)
      return info.name;
  return "";
}

/// An argument as version 3 has it: `$x`, or `begin=...`.
static std::string formatParameter(const Parameter &parameter) {
  switch (parameter.kind) {
  case ParameterKind::FloatNode:
  case ParameterKind::AnyNode:
  case ParameterKind::PositionNode:
  case ParameterKind::Prefix:
    return ("$" + parameter.name).str();
  case ParameterKind::Integer:
  case ParameterKind::Shape:
  case ParameterKind::List:
    break;
  }
  return (parameter.name + "=...").str();
}

/// An operator of version 1, or what defines a tensor in older versions, as
/// version 3 spells it; empty if it is neither.
static std::string translateOperator(StringRef word) {
  StringRef tensor =
      llvm::StringSwitch<StringRef>(word)
          .Case("InputTensor", "input(\"x\", float32, [2, 3])")
          .Case("ConstantTensor", "parameter(\"x\", float32, [2, 3])")
          .Case("BufferTensor", "state(\"x\", float32, [2, 3])")
          .Case(numberTensor, "constant(float32, [1], 2.5)")
          .Default("");
  const Operator *op = llvm::find_if(
      getOperators(), [&](const Operator &op) { return op.spelling == word; });
  if (!tensor.empty() || op == getOperators().end())
    return tensor.str();
  std::string text = op->opName.split('.').second.str() + "(";
  StringRef separator = "";
  for (const Parameter &parameter : op->getParameters()) {
    text += (separator + formatParameter(parameter)).str();
    separator = ", ";
  }
  return text + ")";
}

FailureOr<GraphParser::Results> GraphParser::parseOperation(const Token &word) {
  StringRef name = word.text.take_front(longestWord);
  if (!graph::findOperation(name)) {
    std::string translated = translateOperator(name);
    if (!translated.empty())
      return error(word.position) << "unknown operation " << word.describe()
                                  << ", version 3 has '" << translated << "'";
    StringRef meant = findMeant(name);
    if (!meant.empty())
      return error(word.position) << "unknown operation " << word.describe()
                                  << ", did you mean '" << meant << "'?";
    return report(
        word.position,
        graph.addOperation({name, {}, {}}, getLocation(statement)).takeError());
  }
  Arguments arguments;
  if (failed(parseArguments(arguments)))
    return failure();
  SmallVector<Value> operands;
  SmallVector<UserAttribute> attributes;
  for (const Argument &argument : arguments) {
    if (argument.isWrong)
      return Results{{}, /*isKnown=*/false};
    if (argument.isNamed())
      attributes.push_back(makeAttribute(word, argument));
    else
      operands.push_back(argument.node ? graph.value(*argument.node) : Value());
  }
  auto results =
      graph.addOperation({name, operands, attributes}, getLocation(statement));
  if (!results)
    return reportOperation(word, arguments, results.takeError());
  return Results{llvm::map_to_vector<2>(
      *results, [](uint32_t result) { return Node(result); })};
}
