//===- GraphHandle.cpp - What a handle of a graph stands for ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphHandle.h"
#include "HamKaas/Gradient/GradientOpInterface.h"
#include "HamKaas/Interpreter/ReferenceSemantics.h"
#include "HamKaas/Support/Errors.h"
#include "HamKaas/Support/VisibleText.h"
#include <atomic>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

static constexpr rt::HandleKind graphKind = {5, "a graph"};

static uint32_t takeNumber() {
  static std::atomic<uint32_t> last{0};
  return ++last;
}

/// The semantics by which compositions fold their own constants, and the rules
/// of gradients.
static const DialectRegistry &getRegistry() {
  static const DialectRegistry registry = [] {
    DialectRegistry made;
    registerReferenceSemantics(made);
    registerGradientRules(made);
    return made;
  }();
  return registry;
}

// A context that knows no other form.
Graph::Graph()
    : context(std::make_unique<MLIRContext>(getRegistry(),
                                            MLIRContext::Threading::DISABLED)),
      graph(context.get()), number(takeNumber()) {
  context->printOpOnDiagnostic(false);
}

Expected<uint32_t> Graph::find(HamKaasValue value, const Twine &what) const {
  uint32_t place = uint32_t(value) - 1;
  if (value == 0)
    return createStringError("expected " + what + ", got none");
  if (value >> 32 != number || place >= graph.valueCount())
    return createStringError("expected " + what +
                             " of this graph, got the "
                             "value " +
                             Twine(value) + ", which it has not");
  if (!graph.value(place))
    return createStringError("expected " + what +
                             " of this body or around it, got a value of a "
                             "loop's body that has ended");
  if (!graph.isVisible(place))
    return createStringError("expected " + what +
                             " of this function, a parameter or a state, got "
                             "a value of another function");
  return place;
}

Expected<Numbers> capi::readValues(const Graph &graph, StringRef kind,
                                   const HamKaasValue *values, int32_t count) {
  if (count < 0 || (count > 0 && !values))
    return createStringError("expected a list of 0 or more of each " + kind +
                             ", got " +
                             (count < 0 ? Twine(count) : Twine("null")));
  Numbers numbers;
  for (int32_t i = 0; i < count; ++i) {
    auto number =
        graph.find(values[i], kind + " " + Twine(i) + " to be a value");
    if (!number)
      return number.takeError();
    numbers.push_back(*number);
  }
  return numbers;
}

LockedGraph::LockedGraph(HamKaasGraph *handle) : graph(handle, graphKind) {
  if (graph)
    lock = std::unique_lock(graph->mutex);
}

Error LockedGraph::explain() const { return toError(graph.explain()); }

HamKaasError HamKaasGraphCreate(HamKaasGraph **graph) {
  if (!graph)
    return noPlace("the graph");
  *graph = nullptr;
  auto object = std::make_unique<Graph>();
  void *handle = nullptr;
  if (Error error = toError(rt::handleTable().add(
          graphKind, object.get(),
          [](void *object) { delete static_cast<Graph *>(object); }, handle)))
    return fromError(std::move(error));
  object.release();
  *graph = static_cast<HamKaasGraph *>(handle);
  return nullptr;
}

HamKaasError HamKaasGraphDestroy(HamKaasGraph *graph) {
  if (!graph || rt::handleTable().remove(graph, graphKind))
    return nullptr;
  return fromError(toError(rt::handleTable().explain(graph, graphKind)));
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

Error Position::check() const {
  if (!file)
    return Error::success();
  if (Error error = checkText(file, "a file"))
    return error;
  if (line < 1 || line > UINT32_MAX)
    return createStringError("expected a line number of 1 to 2^32 - 1, got " +
                             Twine(line));
  return Error::success();
}

Location Position::locate(MLIRContext *context) const {
  if (!file)
    return UnknownLoc::get(context);
  return FileLineColLoc::get(context, file, line, 0);
}

HamKaasError Position::report(Error error) const {
  if (!error || !file)
    return fromError(std::move(error));
  return fromError(createStringError(makeVisible(file) + ":" + Twine(line) +
                                     ": error: " + toString(std::move(error))));
}

HamKaasError capi::withGraph(
    HamKaasGraph *handle, Position position,
    llvm::function_ref<Error(Graph &graph, Location location)> run) {
  if (Error error = position.check())
    return fromError(std::move(error));
  LockedGraph graph(handle);
  if (!graph)
    return position.report(graph.explain());
  return position.report(run(*graph, position.locate(graph->context.get())));
}
