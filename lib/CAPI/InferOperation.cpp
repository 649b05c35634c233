//===- InferOperation.cpp - The types of one operation ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContextCache.h"
#include "GraphHandle.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Runtime/Core/TensorType.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;
using graph::UserAttribute;
using graph::UserGraph;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

static Expected<RankedTensorType> readType(const HamKaasTensorType &type,
                                           const Twine &what,
                                           MLIRContext *context) {
  if (!rt::elementTypeName(type.elementType))
    return createStringError(what + "expected a HamKaasElementType, got " +
                             Twine(type.elementType));
  if (type.rank < 0 || type.rank > int32_t(graph::largestRank))
    return createStringError(what + "expected 0 to " +
                             Twine(graph::largestRank) + " dimensions, got " +
                             Twine(type.rank));
  return graph::makeType(ArrayRef(type.shape, type.rank),
                         getElementType(type.elementType).make(context), what);
}

/// An input of `graph` for each operand that is there.
static Expected<SmallVector<Value>>
addOperands(UserGraph &graph, const HamKaasOperationTypes &operation,
            Location location) {
  SmallVector<Value> operands;
  for (int32_t i = 0; i < operation.operandCount; ++i) {
    const HamKaasTensorType *given = operation.operands[i];
    operands.push_back(nullptr);
    if (!given)
      continue;
    auto type =
        readType(*given, "operand " + Twine(i) + ": ", location.getContext());
    if (!type)
      return type.takeError();
    auto input = graph.addInput(std::to_string(i), *type, location);
    if (!input)
      return input.takeError();
    operands.back() = graph.value(*input);
  }
  return operands;
}

/// Adds the operation to `graph`, which is empty; its results.
static Expected<SmallVector<Value>> add(UserGraph &graph,
                                        const HamKaasOperationTypes &operation,
                                        Location location) {
  auto fail = [&](Error error) {
    return createStringError(graph::quote(operation.name) + ": " +
                             toString(std::move(error)));
  };
  if (Error error = checkLists(operation.operands, operation.operandCount,
                               operation.attributes, operation.attributeCount))
    return fail(std::move(error));
  auto operands = addOperands(graph, operation, location);
  if (!operands)
    return fail(operands.takeError());
  auto attributes =
      readAttributes({operation.attributes, size_t(operation.attributeCount)},
                     location.getContext());
  if (!attributes)
    return fail(attributes.takeError());
  auto results =
      graph.addOperation({operation.name, *operands, *attributes}, location);
  if (!results)
    return results.takeError();
  return llvm::map_to_vector(
      *results, [&](uint32_t number) { return graph.value(number); });
}

static Error infer(const HamKaasOperationTypes &operation,
                   MutableArrayRef<HamKaasTensorType> types,
                   int32_t *typeCount) {
  if (Error error = checkText(operation.name, "the name of an operation"))
    return error;
  std::unique_lock<std::mutex> lock;
  std::shared_ptr<MLIRContext> context = ContextCache::get().take(lock);
  // A composition needs a graph to grow in.
  UserGraph graph(context.get());
  auto added = add(graph, operation, UnknownLoc::get(context.get()));
  if (!added)
    return added.takeError();
  *typeCount = int32_t(added->size());
  if (types.size() < added->size())
    return createStringError("expected room for " + Twine(added->size()) +
                             " results, got it for " + Twine(types.size()));
  for (auto [type, result] : llvm::zip(types, *added))
    type = describeType(cast<RankedTensorType>(result.getType()));
  return Error::success();
}

HamKaasError HamKaasInferOperation(const HamKaasOperationTypes *given,
                                   HamKaasTensorType *types,
                                   int32_t typeCapacity, int32_t *typeCount) {
  if (!typeCount)
    return noPlace("the number of results");
  *typeCount = 0;
  if (typeCapacity < 0 || (typeCapacity > 0 && !types))
    return fromError(createStringError(
        "expected room for 0 or more types, got " +
        (typeCapacity < 0 ? Twine(typeCapacity) : Twine("null"))));
  if (!given)
    return fromError(createStringError("expected an operation, got null"));
  auto operation = readOptions(given, "HamKaasOperationTypes");
  if (!operation)
    return fromError(operation.takeError());
  return fromError(
      infer(*operation, MutableArrayRef(types, typeCapacity), typeCount));
}
