//===- Graph.cpp - From graphs of calls to models ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "GraphHandle.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Frontend/Script/Script.h"
#include "mlir/Bytecode/BytecodeWriter.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

HamKaasError HamKaasGraphBeginFunction(HamKaasGraph *graph, const char *name) {
  return withGraph(graph, {nullptr, 0}, [&](Graph &graph, Location) -> Error {
    if (Error error = checkText(name, "the name of a function"))
      return error;
    return graph.graph.beginFunction(name);
  });
}

static Error setOutputs(Graph &graph, ArrayRef<HamKaasGraphOutput> outputs) {
  SmallVector<std::pair<StringRef, uint32_t>> named;
  for (const HamKaasGraphOutput &output : outputs) {
    if (Error error = checkText(output.name, "the name of an output"))
      return error;
    auto place = graph.find(
        output.value, "output " + graph::quote(output.name) + " to be a value");
    if (!place)
      return place.takeError();
    named.emplace_back(output.name, *place);
  }
  return graph.graph.setOutputs(named);
}

HamKaasError HamKaasGraphSetOutputs(HamKaasGraph *graph,
                                    const HamKaasGraphOutput *outputs,
                                    int32_t outputCount) {
  if (outputCount < 0 || (outputCount > 0 && !outputs))
    return fromError(createStringError(
        "expected 0 or more outputs, got " +
        (outputCount < 0 ? Twine(outputCount) : Twine("null"))));
  return withGraph(graph, {nullptr, 0}, [&](Graph &graph, Location) {
    return setOutputs(graph, ArrayRef(outputs, outputCount));
  });
}

/// The graph as it is now, for any context: a compilation has one of its own,
/// so that it neither waits for other calls nor reports what they do.
static Expected<ModelSource> snapshot(HamKaasGraph *handle) {
  LockedGraph graph(handle);
  if (!graph)
    return graph.explain();
  ModelSource source;
  if (Error error = graph->graph.contents().moveInto(source.parameters))
    return std::move(error);
  auto module = graph->graph.finish();
  if (!module)
    return module.takeError();
  llvm::raw_string_ostream stream(source.text);
  if (failed(writeBytecodeToFile(*module, stream)))
    return createStringError("cannot write the bytecode of the graph");
  source.isBytecode = true;
  return source;
}

HamKaasError HamKaasGraphCompile(HamKaasGraph *graph,
                                 const HamKaasCompileOptions *options,
                                 HamKaasModel **model) {
  return giveModel(options, model,
                   [&](const HamKaasCompileOptions &known,
                       CompileNotes &notes) -> Expected<HamKaasModel *> {
                     auto source = snapshot(graph);
                     if (!source)
                       return source.takeError();
                     if (Error error = applyOptions(known, *source))
                       return std::move(error);
                     if (source->name.empty())
                       source->name = source->file = "model";
                     return compile(std::move(*source), known, notes);
                   });
}

static Error describe(HamKaasGraph *handle, int32_t description,
                      llvm::raw_ostream &stream) {
  if (description != HamKaasDescribeScript &&
      description != HamKaasDescribeGraph)
    return createStringError("expected HamKaasDescribeScript or "
                             "HamKaasDescribeGraph, got " +
                             Twine(description));
  LockedGraph graph(handle);
  if (!graph)
    return graph.explain();
  auto module = graph->graph.finish();
  if (!module)
    return module.takeError();
  if (description == HamKaasDescribeGraph) {
    module->print(stream);
    return Error::success();
  }
  DiagnosticText diagnostics(graph->context.get());
  return succeeded(exportScript(*module, stream)) ? Error::success()
                                                  : diagnostics.take();
}

HamKaasError HamKaasGraphDescribe(HamKaasGraph *graph, int32_t description,
                                  char **text) {
  if (!text)
    return noPlace("the text");
  *text = nullptr;
  std::string described;
  llvm::raw_string_ostream stream(described);
  if (Error error = describe(graph, description, stream))
    return fromError(std::move(error));
  *text = copyText(described);
  return *text ? nullptr
               : fromError(createStringError("out of memory for a text"));
}
