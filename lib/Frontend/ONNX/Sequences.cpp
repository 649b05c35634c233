//===- Sequences.cpp - Lists of tensors -------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "Importer.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

// A program has tensors alone. A sequence exists while a model is imported: how
// many tensors it has, and which of them a node is about, is known then.

static Tensor makeSequence(GraphBuilder &b, ArrayRef<Tensor> items) {
  if (llvm::any_of(items, [](const Tensor &item) { return !item; }))
    return {};
  return Tensor::makeSequence(b.context(), items.vec());
}

/// The tensors of input `i`, which must be a sequence; none after a failure.
static std::optional<ArrayRef<Tensor>>
readSequence(OpContext &op, GraphBuilder &b, unsigned i) {
  Tensor sequence = op.input(i);
  if (sequence && sequence.isSequence())
    return sequence.items();
  b.fail("expected a sequence in input " + Twine(i) + ", got a tensor");
  return std::nullopt;
}

static bool expectTensor(GraphBuilder &b, unsigned i, const Tensor &x) {
  if (x && x.isSequence())
    b.fail("expected a tensor in input " + Twine(i) + ", got a sequence");
  return x && !x.isSequence();
}

/// A place in a sequence of `size` tensors, where `size` itself counts only if
/// `mayBeEnd`. The last one if the input is left out.
static std::optional<int64_t> readPosition(OpContext &op, GraphBuilder &b,
                                           unsigned i, int64_t size,
                                           bool mayBeEnd) {
  int64_t end = mayBeEnd ? size + 1 : size, position = end - 1;
  if (op.has(i)) {
    std::optional<Shape> given = op.constantInts(i);
    if (!given)
      return std::nullopt;
    if (given->size() != 1) {
      b.fail("expected one number in input " + Twine(i));
      return std::nullopt;
    }
    position = given->front() < 0 ? given->front() + size : given->front();
  }
  if (position >= 0 && position < end)
    return position;
  b.fail("expected a position in a sequence of " + Twine(size) +
         " tensors, got " +
         Twine(op.has(i) ? op.constantInts(i)->front() : position));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

static Tensors importSequenceConstruct(OpContext &op, GraphBuilder &b) {
  ArrayRef<Tensor> items = op.allInputs();
  for (auto [i, item] : llvm::enumerate(items))
    if (!expectTensor(b, i, item))
      return {};
  return {makeSequence(b, items)};
}

static Tensors importSequenceEmpty(OpContext &op, GraphBuilder &b) {
  op.attributes.getInt("dtype");
  return {makeSequence(b, {})};
}

static Tensors importSequenceAt(OpContext &op, GraphBuilder &b) {
  auto items = readSequence(op, b, 0);
  if (!items)
    return {};
  auto position = readPosition(op, b, 1, items->size(), /*mayBeEnd=*/false);
  return {position ? (*items)[*position] : Tensor()};
}

static Tensors importSequenceInsert(OpContext &op, GraphBuilder &b) {
  auto items = readSequence(op, b, 0);
  Tensor item = op.input(1);
  if (!items || !expectTensor(b, 1, item))
    return {};
  auto position = readPosition(op, b, 2, items->size(), /*mayBeEnd=*/true);
  if (!position)
    return {};
  Tensors result(*items);
  result.insert(result.begin() + *position, item);
  return {makeSequence(b, result)};
}

static Tensors importSequenceErase(OpContext &op, GraphBuilder &b) {
  auto items = readSequence(op, b, 0);
  if (!items)
    return {};
  auto position = readPosition(op, b, 1, items->size(), /*mayBeEnd=*/false);
  if (!position)
    return {};
  Tensors result(*items);
  result.erase(result.begin() + *position);
  return {makeSequence(b, result)};
}

static Tensors importSequenceLength(OpContext &op, GraphBuilder &b) {
  auto items = readSequence(op, b, 0);
  return {items ? b.constant({int64_t(items->size())}, {}) : Tensor()};
}

//===----------------------------------------------------------------------===//
// Parts of a tensor
//===----------------------------------------------------------------------===//

/// The sizes of the parts of a dimension: given as one for all, where the last
/// may be less, or one by one; or 1. None after a failure.
static std::optional<Shape> readParts(OpContext &op, GraphBuilder &b,
                                      int64_t size) {
  Shape parts = {1};
  bool isOne = true;
  if (op.has(1)) {
    std::optional<Shape> given = op.constantInts(1);
    if (!given)
      return std::nullopt;
    parts = *given;
    isOne = op.input(1).rank() == 0;
  }
  // Each part is a node of the graph.
  constexpr int64_t most = 1 << 16;
  if (isOne && parts.front() > 0 && size / parts.front() >= most) {
    b.fail("sequences of more than 65536 tensors are not supported");
    return std::nullopt;
  }
  if (isOne && parts.front() > 0) {
    int64_t part = parts.front();
    parts = Shape(size / part, part);
    if (size % part != 0)
      parts.push_back(size % part);
  }
  int64_t left = size;
  bool fits = llvm::all_of(parts, [&](int64_t part) {
    bool isThere = part >= 0 && part <= left;
    left -= isThere ? part : 0;
    return isThere;
  });
  if (fits && left == 0)
    return parts;
  b.fail("expected parts of " + Twine(size) + " elements, got others");
  return std::nullopt;
}

static Tensors importSplitToSequence(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  bool keepsDim = op.attributes.getInt("keepdims").value_or(1) != 0;
  int64_t axis =
      op.normalizeAxis(op.attributes.getInt("axis").value_or(0), x.rank());
  if (b.hasFailed())
    return {};
  std::optional<Shape> parts = readParts(op, b, x.dim(axis));
  if (!parts)
    return {};
  Tensors items;
  int64_t offset = 0;
  for (int64_t part : *parts) {
    Tensor item = b.sliceDim(x, axis, offset, part);
    // Only chunks of one element, by default, lose the dimension.
    items.push_back(keepsDim || op.has(1) ? item : selectDim(b, item, axis, 0));
    offset += part;
  }
  return {makeSequence(b, items)};
}

static Tensors importConcatFromSequence(OpContext &op, GraphBuilder &b) {
  auto items = readSequence(op, b, 0);
  std::optional<int64_t> given = op.attributes.getInt("axis");
  bool isNew = op.attributes.getInt("new_axis").value_or(0) != 0;
  if (!items || !given)
    return {b.fail("expected an attribute 'axis', got none")};
  if (items->empty())
    return {b.fail("expected a sequence with a tensor, got an empty one")};
  Tensor first = items->front();
  int64_t axis = op.normalizeAxis(*given, first.rank() + (isNew ? 1 : 0));
  if (b.hasFailed())
    return {};
  Tensors parts;
  for (const Tensor &item : *items) {
    bool isSame = isNew ? item.shape() == first.shape()
                        : item.rank() == first.rank() &&
                              b.keepDim(item, axis) == b.keepDim(first, axis);
    if (!isSame || item.elementType() != first.elementType() || !item.isPlain())
      return {b.fail("expected tensors that can be joined along axis " +
                     Twine(*given))};
    parts.push_back(isNew ? addDim(b, item, axis) : item);
  }
  return {b.concat(parts, axis)};
}

ArrayRef<OpDefinition> onnx::getSequenceOps() {
  static constexpr Takes all = Takes::All;
  static constexpr OpDefinition ops[] = {
      {"ConcatFromSequence", importConcatFromSequence, 11, "", all},
      {"SequenceAt", importSequenceAt, 11, "", all},
      {"SequenceConstruct", importSequenceConstruct, 11, "", all},
      {"SequenceEmpty", importSequenceEmpty, 11, "", all},
      {"SequenceErase", importSequenceErase, 11, "", all},
      {"SequenceInsert", importSequenceInsert, 11, "", all},
      {"SequenceLength", importSequenceLength, 11, "", all},
      {"SplitToSequence", importSplitToSequence, 24},
  };
  return ops;
}

//===----------------------------------------------------------------------===//
// SequenceMap
//===----------------------------------------------------------------------===//

/// The body is a part of the graph for each tensor of the first input. Inputs
/// that are tensors are given to all of them.
std::optional<Tensors> Importer::importSequenceMap(const Call &call) {
  const GraphProto *body = call.attributes.getGraph("body");
  if (!body || call.inputs.empty() || !call.inputs.front().isSequence()) {
    diagnostics.error("expected a body and a sequence");
    return std::nullopt;
  }
  size_t length = call.inputs.front().items().size();
  std::vector<Tensors> columns(body->outputs.size());
  for (size_t i = 0; i < length; ++i) {
    Tensors arguments;
    for (const Tensor &input : call.inputs) {
      if (input.isSequence() && input.items().size() != length) {
        diagnostics.error("expected sequences of one length, got " +
                          Twine(length) + " and " +
                          Twine(input.items().size()));
        return std::nullopt;
      }
      arguments.push_back(input.isSequence() ? input.items()[i] : input);
    }
    auto results =
        importSubgraph(*body, arguments, call.scope, call.environment);
    if (!results || isTooLarge())
      return std::nullopt;
    for (auto [column, result] : llvm::zip_equal(columns, *results))
      column.push_back(result);
  }
  Tensors outputs;
  for (const Tensors &column : columns)
    outputs.push_back(makeSequence(builder, column));
  return outputs;
}
