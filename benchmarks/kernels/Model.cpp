//===- Model.cpp - A compiled model and its operands ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Model.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Interpreter/Interpreter.h"
#include "HamKaas/Program/Difference.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Run/Tensors.h"
#include "HamKaas/Support/Errors.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::benchmarks;

/// Largest difference from the interpreter relative to the largest value.
static constexpr double tolerance = 1e-5;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

Model::Model() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {}

Model::~Model() { HamKaasInstanceDestroy(instance); }

llvm::Expected<std::unique_ptr<Model>> Model::load(StringRef path,
                                                   StringRef targetCpu) {
  std::unique_ptr<Model> model(new Model());
  if (llvm::Error error = model->compile(path, targetCpu))
    return std::move(error);
  model->allocateOperands();
  if (llvm::Error error = model->instantiate())
    return std::move(error);
  return model;
}

llvm::Error Model::compile(StringRef path, StringRef targetCpu) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(path + ": " + buffer.getError().message());
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  graph = parseModel(sources, &context, {}).module;
  if (!graph)
    return llvm::make_error<ReportedError>();
  CompileOptions options;
  options.targetCpu = targetCpu;
  options.noCache = true;
  options.name = getModelName(path);
  if (llvm::Error error = lowerModel(*graph, Form::Graph, options))
    return error;
  OwningOpRef<ModuleOp> copy(graph->clone());
  auto compiled = compileInMemory(*copy, options);
  if (!compiled)
    return compiled.takeError();
  loaded = std::move(compiled->program);
  return llvm::Error::success();
}

static Tensor makeOperand(const HamKaasTensorInfo &info, MLIRContext *context) {
  return makeRandomTensor(makeTensorType(context, info.elementType,
                                         ArrayRef(info.shape, info.rank)),
                          info.name);
}

static ArrayRef<HamKaasTensorInfo> inputsOf(const HamKaasProgram &program) {
  return {program.inputs, size_t(program.inputCount)};
}
static ArrayRef<HamKaasTensorInfo> outputsOf(const HamKaasProgram &program) {
  return {program.outputs, size_t(program.outputCount)};
}
static ArrayRef<HamKaasTensorInfo> parametersOf(const HamKaasProgram &program) {
  return {program.parameters, size_t(program.parameterCount)};
}

void Model::allocateOperands() {
  for (const HamKaasTensorInfo &info : parametersOf(program()))
    parameters.push_back(makeOperand(info, &context));
  for (const HamKaasTensorInfo &info : inputsOf(program())) {
    inputs.push_back(makeOperand(info, &context));
    inputBuffers.push_back(allocateBuffer(info.bytes));
    void *buffer = inputBuffers.back().get();
    std::memcpy(buffer, inputs.back().data(), info.bytes);
    inputData.push_back(buffer);
  }
  for (const HamKaasTensorInfo &info : outputsOf(program())) {
    outputBuffers.push_back(allocateBuffer(info.bytes));
    outputData.push_back(outputBuffers.back().get());
  }
}

llvm::Error Model::instantiate() {
  std::vector<HamKaasNamedData> named;
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    const HamKaasTensorInfo &info = program().parameters[i];
    named.push_back({info.name, parameter.data(), info.bytes});
  }
  HamKaasInstanceOptions options = {};
  options.structSize = sizeof(options);
  options.threads = 1;
  options.parameters = named.data();
  options.parameterCount = named.size();
  return toError(HamKaasInstanceCreate(&program(), &options, &instance));
}

void Model::run() {
  HamKaasError error =
      HamKaasInstanceRun(instance, inputData.data(), outputData.data());
  // Only run-time checks of the model fail, and they did not before.
  HamKaasErrorFree(error);
}

llvm::Error Model::check() {
  if (llvm::Error error = toError(
          HamKaasInstanceRun(instance, inputData.data(), outputData.data())))
    return error;
  llvm::StringMap<ReferenceTensor> named;
  for (auto [info, tensor] :
       llvm::zip_equal(parametersOf(program()), parameters))
    named.try_emplace(info.name, decode(tensor));
  auto interpreter = Interpreter::create(*graph, std::move(named));
  SmallVector<ReferenceTensor> given, expected;
  for (const Tensor &input : inputs)
    given.push_back(decode(input));
  if (failed(interpreter) || failed(interpreter->run(given, expected)))
    return llvm::make_error<ReportedError>();
  for (auto [info, data, reference] :
       llvm::zip_equal(outputsOf(program()), outputData, expected)) {
    ReferenceTensor actual(reference.type);
    getElementType(info.elementType).decode(data, actual);
    Difference difference = compare(actual, reference);
    if (!difference.isWithin(tolerance))
      return llvm::createStringError(
          "expected the interpreter's result, got a difference of %g",
          difference.largest);
  }
  return llvm::Error::success();
}

double Model::flops() const {
  double flops = 0;
  for (const HamKaasCallInfo &call :
       ArrayRef(program().calls, program().callCount))
    flops += static_cast<double>(call.flops);
  return flops;
}

static uint64_t sumBytes(ArrayRef<HamKaasTensorInfo> tensors) {
  uint64_t bytes = 0;
  for (const HamKaasTensorInfo &tensor : tensors)
    bytes += tensor.bytes;
  return bytes;
}

uint64_t Model::parameterBytes() const {
  return sumBytes(parametersOf(program()));
}

uint64_t Model::inputBytes() const { return sumBytes(inputsOf(program())); }

uint64_t Model::outputBytes() const { return sumBytes(outputsOf(program())); }
