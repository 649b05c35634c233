//===- GraphOperations.cpp - Operations of a graph, by name -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphHandle.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Runtime/Core/TensorType.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;
using graph::UserAttribute;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

static Expected<UserAttribute> readAttribute(const HamKaasAttribute &given,
                                             MLIRContext *context) {
  if (Error error = checkText(given.name, "the name of an attribute"))
    return std::move(error);
  std::string what = ("attribute " + graph::quote(given.name) + ": ");
  switch (given.kind) {
  case HamKaasIntegerAttribute:
    return UserAttribute{given.name, given.integer};
  case HamKaasRealAttribute:
    return UserAttribute{given.name, given.real};
  case HamKaasIntegersAttribute:
    if (given.count < 0 || (given.count > 0 && !given.integers))
      return createStringError(
          what + "expected a list of 0 or more integers, got " +
          (given.count < 0 ? Twine(given.count) : Twine("null")));
    return UserAttribute{given.name, ArrayRef(given.integers, given.count)};
  case HamKaasWordAttribute:
    if (Error error = checkText(given.word, what + "a word"))
      return std::move(error);
    return UserAttribute{given.name, StringRef(given.word)};
  case HamKaasTypeAttribute:
    if (given.integer < 0 || given.integer >= rt::elementTypeCount)
      return createStringError(what + "expected a HamKaasElementType, got " +
                               Twine(given.integer));
    return UserAttribute{given.name,
                         getElementType(int32_t(given.integer)).make(context)};
  }
  return createStringError(what + "expected a HamKaasAttributeKind, got " +
                           Twine(given.kind));
}

Expected<SmallVector<UserAttribute>>
capi::readAttributes(ArrayRef<HamKaasAttribute> given, MLIRContext *context) {
  SmallVector<UserAttribute> attributes;
  for (const HamKaasAttribute &each : given) {
    Expected<UserAttribute> attribute = readAttribute(each, context);
    if (!attribute)
      return attribute.takeError();
    attributes.push_back(*attribute);
  }
  return attributes;
}

Error capi::checkLists(const void *operands, int32_t operandCount,
                       const void *attributes, int32_t attributeCount) {
  if (operandCount < 0 || attributeCount < 0)
    return createStringError(
        "expected numbers of operands and attributes of at least 0, got " +
        Twine(operandCount) + " and " + Twine(attributeCount));
  if (operandCount > 0 && !operands)
    return createStringError("expected " + Twine(operandCount) +
                             " operands, got null");
  if (attributeCount > 0 && !attributes)
    return createStringError("expected " + Twine(attributeCount) +
                             " attributes, got null");
  return Error::success();
}

/// The numbers of the operation's results, of which there must be
/// `resultCount`.
static Expected<SmallVector<uint32_t, 1>>
addOperation(Graph &graph, const HamKaasGraphOperation &operation,
             size_t resultCount, Location location) {
  if (Error error = checkText(operation.name, "the name of an operation"))
    return std::move(error);
  auto fail = [&](Error error) {
    return createStringError(graph::quote(operation.name) + ": " +
                             toString(std::move(error)));
  };
  if (Error error = checkLists(operation.operands, operation.operandCount,
                               operation.attributes, operation.attributeCount))
    return fail(std::move(error));
  SmallVector<Value> operands;
  for (int32_t i = 0; i < operation.operandCount; ++i) {
    Value operand;
    if (HamKaasValue value = operation.operands[i]) {
      auto place = graph.find(value, "operand " + Twine(i) + " to be a value");
      if (!place)
        return fail(place.takeError());
      operand = graph.graph.capture(*place);
    }
    operands.push_back(operand);
  }
  auto attributes =
      readAttributes({operation.attributes, size_t(operation.attributeCount)},
                     graph.context.get());
  if (!attributes)
    return fail(attributes.takeError());
  return graph.graph.addOperation(
      {operation.name, operands, *attributes, resultCount}, location);
}

HamKaasError HamKaasGraphAddOperation(HamKaasGraph *graph,
                                      const HamKaasGraphOperation *given,
                                      HamKaasValue *results,
                                      int32_t resultCount) {
  if (!results)
    return noPlace("the results");
  if (resultCount < 1)
    return fromError(createStringError(
        "expected a resultCount of at least 1, got " + Twine(resultCount)));
  std::fill_n(results, resultCount, 0);
  if (!given)
    return fromError(createStringError("expected an operation, got null"));
  auto operation = readOptions(given, "HamKaasGraphOperation");
  if (!operation)
    return fromError(operation.takeError());
  return withGraph(graph, {operation->file, operation->line},
                   [&](Graph &graph, Location location) -> Error {
                     auto added =
                         addOperation(graph, *operation, resultCount, location);
                     if (!added)
                       return added.takeError();
                     for (auto [i, result] : llvm::enumerate(*added))
                       results[i] = graph.name(result);
                     return Error::success();
                   });
}

HamKaasTensorType capi::describeType(RankedTensorType type) {
  HamKaasTensorType described = {};
  described.elementType = getElementType(type).type;
  described.rank = int32_t(type.getRank());
  llvm::copy(type.getShape(), described.shape);
  return described;
}

HamKaasError HamKaasGraphGetType(HamKaasGraph *graph, HamKaasValue value,
                                 HamKaasTensorType *type) {
  if (!type)
    return noPlace("the type");
  *type = {};
  return withGraph(graph, {nullptr, 0}, [&](Graph &graph, Location) -> Error {
    auto place = graph.find(value, "a value");
    if (!place)
      return place.takeError();
    *type = describeType(
        cast<RankedTensorType>(graph.graph.value(*place).getType()));
    return Error::success();
  });
}
