//===- Instance.cpp - Instances of models -----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "HamKaas/Report/Report.h"
#include "HamKaas/Runtime/Instance/CreateInstance.h"
#include "HamKaas/Runtime/Instance/ProgramCheck.h"
#include "HamKaas/Support/Errors.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;

/// Keeps the model of an instance alive.
static rt::KeepAlive keep(const SharedModel &model) {
  return {[](void *context) { delete static_cast<SharedModel *>(context); },
          new SharedModel(model)};
}

/// A device that interprets the model's graph, read once more for it alone.
static llvm::Expected<rt::Device> createReferenceDevice(const Model &model) {
  if (model.isLibrary())
    return llvm::createStringError("device 'reference' interprets a graph, and "
                                   "a compiled library has none any more");
  auto parsed = ParsedGraph::parse(
      model.source, createContext(MLIRContext::Threading::DISABLED));
  if (!parsed)
    return parsed.takeError();
  std::shared_ptr<ParsedGraph> graph = std::move(*parsed);
  // The reference runs what was written, not what the optimizer made of it.
  CompileOptions compileOptions = getCompileOptions(model.source);
  compileOptions.noOptimize = "all";
  compileOptions.graphPasses.clear();
  compileOptions.checkEachPass = false;
  if (llvm::Error error = graph->describe(
          lowerModel(graph->module(), Form::Graph, compileOptions)))
    return std::move(error);
  const ReferenceProgram &program = model.reference.get(
      graph->module(), model.info.name, model.parameters.get());
  return ReferenceProgram::createDevice(program.program(), graph->module(),
                                        graph);
}

static llvm::Error createOnReference(const SharedModel &model,
                                     const HamKaasInstanceOptions &options,
                                     HamKaasInstance *&instance) {
  auto device = createReferenceDevice(*model);
  if (!device)
    return device.takeError();
  return toError(rt::createInstance(model->reference.program(), options,
                                    *device, instance, keep(model)));
}

static llvm::Error createInstance(HamKaasModel *handle,
                                  const HamKaasInstanceOptions *given,
                                  HamKaasInstance *&instance) {
  auto model = findModel(handle);
  if (!model)
    return model.takeError();
  // It reads the parameters.
  if (llvm::Error error = (*model)->source.checkText())
    return error;
  HamKaasInstanceOptions options;
  if (llvm::Error error = toError(rt::readOptions(given, options)))
    return error;
  StringRef device = options.device;
  if (device == "reference")
    return createOnReference(*model, options, instance);
  // Those of the runtime, whose own message does not know the one above.
  if (!rt::isDeviceName(options.device))
    return llvm::createStringError(
        "unknown device '" + device +
        "', expected 'cpu', 'cuda', 'cuda:N', 'best' or 'reference'");
  llvm::Error error = toError(rt::createInstance(
      &(*model)->program->program(), given, keep(*model), instance));
  // An instance on the CPU has its own copies of the parameters.
  (*model)->source.releaseText();
#ifdef __GLIBC__
  // Compiling a large model took memory and freed it.
  if ((*model)->source.mapped)
    malloc_trim(0);
#endif
  return explainWorkspace(std::move(error), (*model)->info);
}

HamKaasError HamKaasModelCreateInstance(HamKaasModel *model,
                                        const HamKaasInstanceOptions *options,
                                        HamKaasInstance **instance) {
  if (!instance)
    return noPlace("the instance");
  *instance = nullptr;
  return fromError(createInstance(model, options, *instance));
}
