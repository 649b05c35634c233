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

static Error checkLists(const HamKaasGraphOperation &operation) {
  if (operation.operandCount < 0 || operation.attributeCount < 0)
    return createStringError(
        "expected numbers of operands and attributes of at least 0, got " +
        Twine(operation.operandCount) + " and " +
        Twine(operation.attributeCount));
  if (operation.operandCount > 0 && !operation.operands)
    return createStringError("expected " + Twine(operation.operandCount) +
                             " operands, got null");
  if (operation.attributeCount > 0 && !operation.attributes)
    return createStringError("expected " + Twine(operation.attributeCount) +
                             " attributes, got null");
  return Error::success();
}

/// The number of the operation's result.
static Expected<uint32_t> addOperation(Graph &graph,
                                       const HamKaasGraphOperation &operation,
                                       Location location) {
  if (Error error = checkText(operation.name, "the name of an operation"))
    return std::move(error);
  auto fail = [&](Error error) {
    return createStringError(graph::quote(operation.name) + ": " +
                             toString(std::move(error)));
  };
  if (Error error = checkLists(operation))
    return fail(std::move(error));
  SmallVector<Value> operands;
  for (int32_t i = 0; i < operation.operandCount; ++i) {
    Value operand;
    if (HamKaasValue value = operation.operands[i]) {
      auto place = graph.find(value, "operand " + Twine(i) + " to be a value");
      if (!place)
        return fail(place.takeError());
      operand = graph.graph.value(*place);
    }
    operands.push_back(operand);
  }
  SmallVector<UserAttribute> attributes;
  for (int32_t i = 0; i < operation.attributeCount; ++i) {
    auto attribute =
        readAttribute(operation.attributes[i], graph.context.get());
    if (!attribute)
      return fail(attribute.takeError());
    attributes.push_back(*attribute);
  }
  return graph.graph.addOperation({operation.name, operands, attributes},
                                  location);
}

HamKaasError HamKaasGraphAddOperation(HamKaasGraph *graph,
                                      const HamKaasGraphOperation *given,
                                      HamKaasValue *results,
                                      int32_t resultCount) {
  if (!results)
    return noPlace("the results");
  if (resultCount != 1)
    return fromError(createStringError("expected a resultCount of 1, got " +
                                       Twine(resultCount)));
  results[0] = 0;
  if (!given)
    return fromError(createStringError("expected an operation, got null"));
  auto operation = readOptions(given, "HamKaasGraphOperation");
  if (!operation)
    return fromError(operation.takeError());
  return withGraph(graph, {operation->file, operation->line},
                   [&](Graph &graph, Location location) -> Error {
                     auto added = addOperation(graph, *operation, location);
                     if (!added)
                       return added.takeError();
                     results[0] = graph.name(*added);
                     return Error::success();
                   });
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
    auto tensor = cast<RankedTensorType>(graph.graph.value(*place).getType());
    type->elementType = getElementType(tensor).type;
    type->rank = int32_t(tensor.getRank());
    llvm::copy(tensor.getShape(), type->shape);
    return Error::success();
  });
}
