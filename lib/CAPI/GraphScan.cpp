//===- GraphScan.cpp - Loops over rows, built call by call ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphHandle.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;
using graph::UserGraph;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

/// The number of steps, also where the rows tell it.
static Expected<int64_t> countSteps(const UserGraph &graph,
                                    const HamKaasGraphScan &scan,
                                    ArrayRef<uint32_t> inputs) {
  if (scan.steps > 0)
    return scan.steps;
  if (scan.steps < 0 || inputs.empty())
    return createStringError("expected at least 1 step, got " +
                             Twine(scan.steps) +
                             (inputs.empty() ? " and no inputs" : ""));
  auto type = cast<RankedTensorType>(graph.value(inputs.front()).getType());
  // One without rows is refused as an input.
  return type.getRank() == 0 ? 1 : type.getDimSize(0);
}

/// Adds the arguments of the body that has begun.
static Expected<Numbers> addArguments(UserGraph &graph,
                                      ArrayRef<uint32_t> inits,
                                      ArrayRef<uint32_t> inputs,
                                      Location location) {
  Numbers arguments;
  auto add = [&](UserGraph::ScanArgument kind, StringRef name,
                 ArrayRef<uint32_t> values) -> Error {
    for (auto [i, value] : llvm::enumerate(values)) {
      auto argument = graph.addScanArgument(kind, value, location);
      if (!argument)
        return createStringError(name + " " + Twine(i) + ": " +
                                 toString(argument.takeError()));
      arguments.push_back(*argument);
    }
    return Error::success();
  };
  if (Error error = add(UserGraph::ScanArgument::Init, "init", inits))
    return std::move(error);
  if (Error error = add(UserGraph::ScanArgument::Row, "input", inputs))
    return std::move(error);
  return arguments;
}

static Expected<Numbers> beginScan(Graph &graph, const HamKaasGraphScan &scan,
                                   Location location) {
  auto inits = readValues(graph, "init", scan.inits, scan.initCount);
  if (!inits)
    return inits.takeError();
  auto inputs = readValues(graph, "input", scan.inputs, scan.inputCount);
  if (!inputs)
    return inputs.takeError();
  if (scan.reversed != 0 && scan.reversed != 1)
    return createStringError("expected 0 or 1 for reversed, got " +
                             Twine(scan.reversed));
  auto steps = countSteps(graph.graph, scan, *inputs);
  if (!steps)
    return steps.takeError();
  if (graph.graph.scanDepth() == UserGraph::deepestScan)
    return createStringError("expected loops that nest at most " +
                             Twine(UserGraph::deepestScan) + " deep");
  graph.graph.beginScan(*steps, scan.reversed, location);
  auto arguments = addArguments(graph.graph, *inits, *inputs, location);
  if (!arguments)
    graph.graph.abandonScan();
  return arguments;
}

/// Sets `values` to the result, unless that is an error of the loop.
static Error give(const Graph &graph, Expected<Numbers> numbers,
                  HamKaasValue *values) {
  if (!numbers)
    return createStringError("'scan': " + toString(numbers.takeError()));
  for (auto [i, number] : llvm::enumerate(*numbers))
    values[i] = graph.name(number);
  return Error::success();
}

HamKaasError HamKaasGraphBeginScan(HamKaasGraph *graph,
                                   const HamKaasGraphScan *given,
                                   HamKaasValue *arguments) {
  if (!given)
    return fromError(createStringError("expected a scan, got null"));
  auto scan = readOptions(given, "HamKaasGraphScan");
  if (!scan)
    return fromError(scan.takeError());
  if (!arguments && (scan->initCount > 0 || scan->inputCount > 0))
    return noPlace("the arguments");
  std::fill_n(std::fill_n(arguments, std::max(scan->initCount, 0), 0),
              std::max(scan->inputCount, 0), 0);
  return withGraph(
      graph, {scan->file, scan->line}, [&](Graph &graph, Location location) {
        return give(graph, beginScan(graph, *scan, location), arguments);
      });
}

static Expected<Numbers> endScan(Graph &graph, const HamKaasValue *yielded,
                                 int32_t count, Location location) {
  if (graph.graph.scanDepth() == 0)
    return createStringError("expected a loop that has begun, got none");
  auto values = readValues(graph, "yielded", yielded, count);
  if (!values)
    return values.takeError();
  return graph.graph.endScan(*values, location);
}

HamKaasError HamKaasGraphEndScan(HamKaasGraph *graph,
                                 const HamKaasValue *yielded,
                                 int32_t yieldedCount,
                                 const HamKaasSourceLine *position,
                                 HamKaasValue *results) {
  if (!results && yieldedCount > 0)
    return noPlace("the results");
  std::fill_n(results, std::max(yieldedCount, 0), 0);
  Position given = {nullptr, 0};
  if (position)
    given = {position->file, position->line};
  return withGraph(graph, given, [&](Graph &graph, Location location) {
    return give(graph, endScan(graph, yielded, yieldedCount, location),
                results);
  });
}

HamKaasError HamKaasGraphAbandonScan(HamKaasGraph *graph) {
  return withGraph(graph, {nullptr, 0}, [&](Graph &graph, Location) -> Error {
    if (graph.graph.scanDepth() == 0)
      return createStringError("expected a loop that has begun, got none");
    graph.graph.abandonScan();
    return Error::success();
  });
}
