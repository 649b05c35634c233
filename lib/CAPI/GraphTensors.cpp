//===- GraphTensors.cpp - Tensors from outside a graph ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphHandle.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Frontend/Builder/UserOperation.h"
#include "HamKaas/Program/CollectProgramInfo.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Runtime/Core/TensorType.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;
using graph::UserGraph;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

namespace {

/// A tensor as a caller gives it, read.
struct GivenTensor {
  RankedTensorType type;
  StringRef name;
  ArrayRef<char> bytes;
};

} // namespace

static Expected<RankedTensorType> readType(const HamKaasGraphTensor &tensor,
                                           MLIRContext *context) {
  if (!rt::elementTypeName(tensor.elementType))
    return createStringError("expected a HamKaasElementType, got " +
                             Twine(tensor.elementType));
  if (tensor.rank < 0 || (tensor.rank > 0 && !tensor.shape))
    return createStringError(
        "expected a shape of 0 or more entries, got " +
        (tensor.rank < 0 ? Twine(tensor.rank) : Twine("null")));
  if (tensor.rank > int32_t(graph::largestRank))
    return createStringError("expected at most " + Twine(graph::largestRank) +
                             " dimensions, got " + Twine(tensor.rank));
  return graph::makeType(ArrayRef(tensor.shape, tensor.rank),
                         getElementType(tensor.elementType).make(context), "");
}

/// The data, which may be null: if there are no bytes, or all of a state.
/// Checks their size only where they are all the elements.
static Expected<ArrayRef<char>> readData(const HamKaasGraphTensor &tensor,
                                         bool mayBeGivenLater) {
  if (tensor.bytes > 0 && !tensor.data && !mayBeGivenLater)
    return createStringError("expected data of " + Twine(tensor.bytes) +
                             " bytes, got null");
  if (tensor.bytes > INT64_MAX)
    return createStringError("expected fewer than 2^63 bytes, got " +
                             Twine(tensor.bytes));
  return ArrayRef(static_cast<const char *>(tensor.data), tensor.bytes);
}

using AddTensor = llvm::function_ref<Expected<uint32_t>(
    UserGraph &graph, const GivenTensor &tensor, Location location)>;

/// Adds a tensor that is called `kind` in errors.
static HamKaasError addTensor(HamKaasGraph *handle,
                              const HamKaasGraphTensor *given, StringRef kind,
                              HamKaasValue *value, AddTensor add) {
  if (!value)
    return noPlace("the value");
  *value = 0;
  if (!given)
    return fromError(createStringError("expected a tensor, got null"));
  auto tensor = readOptions(given, "HamKaasGraphTensor");
  if (!tensor)
    return fromError(tensor.takeError());
  auto run = [&](Graph &graph, Location location) -> Error {
    std::string what = kind.str();
    if (tensor->name)
      what += " " + graph::quote(tensor->name);
    auto fail = [&](Error error) {
      return createStringError(what + ": " + toString(std::move(error)));
    };
    auto type = readType(*tensor, graph.context.get());
    if (!type)
      return fail(type.takeError());
    auto bytes = readData(*tensor, /*mayBeGivenLater=*/kind == "state");
    if (!bytes)
      return fail(bytes.takeError());
    StringRef name = tensor->name ? tensor->name : "";
    auto added = add(graph.graph, {*type, name, *bytes}, location);
    if (!added)
      return fail(added.takeError());
    *value = graph.name(*added);
    return Error::success();
  };
  return withGraph(handle, {tensor->file, tensor->line}, run);
}

HamKaasError HamKaasGraphAddInput(HamKaasGraph *graph,
                                  const HamKaasGraphTensor *tensor,
                                  HamKaasValue *value) {
  return addTensor(graph, tensor, "input", value,
                   [](UserGraph &graph, const GivenTensor &tensor,
                      Location location) -> Expected<uint32_t> {
                     if (!tensor.bytes.empty())
                       return createStringError("expected no data, got " +
                                                Twine(tensor.bytes.size()) +
                                                " bytes");
                     return graph.addInput(tensor.name, tensor.type, location);
                   });
}

HamKaasError HamKaasGraphAddParameter(HamKaasGraph *graph,
                                      const HamKaasGraphTensor *tensor,
                                      HamKaasValue *value) {
  return addTensor(graph, tensor, "parameter", value,
                   [](UserGraph &graph, const GivenTensor &tensor,
                      Location location) -> Expected<uint32_t> {
                     uint64_t bytes = getTensorInfo("", tensor.type).bytes();
                     if (tensor.bytes.data() && tensor.bytes.size() != bytes)
                       return createStringError("expected " + Twine(bytes) +
                                                " bytes, got " +
                                                Twine(tensor.bytes.size()));
                     return graph.addParameter(tensor.name, tensor.type,
                                               tensor.bytes, location);
                   });
}

HamKaasError HamKaasGraphAddState(HamKaasGraph *graph,
                                  const HamKaasGraphTensor *tensor,
                                  HamKaasValue *value) {
  return addTensor(
      graph, tensor, "state", value,
      [](UserGraph &graph, const GivenTensor &tensor, Location location) {
        return graph.addState(tensor.name, tensor.type, tensor.bytes, location);
      });
}

HamKaasError HamKaasGraphAddConstant(HamKaasGraph *graph,
                                     const HamKaasGraphTensor *tensor,
                                     HamKaasValue *value) {
  return addTensor(graph, tensor, "constant", value,
                   [](UserGraph &graph, const GivenTensor &tensor,
                      Location location) -> Expected<uint32_t> {
                     if (!tensor.name.empty())
                       return createStringError("expected no name");
                     return graph.addConstant(tensor.type, tensor.bytes,
                                              location);
                   });
}

HamKaasError HamKaasGraphStoreState(HamKaasGraph *graph, HamKaasValue state,
                                    HamKaasValue value,
                                    const HamKaasSourceLine *position) {
  Position given = {nullptr, 0};
  if (position)
    given = {position->file, position->line};
  return withGraph(graph, given, [&](Graph &graph, Location location) -> Error {
    auto stored = graph.find(state, "a state");
    if (!stored)
      return stored.takeError();
    auto contents = graph.find(value, "a value for the state");
    if (!contents)
      return contents.takeError();
    return graph.graph.storeState(*stored, *contents, location);
  });
}
