//===- Runner.cpp - One way to run a model, whatever the device -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Runner.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Driver/CollectProgramInfo.h"
#include "HamKaas/Driver/DiagnosticText.h"
#include "HamKaas/Driver/Errors.h"
#include "HamKaas/Driver/Tensors.h"
#include "HamKaas/Driver/Weights.h"
#include "HamKaas/Interpreter/Interpreter.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"

using namespace mlir;
using namespace hamkaas;

Runner::~Runner() = default;

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {

class ProgramRunner : public Runner {
public:
  ProgramRunner(const HamKaasProgram &program, MLIRContext *context)
      : callCount(program.callCount) {
    declare(program.inputs, program.inputCount, context, inputDeclarations);
    declare(program.outputs, program.outputCount, context, outputDeclarations);
  }
  ~ProgramRunner() override { HamKaasInstanceDestroy(instance); }

  llvm::Error create(const HamKaasProgram &program,
                     const RunnerOptions &options) {
    HamKaasInstanceOptions instanceOptions = {};
    instanceOptions.structSize = sizeof(instanceOptions);
    instanceOptions.threads = options.threads;
    instanceOptions.profile = options.profile;
    if (!options.weightsFile.empty())
      instanceOptions.weightsFile = options.weightsFile.c_str();
    return toError(
        HamKaasInstanceCreate(&program, &instanceOptions, &instance));
  }

  llvm::Error run(ArrayRef<ReferenceTensor> inputs,
                  MutableArrayRef<ReferenceTensor> outputs) override {
    SmallVector<const void *> inputData;
    SmallVector<void *> outputData;
    for (const ReferenceTensor &input : inputs)
      inputData.push_back(getData(input));
    for (ReferenceTensor &output : outputs)
      outputData.push_back(getData(output));
    return toError(
        HamKaasInstanceRun(instance, inputData.data(), outputData.data()));
  }

  ArrayRef<HamKaasCallProfile> profile() const override {
    const HamKaasCallProfile *calls = HamKaasInstanceProfile(instance);
    return calls ? ArrayRef(calls, callCount) : ArrayRef<HamKaasCallProfile>();
  }

private:
  static void declare(const HamKaasTensorInfo *tensors, int32_t count,
                      MLIRContext *context,
                      SmallVectorImpl<TensorDeclaration> &declarations) {
    for (const HamKaasTensorInfo &tensor : ArrayRef(tensors, count))
      declarations.push_back(
          {tensor.name, makeTensorType(context, tensor.elementType,
                                       ArrayRef(tensor.shape, tensor.rank))});
  }

  int32_t callCount;
  HamKaasInstance *instance = nullptr;
};

} // namespace

llvm::Expected<std::unique_ptr<Runner>>
hamkaas::createProgramRunner(const HamKaasProgram &program,
                             MLIRContext *context,
                             const RunnerOptions &options) {
  auto runner = std::make_unique<ProgramRunner>(program, context);
  if (llvm::Error error = runner->create(program, options))
    return std::move(error);
  return std::unique_ptr<Runner>(std::move(runner));
}

//===----------------------------------------------------------------------===//
// Reference
//===----------------------------------------------------------------------===//

namespace {

class ReferenceRunner : public Runner {
public:
  ReferenceRunner(func::FuncOp main, Interpreter interpreter)
      : context(main.getContext()), interpreter(std::move(interpreter)) {
    for (unsigned i = 0; i < main.getNumArguments(); ++i)
      inputDeclarations.push_back(
          declare(main.getArgAttr(i, HamKaasDialect::nameAttrName),
                  main.getArgumentTypes()[i]));
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      outputDeclarations.push_back(
          declare(main.getResultAttr(i, HamKaasDialect::nameAttrName),
                  main.getResultTypes()[i]));
  }

  llvm::Error run(ArrayRef<ReferenceTensor> inputs,
                  MutableArrayRef<ReferenceTensor> outputs) override {
    DiagnosticText diagnostics(context);
    SmallVector<ReferenceTensor> results;
    if (failed(interpreter.run(inputs, results)))
      return diagnostics.take();
    std::move(results.begin(), results.end(), outputs.begin());
    return llvm::Error::success();
  }

private:
  static TensorDeclaration declare(Attribute name, Type type) {
    return {cast<StringAttr>(name).str(), cast<RankedTensorType>(type)};
  }

  MLIRContext *context;
  Interpreter interpreter;
};

} // namespace

/// Reads the parameters of `graph` as the runtime would those of a program.
static llvm::Expected<llvm::StringMap<ReferenceTensor>>
readParameters(ModuleOp graph, const RunnerOptions &options) {
  ProgramInfo model;
  model.name = options.name;
  SmallVector<RankedTensorType> types;
  for (auto global : graph.getOps<ml_program::GlobalOp>()) {
    if (!isa_and_nonnull<ml_program::ExternAttr>(
            global.getValue().value_or(nullptr)))
      continue;
    types.push_back(cast<RankedTensorType>(global.getType()));
    model.parameters.push_back(
        getTensorInfo(getGlobalName(global), types.back()));
  }
  auto weights = Weights::open(options.weightsFile, model);
  if (!weights)
    return weights.takeError();
  llvm::StringMap<ReferenceTensor> tensors;
  for (auto [info, type, contents] :
       llvm::zip_equal(model.parameters, types, weights->contents())) {
    if (!ReferenceTensor::canAllocate(type))
      return llvm::createStringError(
          "cannot allocate " + Twine(ReferenceTensor::getBytes(type)) +
          " bytes for parameter '" + info.name + "'");
    ReferenceTensor tensor(type);
    std::memcpy(getData(tensor), contents.data(), contents.size());
    tensors.try_emplace(info.name, std::move(tensor));
  }
  return tensors;
}

llvm::Expected<std::unique_ptr<Runner>>
hamkaas::createReferenceRunner(ModuleOp graph, const RunnerOptions &options) {
  auto parameters = readParameters(graph, options);
  if (!parameters)
    return parameters.takeError();
  DiagnosticText diagnostics(graph.getContext());
  FailureOr<Interpreter> interpreter =
      Interpreter::create(graph, std::move(*parameters));
  if (failed(interpreter))
    return diagnostics.take();
  auto main = graph.lookupSymbol<func::FuncOp>("main");
  return std::make_unique<ReferenceRunner>(main, std::move(*interpreter));
}
