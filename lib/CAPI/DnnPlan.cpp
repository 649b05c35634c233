//===- DnnPlan.cpp - Programs of graphs of nodes ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DnnPlan.h"
#include "Compilation.h"
#include "HamKaas/Engine/EngineRules.h"
#include "HamKaas/Frontend/Dnn/LowerGraph.h"
#include "HamKaas/Frontend/Dnn/StatusError.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "HamKaas/Support/Errors.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using nodes::makeError;

Expected<std::shared_ptr<const DnnGraph>>
capi::makeDnnGraph(nodes::NodeGraph graph) {
  auto made = std::make_shared<DnnGraph>();
  made->graph = std::move(graph);
  if (Error error = prepareGraph(made->graph))
    return std::move(error);
  MLIRContext context(nodes::getLoweringRegistry(),
                      MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  DiagnosticText diagnostics(&context);
  auto lowered = lowerGraph(made->graph, &context);
  if (!lowered)
    return lowered.takeError();
  llvm::raw_string_ostream stream(made->bytecode);
  if (failed(writeBytecodeToFile(*lowered->module, stream)))
    return makeError(HamKaasDnnInternalError,
                     "cannot write the bytecode of the graph");
  made->parameters = std::move(lowered->parameters);
  return made;
}

//===----------------------------------------------------------------------===//
// Making plans
//===----------------------------------------------------------------------===//

Expected<std::shared_ptr<DnnPlan>> DnnPlan::compile(const DnnGraph &graph,
                                                    const DnnSettings &settings,
                                                    SharedDnnHandle handle) {
  std::shared_ptr<DnnPlan> plan(new DnnPlan(std::move(handle)));
  const DnnHandle &on = *plan->owner;
  StringRef target = HamKaasDeviceTarget(on.device.c_str(), nullptr);
  if (!settings.engine.empty() && (target != "cpu" || on.device == "reference"))
    return makeError(HamKaasDnnNotSupported,
                     "engine '" + StringRef(settings.engine).split(':').first +
                         "' computes on the CPU, not on the device '" +
                         on.device + "'");
  HamKaasCompileOptions options = {};
  options.structSize = sizeof(options);
  options.name = "plan";
  options.target = target.data();
  options.noCache = on.noCache;
  options.compileThreads = on.threads;
  options.winogradError = settings.winogradError;
  options.maxWorkspace = uint64_t(settings.maxWorkspace);
  auto text = [](const std::string &text) {
    return text.empty() ? nullptr : text.c_str();
  };
  options.noOptimize = text(settings.noOptimize);
  options.precision = text(settings.precision);
  options.targetCpu = text(settings.targetCpu);
  options.engine = text(settings.engine);
  options.enginePath = text(settings.enginePath);
  ModelSource source;
  source.text = graph.bytecode;
  source.isBytecode = true;
  source.parameters = graph.parameters;
  if (Error error = toError(
          giveModel(&options, &plan->model,
                    [&](const HamKaasCompileOptions &known,
                        CompileNotes &notes) -> Expected<HamKaasModel *> {
                      if (Error error = applyOptions(known, source))
                        return std::move(error);
                      return capi::compile(std::move(source), known, notes);
                    })))
    return std::move(error);
  if (Error error = plan->createInstance())
    return std::move(error);
  return plan;
}

Expected<std::shared_ptr<DnnPlan>> DnnPlan::load(const char *path,
                                                 SharedDnnHandle handle) {
  std::shared_ptr<DnnPlan> plan(new DnnPlan(std::move(handle)));
  if (Error error = checkText(path, "a path"))
    return std::move(error);
  if (!StringRef(path).ends_with(".so"))
    return createStringError("expected the path of a plan, which ends in .so, "
                             "got '" +
                             StringRef(path) + "'");
  if (Error error = toError(HamKaasModelLoad(path, nullptr, &plan->model)))
    return std::move(error);
  if (Error error = plan->createInstance())
    return std::move(error);
  return plan;
}

DnnPlan::~DnnPlan() {
  HamKaasInstanceDestroy(instance);
  HamKaasErrorFree(HamKaasModelDestroy(model));
}

Error DnnPlan::createInstance() {
  HamKaasInstanceOptions options = {};
  options.structSize = sizeof(options);
  options.device = owner->device.c_str();
  options.threads = owner->threads;
  if (Error error = addPlaces())
    return error;
  return toError(HamKaasModelCreateInstance(model, &options, &instance));
}

Error DnnPlan::addPlaces() {
  const HamKaasProgram *program = nullptr;
  if (Error error = toError(HamKaasModelGetProgram(model, &program)))
    return error;
  for (int32_t i = 0; i < program->inputCount; ++i)
    if (Error error = addPlace(program->inputs[i], /*isResult=*/false, i))
      return error;
  for (int32_t i = 0; i < program->outputCount; ++i)
    if (Error error = addPlace(program->outputs[i], /*isResult=*/true, i))
      return error;
  llvm::sort(places,
             [](const Place &a, const Place &b) { return a.uid < b.uid; });
  for (size_t i = 1; i < places.size(); ++i)
    if (places[i].uid == places[i - 1].uid)
      return createStringError("expected the program of a plan, got one with "
                               "two tensors " +
                               Twine(places[i].uid));
  given.resize(places.size());
  inputs.resize(program->inputCount);
  outputs.resize(program->outputCount);
  return Error::success();
}

Error DnnPlan::addPlace(const HamKaasTensorInfo &tensor, bool isResult,
                        size_t index) {
  auto known = nodes::decodeName(tensor.name);
  if (!known)
    return known.takeError();
  bool hasHoles = !known->dims.empty();
  Place place = {known->uid,   isResult, index,
                 tensor.bytes, hasHoles, known->describe()};
  if (hasHoles) {
    if (owner->device != "cpu" && owner->device != "reference")
      return makeError(HamKaasDnnNotSupported,
                       known->describe() +
                           ": a result with holes between its elements is not "
                           "supported on a GPU");
    nodes::Layout layout(known->dims, known->strides);
    Scattered result = {layout.storedShape(), {}, 0, index, nullptr, {}, {}};
    result.elementBytes = rt::elementTypeSize(tensor.elementType);
    for (int64_t dim : layout.storedOrder())
      result.strides.push_back(known->strides[dim]);
    uint64_t count = tensor.bytes / result.elementBytes;
    for (int64_t dim : result.dims)
      count /= dim;
    if (count != 1)
      return createStringError(
          "expected the program of a plan, got one whose " + known->describe() +
          " has another size");
    place.bytes = layout.span() * result.elementBytes;
    result.dense.resize(tensor.bytes);
    result.position.resize(result.dims.size());
    scattered.push_back(std::move(result));
  }
  places.push_back(std::move(place));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Using plans
//===----------------------------------------------------------------------===//

std::vector<int64_t> DnnPlan::getUids() const {
  std::vector<int64_t> uids;
  for (const Place &place : places)
    uids.push_back(place.uid);
  return uids;
}

const char *DnnPlan::getEngine() const {
  const HamKaasProgram *program = nullptr;
  HamKaasErrorFree(HamKaasModelGetProgram(model, &program));
  return program && program->engineCallCount > 0
             ? program->engineCalls[0].engine
             : ownEngine.data();
}

Error DnnPlan::write(const char *path) const {
  if (!path || !StringRef(path).ends_with(".so"))
    return createStringError("expected a path that ends in .so, got " +
                             (path ? "'" + Twine(path) + "'" : Twine("null")));
  return toError(HamKaasModelWrite(model, path, nullptr));
}

Expected<std::string> DnnPlan::describe(int32_t description) const {
  char *text = nullptr;
  if (Error error = toError(HamKaasModelDescribe(model, description, &text)))
    return std::move(error);
  std::string copy = text;
  HamKaasTextFree(text);
  return copy;
}

Error DnnPlan::bind(const int64_t *uids, void *const *pointers, int64_t count) {
  llvm::fill(given, nullptr);
  for (int64_t i = 0; i < count; ++i) {
    auto place =
        llvm::lower_bound(places, uids[i], [](const Place &place, int64_t uid) {
          return place.uid < uid;
        });
    if (place == places.end() || place->uid != uids[i])
      return createStringError("the plan has no tensor " + Twine(uids[i]) +
                               " that a run gets an address for");
    void *&address = given[place - places.begin()];
    if (address)
      return createStringError("expected one address for " + place->name +
                               ", got two");
    if (!pointers[i])
      return makeError(HamKaasDnnNullPointer,
                       "expected an address for " + place->name + ", got null");
    address = pointers[i];
  }
  for (auto [place, address] : llvm::zip_equal(places, given)) {
    if (!address)
      return createStringError("expected an address for " + place.name +
                               ", got none");
    if (place.isResult)
      outputs[place.index] = address;
    else
      inputs[place.index] = address;
  }
  return checkOverlap();
}

// A result with holes is written when the run is over.
Error DnnPlan::checkOverlap() const {
  for (auto [place, address] : llvm::zip_equal(places, given)) {
    if (!place.isResult || place.hasHoles)
      continue;
    auto begin = reinterpret_cast<uintptr_t>(address);
    for (auto [other, otherAddress] : llvm::zip_equal(places, given)) {
      auto otherBegin = reinterpret_cast<uintptr_t>(otherAddress);
      bool isApart = begin + place.bytes <= otherBegin ||
                     otherBegin + other.bytes <= begin;
      if (&other != &place && !isApart)
        return createStringError("expected " + place.name + ", a result, and " +
                                 other.name + " not to share memory");
    }
  }
  return Error::success();
}

void DnnPlan::scatter(Scattered &result) {
  char *to = static_cast<char *>(result.to);
  size_t bytes = result.elementBytes;
  size_t rank = result.dims.size();
  llvm::fill(result.position, 0);
  int64_t offset = 0;
  for (size_t from = 0; from < result.dense.size(); from += bytes) {
    std::memcpy(to + offset * bytes, result.dense.data() + from, bytes);
    for (size_t dim = rank; dim-- > 0;) {
      offset += result.strides[dim];
      if (++result.position[dim] < result.dims[dim])
        break;
      offset -= result.dims[dim] * result.strides[dim];
      result.position[dim] = 0;
    }
  }
}

Error DnnPlan::run(const int64_t *uids, void *const *pointers, int64_t count) {
  std::unique_lock<std::mutex> lock(running, std::try_to_lock);
  if (!lock)
    return makeError(HamKaasDnnExecutionFailed,
                     "the plan is running, and runs one call at a time");
  if (Error error = bind(uids, pointers, count))
    return error;
  // The program writes results with holes to memory of the plan.
  for (Scattered &result : scattered) {
    result.to = outputs[result.index];
    outputs[result.index] = result.dense.data();
  }
  if (HamKaasError error =
          HamKaasInstanceRun(instance, inputs.data(), outputs.data()))
    return makeError(HamKaasDnnExecutionFailed,
                     toString(toError(HamKaasError(error))));
  for (Scattered &result : scattered)
    scatter(result);
  return Error::success();
}
