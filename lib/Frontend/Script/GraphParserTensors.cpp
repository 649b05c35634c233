//===- GraphParserTensors.cpp - Inputs, contents and outputs --------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphParser.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Frontend/Builder/Numbers.h"
#include "Operators.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::script;
using llvm::APInt;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Types and contents
//===----------------------------------------------------------------------===//

/// `float32, [2, 3]`.
FailureOr<RankedTensorType> GraphParser::parseType() {
  Type element = parseElementType(token.text, /*version=*/3, context);
  if (token.kind != Token::Kind::Word || !element)
    return expected("the type " + listElementTypes(/*version=*/3));
  take();
  if (failed(takePunctuation(',', "after the type")))
    return failure();
  Position position = token.position;
  SmallVector<int64_t> shape;
  if (failed(parseList(shape)))
    return failure();
  Expected<RankedTensorType> type = graph::makeType(shape, element, "");
  if (!type)
    return report(position, type.takeError());
  return *type;
}

/// The number at the current token, or nothing after an error.
std::optional<APInt> GraphParser::parseElement(Type type) {
  std::optional<APInt> bits = graph::parseNumber(token.text, type);
  if (bits)
    take();
  else
    (void)expected("a number of " + getElementTypeName(type));
  return bits;
}

static void appendBytes(std::vector<char> &bytes, const APInt &bits) {
  size_t size = llvm::divideCeil(bits.getBitWidth(), 8);
  auto *data = reinterpret_cast<const char *>(bits.getRawData());
  bytes.insert(bytes.end(), data, data + size);
}

/// From the bytes of all elements, or of one that all are.
static DenseElementsAttr makeElements(RankedTensorType type,
                                      ArrayRef<char> bytes) {
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  return DenseElementsAttr::get(
      type,
      ArrayRef(reinterpret_cast<const bool *>(bytes.data()), bytes.size()));
}

/// One number for all elements, or a list of all of them in row-major order.
FailureOr<DenseElementsAttr> GraphParser::parseElements(RankedTensorType type) {
  Position position = token.position;
  std::vector<char> bytes;
  int64_t count = 0;
  auto parseNext = [&]() -> LogicalResult {
    std::optional<APInt> number = parseElement(type.getElementType());
    if (!number)
      return failure();
    appendBytes(bytes, *number);
    ++count;
    return success();
  };
  if (!token.is('[')) {
    if (failed(parseNext()))
      return failure();
    return makeElements(type, bytes);
  }
  take();
  if (failed(parseSeparated(']', "number", parseNext)))
    return failure();
  take();
  if (count == type.getNumElements())
    return makeElements(type, bytes);
  return error(position) << "expected " << type.getNumElements()
                         << " elements of " << describeType(type) << ", got "
                         << count;
}

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

/// `("name", float32, [2, 3])`.
FailureOr<GraphParser::Tensor> GraphParser::parseTensor() {
  FailureOr<std::string> name = parseString("a name");
  if (failed(name) || failed(takePunctuation(',', "after the name")))
    return failure();
  FailureOr<RankedTensorType> type = parseType();
  if (failed(type))
    return failure();
  return Tensor{*name, *type};
}

/// The elements behind the type, or `extern` for those that are given by the
/// name; `contents` if there is neither.
LogicalResult GraphParser::parseContents(Tensor &tensor, Attribute contents) {
  tensor.contents = contents;
  if (!token.is(','))
    return closeCall("the shape");
  take();
  if (token.isWord("extern")) {
    take();
    tensor.contents = ml_program::ExternAttr::get(context, tensor.type);
  } else {
    FailureOr<DenseElementsAttr> elements = parseElements(tensor.type);
    if (failed(elements))
      return failure();
    tensor.contents = *elements;
  }
  return closeCall("the contents");
}

FailureOr<GraphParser::Results> GraphParser::parseInput(const Token &word) {
  FailureOr<Tensor> tensor = parseTensor();
  if (failed(tensor) || failed(closeCall("the shape")))
    return failure();
  return single(
      word, graph.addInput(tensor->name, tensor->type, getLocation(statement)));
}

FailureOr<GraphParser::Results> GraphParser::parseParameter(const Token &word) {
  FailureOr<Tensor> tensor = parseTensor();
  if (failed(tensor) ||
      failed(parseContents(*tensor,
                           ml_program::ExternAttr::get(context, tensor->type))))
    return failure();
  return single(word, graph.declareParameter(tensor->name, tensor->type,
                                             tensor->contents,
                                             getLocation(statement)));
}

FailureOr<GraphParser::Results> GraphParser::parseState(const Token &word) {
  FailureOr<Tensor> tensor = parseTensor();
  if (failed(tensor) ||
      failed(
          parseContents(*tensor, Builder(context).getZeroAttr(tensor->type))))
    return failure();
  return single(word,
                graph.declareState(tensor->name, tensor->type, tensor->contents,
                                   getLocation(statement)));
}

/// `(float32, [2], [1, 2])`.
FailureOr<GraphParser::Results> GraphParser::parseConstant(const Token &word) {
  FailureOr<RankedTensorType> type = parseType();
  if (failed(type) || failed(takePunctuation(',', "after the shape")))
    return failure();
  FailureOr<DenseElementsAttr> contents = parseElements(*type);
  if (failed(contents) || failed(closeCall("the contents")))
    return failure();
  return Results{{graph.addConstant(*contents, getLocation(statement))}};
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

/// `($state, $value)`.
FailureOr<GraphParser::Results> GraphParser::parseStore(const Token &word) {
  hasEffect = true;
  FailureOr<Node> state = parseNode();
  if (failed(state) || failed(takePunctuation(',', "after the state")))
    return failure();
  FailureOr<Node> value = parseNode();
  if (failed(value) || failed(closeCall("the value")))
    return failure();
  if (*state && *value)
    if (llvm::Error problem =
            graph.storeState(**state, **value, getLocation(statement)))
      return report(word.position, std::move(problem));
  return Results();
}

/// `("name", $value)`.
FailureOr<GraphParser::Results> GraphParser::parseOutput(const Token &word) {
  hasEffect = true;
  Position position = token.position;
  FailureOr<std::string> name = parseString("a name");
  if (failed(name) || failed(takePunctuation(',', "after the name")))
    return failure();
  FailureOr<Node> value = parseNode();
  if (failed(value) || failed(closeCall("the value")))
    return failure();
  if (!outputNames.insert(*name).second)
    return error(position) << "expected an output with a name of its own, "
                              "another one is called "
                           << graph::quote(*name);
  if (*value)
    outputs.emplace_back(*name, **value);
  return Results();
}
