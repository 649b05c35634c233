//===- GraphGradient.cpp - Gradients of graphs ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphHandle.h"
#include "HamKaas/Gradient/Differentiate.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

/// The values as the place where operations are added knows them.
static SmallVector<Value> capture(Graph &graph, ArrayRef<uint32_t> numbers) {
  return llvm::map_to_vector(
      numbers, [&](uint32_t number) { return graph.graph.capture(number); });
}

static Expected<Numbers> addGradient(Graph &graph,
                                     const HamKaasGraphGradient &given,
                                     Location location) {
  if (given.xCount < 1)
    return createStringError("expected at least one x, got " +
                             Twine(given.xCount));
  auto y = graph.find(given.y, "y to be a value");
  if (!y)
    return y.takeError();
  auto xs = readValues(graph, "x", given.xs, given.xCount);
  if (!xs)
    return xs.takeError();
  Numbers seed;
  if (given.seed) {
    auto number = graph.find(given.seed, "the seed to be a value");
    if (!number)
      return number.takeError();
    seed.push_back(*number);
  }
  SmallVector<Value> inner = capture(graph, *xs), seeds = capture(graph, seed);
  auto replace = [&](Value value, Value replacement) {
    graph.graph.replaceValue(value, replacement);
  };
  GradientRequest request = {graph.graph.capture(*y),
                             seeds.empty() ? Value() : seeds.front(), inner,
                             replace};
  return graph.graph.addValues([&](OpBuilder &place) {
    return differentiate(request, place, location);
  });
}

HamKaasError HamKaasGraphAddGradient(HamKaasGraph *graph,
                                     const HamKaasGraphGradient *given,
                                     HamKaasValue *results) {
  if (!given)
    return fromError(createStringError("expected a gradient, got null"));
  auto gradient = readOptions(given, "HamKaasGraphGradient");
  if (!gradient)
    return fromError(gradient.takeError());
  if (!results)
    return noPlace("the results");
  std::fill_n(results, std::max(gradient->xCount, 0), 0);
  return withGraph(graph, {gradient->file, gradient->line},
                   [&](Graph &graph, Location location) -> Error {
                     auto added = addGradient(graph, *gradient, location);
                     if (!added)
                       return createStringError("'gradient': " +
                                                toString(added.takeError()));
                     for (auto [i, number] : llvm::enumerate(*added))
                       results[i] = graph.name(number);
                     return Error::success();
                   });
}
