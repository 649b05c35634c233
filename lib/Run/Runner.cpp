//===- Runner.cpp - One way to run a model, whatever the device -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Run/Runner.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Run/EmulatedProgram.h"
#include "HamKaas/Run/ReferenceProgram.h"
#include "HamKaas/Run/Tensors.h"
#include "HamKaas/Runtime/Core/Functions.h"
#include "HamKaas/Runtime/Instance/CreateInstance.h"
#include "HamKaas/Support/Errors.h"

using namespace mlir;
using namespace hamkaas;

static SmallVector<TensorDeclaration>
declare(const HamKaasTensorInfo *tensors, int32_t count, MLIRContext *context) {
  SmallVector<TensorDeclaration> declarations;
  for (const HamKaasTensorInfo &tensor : ArrayRef(tensors, count))
    declarations.push_back(
        {tensor.name, makeTensorType(context, tensor.elementType,
                                     ArrayRef(tensor.shape, tensor.rank))});
  return declarations;
}

Runner::Runner(const HamKaasProgram &program, MLIRContext *context)
    : inputDeclarations(declare(program.inputs, program.inputCount, context)),
      outputDeclarations(
          declare(program.outputs, program.outputCount, context)),
      callCount(program.callCount) {}

Runner::~Runner() { HamKaasInstanceDestroy(instance); }

llvm::Error Runner::run(ArrayRef<Tensor> inputs,
                        MutableArrayRef<Tensor> outputs) {
  SmallVector<const void *> inputData;
  SmallVector<void *> outputData;
  for (const Tensor &input : inputs)
    inputData.push_back(input.data());
  for (Tensor &output : outputs)
    outputData.push_back(output.data());
  return toError(
      HamKaasInstanceRun(instance, inputData.data(), outputData.data()));
}

StringRef Runner::device() const { return HamKaasInstanceDevice(instance); }

ArrayRef<HamKaasCallProfile> Runner::profile() const {
  const HamKaasCallProfile *calls = HamKaasInstanceProfile(instance);
  return calls ? ArrayRef(calls, callCount) : ArrayRef<HamKaasCallProfile>();
}

static HamKaasInstanceOptions toInstanceOptions(const RunnerOptions &options) {
  HamKaasInstanceOptions result = {};
  result.structSize = sizeof(result);
  result.device = options.device.c_str();
  result.threads = options.threads;
  result.profile = options.profile;
  result.unverified = options.unverified;
  if (!options.weightsFile.empty())
    result.weightsFile = options.weightsFile.c_str();
  return result;
}

/// The function of `program` that the options name.
static llvm::Expected<const HamKaasProgram &>
selectFunction(const HamKaasProgram &program, const RunnerOptions &options) {
  if (options.function.empty())
    return program;
  for (int32_t i = 0; i < rt::functionCount(program); ++i)
    if (rt::functionName(*rt::functionAt(program, i)) == options.function)
      return *rt::functionAt(program, i);
  return llvm::createStringError("the program has no function '" +
                                 options.function + "'");
}

llvm::Expected<std::unique_ptr<Runner>>
hamkaas::createProgramRunner(const HamKaasProgram &whole, MLIRContext *context,
                             const RunnerOptions &options) {
  auto selected = selectFunction(whole, options);
  if (!selected)
    return selected.takeError();
  const HamKaasProgram &program = *selected;
  std::unique_ptr<Runner> runner(new Runner(program, context));
  HamKaasInstanceOptions instanceOptions = toInstanceOptions(options);
  if (llvm::Error error = toError(
          HamKaasInstanceCreate(&program, &instanceOptions, &runner->instance)))
    return std::move(error);
  return runner;
}

llvm::Expected<std::unique_ptr<Runner>>
hamkaas::createEmulatedRunner(const HamKaasProgram &whole, MLIRContext *context,
                              const RunnerOptions &options) {
  auto selected = selectFunction(whole, options);
  if (!selected)
    return selected.takeError();
  auto emulated = EmulatedProgram::create(*selected);
  if (!emulated)
    return emulated.takeError();
  rt::Device device =
      (*emulated)->createDevice(options.threadOrder, options.productSums);
  const HamKaasProgram &descriptor = (*emulated)->program();
  std::unique_ptr<Runner> runner(new Runner(descriptor, context));
  runner->emulated = std::move(*emulated);
  if (llvm::Error error = toError(rt::createInstance(
          descriptor, toInstanceOptions(options), device, runner->instance)))
    return std::move(error);
  return runner;
}

llvm::Expected<std::unique_ptr<Runner>>
hamkaas::createReferenceRunner(ModuleOp graph, const RunnerOptions &options) {
  if (!findEntryFunction(graph, options.function))
    return llvm::createStringError("the graph has no function '" +
                                   options.function + "'");
  auto reference = std::make_unique<ReferenceProgram>(graph, options.name,
                                                      options.parameters);
  const HamKaasProgram &program = reference->program(options.function);
  rt::Device device =
      ReferenceProgram::createDevice(program, graph, /*owner=*/nullptr);
  std::unique_ptr<Runner> runner(new Runner(program, graph.getContext()));
  runner->reference = std::move(reference);
  if (llvm::Error error = toError(rt::createInstance(
          program, toInstanceOptions(options), device, runner->instance)))
    return std::move(error);
  return runner;
}
