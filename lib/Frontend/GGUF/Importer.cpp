//===- Importer.cpp - From a GGUF file to a graph ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Config.h"
#include "Decoder.h"
#include "HamKaas/Frontend/GGUF/GGUF.h"
#include "Weights.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gguf;
using hamkaas::graph::Certainty;
using hamkaas::graph::Diagnostics;
using hamkaas::graph::UserGraph;

bool hamkaas::isGgufModel(StringRef content) {
  return rt::isGguf(content.data(), content.size());
}

/// Builds the graph of a checked model.
static llvm::Error buildGraph(const Config &config, const Weights &weights,
                              UserGraph &graph, Diagnostics &diagnostics,
                              Location location, GgufModel &model) {
  Decoder decoder(config, weights, graph, diagnostics, location);
  if (llvm::Error error = decoder.addCaches())
    return error;
  if (llvm::Error error = decoder.addPrefill())
    return error;
  if (llvm::Error error = decoder.addDecode())
    return error;
  if (auto finished = graph.finish(); !finished)
    return finished.takeError();
  if (llvm::Error error = graph.contents().moveInto(model.parameters))
    return error;
  model.module = graph.take();
  return llvm::Error::success();
}

GgufModel hamkaas::importGguf(StringRef content, StringRef name,
                              MLIRContext *context,
                              const GgufImportOptions &options) {
  auto location = FileLineColLoc::get(context, name, 0, 0);
  rt::GgufFile file;
  if (rt::Error error = file.parse(content.data(), content.size(),
                                   "expected a whole GGUF file, got")) {
    emitError(location, error.message());
    return {};
  }
  Diagnostics diagnostics(location);
  UserGraph graph(context);
  Weights weights(file, graph, diagnostics);
  Config config = readConfig(file, options, diagnostics);
  if (!diagnostics.hasErrors())
    weights.addAll(config, location);
  GgufModel model;
  if (!diagnostics.hasErrors())
    if (llvm::Error error =
            buildGraph(config, weights, graph, diagnostics, location, model))
      diagnostics.modelError(llvm::toString(std::move(error)));
  diagnostics.emitErrors(Certainty::Open);
  return model;
}
