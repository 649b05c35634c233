//===- Model.cpp - What a handle of a model stands for ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Runtime/Core/HandleTable.h"
#include "HamKaas/Support/Errors.h"
#include "HamKaas/Training/TrainingProgram.h"
#include "OnnxModel.h"
#include "mlir/Parser/Parser.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

MappedModel::~MappedModel() { close(descriptor); }

/// MemoryBuffer::dontNeedIfMmap is posix_madvise, which in glibc frees nothing.
void MappedModel::releasePages() const {
  madvise(const_cast<char *>(contents->getBufferStart()),
          contents->getBufferSize(), MADV_DONTNEED);
}

bool MappedModel::hasChanged() const {
  llvm::sys::fs::file_status now;
  return llvm::sys::fs::status(descriptor, now) ||
         now.getSize() != status.getSize() ||
         now.getLastModificationTime() != status.getLastModificationTime();
}

llvm::Error ModelSource::checkText() const {
  if (!mapped || !mapped->hasChanged())
    return llvm::Error::success();
  return llvm::createStringError(
      "expected '" + path +
      "' as it was when the model was loaded, got a file that was written to; "
      "load it again");
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

std::shared_ptr<MLIRContext>
capi::createContext(MLIRContext::Threading threading) {
  DialectRegistry registry;
  registerDialects(registry);
  auto context = std::make_shared<MLIRContext>(registry, threading);
  // The message and the line of the model say enough.
  context->printOpOnDiagnostic(false);
  return context;
}

ParsedGraph::ParsedGraph(std::shared_ptr<MLIRContext> given)
    : context(std::move(given)),
      quiet(context.get(), [](Diagnostic &) { return success(); }),
      diagnostics(context.get()) {}

static ParsedModel readBytecode(const ModelSource &source,
                                MLIRContext *context) {
  auto module = parseSourceString<ModuleOp>(source.getText(), context);
  if (module && source.settings.unchecked)
    markUnchecked(*module);
  return {std::move(module), source.parameters};
}

/// Options of ONNX models mean nothing for others.
static llvm::Error checkOnnxOptions(const ModelSource &source) {
  if (getModelKind(source.getText()) == ModelKind::Onnx)
    return llvm::Error::success();
  for (auto [id, isGiven] :
       {std::pair(OptionId::dim, !source.dims.empty()),
        std::pair(OptionId::const_input, !source.constantInputs.empty()),
        std::pair(OptionId::external_data_root,
                  !source.settings.externalDataRoot.empty())})
    if (isGiven)
      return makeOptionError(id, "expected an ONNX model");
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<ParsedGraph>>
ParsedGraph::parse(const ModelSource &source,
                   std::shared_ptr<MLIRContext> context, CompileNotes *notes) {
  if (llvm::Error error = source.checkText())
    return std::move(error);
  std::unique_ptr<ParsedGraph> parsed(new ParsedGraph(std::move(context)));
  if (source.isBytecode) {
    parsed->graph = readBytecode(source, parsed->context.get());
    if (!parsed->graph)
      return parsed->diagnostics.take();
    if (llvm::Error error = checkTrainingOptions(source.settings))
      return std::move(error);
    if (llvm::Error error = trainModel(parsed->graph, {}, source.settings))
      return std::move(error);
    return parsed;
  }
  if (llvm::Error error = checkOnnxOptions(source))
    return std::move(error);
  parsed->sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(source.getText(), source.file), SMLoc());
  SmallVector<SourceLine> lines;
  for (const auto &[file, line] : source.lines)
    lines.push_back({file, unsigned(line)});
  if (llvm::Error error = parseAnyModel(
          parsed->sources, parsed->context.get(),
          {source.settings.unchecked, lines,
           getOnnxOptions(source, parsed->context.get()), source.settings},
          parsed->graph))
    return std::move(error);
  if (notes && parsed->graph.onnx)
    *notes = getNotes(*parsed->graph.onnx);
  if (!parsed->graph)
    return parsed->diagnostics.take();
  return parsed;
}

llvm::Error ParsedGraph::describe(llvm::Error error) {
  return llvm::handleErrors(std::move(error), [&](const ReportedError &) {
    return diagnostics.take();
  });
}

CompileOptions capi::getCompileOptions(const ModelSource &source) {
  CompileOptions options;
  static_cast<CompileSettings &>(options) = source.settings;
  options.name = source.name;
  options.source = source.getText();
  return options;
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

static constexpr rt::HandleKind modelKind = {2, "a model"};

llvm::Expected<HamKaasModel *> capi::addModel(SharedModel model) {
  auto object = std::make_unique<SharedModel>(std::move(model));
  void *handle = nullptr;
  if (llvm::Error error = toError(rt::handleTable().add(
          modelKind, object.get(),
          [](void *object) { delete static_cast<SharedModel *>(object); },
          handle)))
    return std::move(error);
  object.release();
  return static_cast<HamKaasModel *>(handle);
}

llvm::Expected<SharedModel> capi::findModel(HamKaasModel *handle) {
  rt::PinnedObject<SharedModel> model(handle, modelKind);
  if (model)
    return *model;
  return toError(model.explain());
}

llvm::Error capi::removeModel(HamKaasModel *handle) {
  if (rt::handleTable().remove(handle, modelKind))
    return llvm::Error::success();
  return toError(rt::handleTable().explain(handle, modelKind));
}
