//===- ReferenceProgram.cpp - The interpreter as a program ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Run/ReferenceProgram.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Interpreter/Interpreter.h"
#include "HamKaas/Program/CollectProgramInfo.h"
#include "HamKaas/Program/Descriptor.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Runtime/Instance/Instance.h"
#include "HamKaas/Support/DiagnosticText.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// The interpreter of an instance
//===----------------------------------------------------------------------===//

namespace {

/// The context of a device.
struct Session {
  const HamKaasProgram &program;
  ModuleOp graph;
  std::shared_ptr<void> owner;
  /// Made in the first run, because only then the constants are there.
  std::optional<Interpreter> interpreter;

  void prepare(const void *const *from, void *constants);
  rt::Error run(const void *const *inputs, void *const *outputs,
                const void *constants, void *state);

private:
  FailureOr<ReferenceTensor> read(const HamKaasTensorInfo &tensor,
                                  const void *from);
  LogicalResult loadState(const void *state);
  void storeState(void *state);
  LogicalResult createInterpreter(const void *constants);
  LogicalResult interpret(const void *const *inputs, void *const *outputs,
                          const void *constants, void *state);
};

} // namespace

static ArrayRef<HamKaasTensorInfo> toArray(const HamKaasTensorInfo *tensors,
                                           int32_t count) {
  return ArrayRef(tensors, count);
}

static bool isParameter(ml_program::GlobalOp global) {
  return isa_and_nonnull<ml_program::ExternAttr>(
      global.getValue().value_or(nullptr));
}

static const char *at(const void *region, const HamKaasTensorInfo &tensor) {
  return static_cast<const char *>(region) + tensor.offset;
}

FailureOr<ReferenceTensor> Session::read(const HamKaasTensorInfo &tensor,
                                         const void *from) {
  RankedTensorType type = makeTensorType(graph.getContext(), tensor.elementType,
                                         ArrayRef(tensor.shape, tensor.rank));
  if (!ReferenceTensor::canAllocate(type))
    return graph.emitError("cannot allocate ")
           << tensor.bytes << " bytes for '" << tensor.name << "'";
  ReferenceTensor value(type);
  getElementType(tensor.elementType).decode(from, value);
  return value;
}

/// The states' globals, in the order of the program's table.
static SmallVector<ml_program::GlobalOp> getStates(ModuleOp graph) {
  return llvm::filter_to_vector(
      graph.getOps<ml_program::GlobalOp>(),
      [](ml_program::GlobalOp global) { return global.getIsMutable(); });
}

/// Writes the contents that states hold, one element of equal ones. Contents
/// from outside are parameters.
static void writeContents(ModuleOp graph, const HamKaasProgram &program,
                          void *constants) {
  SmallVector<ml_program::GlobalOp> states = getStates(graph);
  for (const HamKaasInitialState &initial :
       ArrayRef(program.initialStates, program.initialStateCount)) {
    auto elements =
        dyn_cast<DenseElementsAttr>(*states[initial.state].getValue());
    if (!elements)
      continue;
    const HamKaasTensorInfo &state = program.states[initial.state];
    if (initial.bytes < state.bytes)
      elements = elements.resizeSplat(
          RankedTensorType::get({1}, elements.getElementType()));
    getElementType(state.elementType)
        .encode(getReferenceTensor(elements),
                static_cast<char *>(constants) + initial.offset);
  }
}

/// The constants are the parameters as they are, and the contents of states.
void Session::prepare(const void *const *from, void *constants) {
  writeContents(graph, program, constants);
  for (const HamKaasTensorInfo &parameter :
       toArray(program.parameters, program.parameterCount))
    std::memcpy(const_cast<char *>(at(constants, parameter)), *from++,
                parameter.bytes);
}

LogicalResult Session::createInterpreter(const void *constants) {
  llvm::StringMap<ReferenceTensor> tensors;
  for (const HamKaasTensorInfo &parameter :
       toArray(program.parameters, program.parameterCount)) {
    FailureOr<ReferenceTensor> value =
        read(parameter, at(constants, parameter));
    if (failed(value))
      return failure();
    tensors.try_emplace(parameter.name, std::move(*value));
  }
  FailureOr<Interpreter> created =
      Interpreter::create(graph, std::move(tensors), program.function);
  if (succeeded(created))
    interpreter.emplace(std::move(*created));
  return created;
}

LogicalResult Session::loadState(const void *state) {
  for (auto [global, info] : llvm::zip_equal(
           getStates(graph), toArray(program.states, program.stateCount))) {
    FailureOr<ReferenceTensor> value = read(info, at(state, info));
    if (failed(value))
      return failure();
    interpreter->setGlobal(global.getSymName(), std::move(*value));
  }
  return success();
}

void Session::storeState(void *state) {
  for (auto [global, info] : llvm::zip_equal(
           getStates(graph), toArray(program.states, program.stateCount)))
    getElementType(info.elementType)
        .encode(interpreter->getGlobal(global.getSymName()),
                const_cast<char *>(at(state, info)));
}

LogicalResult Session::interpret(const void *const *inputs,
                                 void *const *outputs, const void *constants,
                                 void *state) {
  if (!interpreter && failed(createInterpreter(constants)))
    return failure();
  if (failed(loadState(state)))
    return failure();
  SmallVector<ReferenceTensor> given, results;
  for (const HamKaasTensorInfo &input :
       toArray(program.inputs, program.inputCount)) {
    FailureOr<ReferenceTensor> value = read(input, *inputs++);
    if (failed(value))
      return failure();
    given.push_back(std::move(*value));
  }
  if (failed(interpreter->run(given, results)))
    return failure();
  for (const ReferenceTensor &result : results)
    getElementType(result.type).encode(result, *outputs++);
  storeState(state);
  return success();
}

rt::Error Session::run(const void *const *inputs, void *const *outputs,
                       const void *constants, void *state) {
  DiagnosticText diagnostics(graph.getContext());
  if (succeeded(interpret(inputs, outputs, constants, state)))
    return rt::Error();
  return rt::Error::format("%s", llvm::toString(diagnostics.take()).c_str());
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

uint64_t ReferenceProgram::place(const TensorInfo &tensor, uint64_t &region) {
  uint64_t offset = region;
  region = llvm::alignTo(region + tensor.bytes(), HAMKAAS_REGION_ALIGNMENT);
  return offset;
}

static void collectInterface(func::FuncOp main, FunctionInfo &info) {
  info.function = main.getSymName();
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
    info.inputs.push_back(getTensorInfo(
        main.getArgAttrOfType<StringAttr>(i, HamKaasDialect::nameAttrName),
        type));
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    info.outputs.push_back(getTensorInfo(
        main.getResultAttrOfType<StringAttr>(i, HamKaasDialect::nameAttrName),
        type));
}

static std::vector<HamKaasTensorInfo>
makeTable(const std::vector<TensorInfo> &tensors) {
  std::vector<HamKaasTensorInfo> table;
  for (const TensorInfo &tensor : tensors)
    table.push_back({tensor.name.c_str(), tensor.elementType,
                     int32_t(tensor.shape.size()), tensor.shape.data(),
                     tensor.bytes(), tensor.offset, /*data=*/nullptr});
  return table;
}

/// The bytes of the contents that a state holds: 0 for zeros, an element's for
/// equal ones.
static uint64_t countContents(ml_program::GlobalOp state,
                              const TensorInfo &tensor) {
  auto elements = cast<DenseElementsAttr>(*state.getValue());
  // The bytes tell -0.0 from 0.0.
  if (llvm::all_of(elements.getRawData(), [](char c) { return c == 0; }))
    return 0;
  return elements.isSplat() ? tensor.bytes() / tensor.elements()
                            : tensor.bytes();
}

void ReferenceProgram::addGlobal(ml_program::GlobalOp global) {
  TensorInfo tensor = getTensorInfo(getGlobalName(global), global.getType());
  bool isGiven = isParameter(global);
  if (isGiven) {
    info.parameters.push_back(tensor);
    info.parameters.back().offset = place(tensor, info.constantsBytes);
  }
  if (!global.getIsMutable())
    return;
  uint64_t bytes = isGiven ? tensor.bytes() : countContents(global, tensor);
  if (bytes > 0)
    info.initialStates.push_back({isGiven ? info.parameters.back().offset
                                          : place(tensor, info.constantsBytes),
                                  bytes, int32_t(info.states.size()),
                                  /*reserved=*/0});
  tensor.offset = place(tensor, info.stateBytes);
  info.states.push_back(std::move(tensor));
}

void ReferenceProgram::addFunction(func::FuncOp function) {
  auto &added = *functions.emplace_back(std::make_unique<Function>());
  collectInterface(function, added.info);
  added.inputs = makeTable(added.info.inputs);
  added.outputs = makeTable(added.info.outputs);
  HamKaasProgram &descriptor = added.descriptor;
  descriptor = describe();
  descriptor.inputs = added.inputs.data();
  descriptor.outputs = added.outputs.data();
  descriptor.inputCount = int32_t(added.inputs.size());
  descriptor.outputCount = int32_t(added.outputs.size());
  descriptor.function = added.info.function.c_str();
  table.push_back(&descriptor);
}

HamKaasProgram ReferenceProgram::describe() const {
  HamKaasProgram descriptor = {};
  descriptor.structSize = sizeof(descriptor);
  descriptor.version = HAMKAAS_PROGRAM_VERSION;
  descriptor.isaLevel = HamKaasIsaX86_64_V1;
  descriptor.name = info.name.c_str();
  descriptor.targetCpu = "reference";
  descriptor.compiler = compilerVersion().data();
  descriptor.parameters = parameters.data();
  descriptor.states = states.data();
  descriptor.parameterCount = int32_t(parameters.size());
  descriptor.stateCount = int32_t(states.size());
  descriptor.initialStates = info.initialStates.data();
  descriptor.initialStateCount = int32_t(info.initialStates.size());
  descriptor.constantsBytes = info.constantsBytes;
  descriptor.stateBytes = info.stateBytes;
  return descriptor;
}

ReferenceProgram::ReferenceProgram(ModuleOp graph, StringRef name,
                                   const ParameterContents *contents) {
  info.name = name;
  for (auto global : graph.getOps<ml_program::GlobalOp>())
    addGlobal(global);
  parameters = makeTable(info.parameters);
  for (HamKaasTensorInfo &parameter : parameters)
    if (contents)
      parameter.data = contents->lookup(parameter.name).data();
  states = makeTable(info.states);
  for (auto function : graph.getOps<func::FuncOp>())
    addFunction(function);
  for (const std::unique_ptr<Function> &function : functions) {
    function->descriptor.functions = table.data();
    function->descriptor.functionCount = int32_t(table.size());
  }
}

const HamKaasProgram &ReferenceProgram::program(StringRef function) const {
  for (const HamKaasProgram *program : table)
    if (function.empty() || program->function == function)
      return *program;
  llvm_unreachable("expected the name of a function");
}

rt::Device ReferenceProgram::createDevice(const HamKaasProgram &program,
                                          ModuleOp graph,
                                          std::shared_ptr<void> owner) {
  rt::Device device = {};
  device.name = "reference";
  device.context = new Session{program, graph, std::move(owner), std::nullopt};
  device.createForFunction = [](const rt::Device &device,
                                const HamKaasProgram &function,
                                rt::Device &created) {
    auto *session = static_cast<Session *>(device.context);
    created = createDevice(function, session->graph, session->owner);
    return rt::Error();
  };
  device.allocate = [](void *, uint64_t bytes, rt::Error &) -> void * {
    return std::aligned_alloc(HAMKAAS_REGION_ALIGNMENT,
                              llvm::alignTo(bytes, HAMKAAS_REGION_ALIGNMENT));
  };
  device.release = [](void *, void *memory) { std::free(memory); };
  device.copy = [](void *, void *to, const void *from, uint64_t bytes) {
    std::memcpy(to, from, bytes);
    return rt::Error();
  };
  device.copyToCaller = device.copy;
  device.zero = [](void *, void *memory, uint64_t bytes) {
    std::memset(memory, 0, bytes);
    return rt::Error();
  };
  device.prepare = [](rt::Instance &instance, const void *const *parameters,
                      void *) {
    static_cast<Session *>(instance.device.context)
        ->prepare(parameters, instance.constants->memory);
    return rt::Error();
  };
  device.run = [](rt::Instance &instance, const void *const *inputs,
                  void *const *outputs) {
    return static_cast<Session *>(instance.device.context)
        ->run(inputs, outputs, instance.constants->memory,
              instance.state->memory);
  };
  // Nothing goes on beside a run.
  device.synchronise = [](void *) { return rt::Error(); };
  device.destroy = [](void *context) {
    delete static_cast<Session *>(context);
  };
  return device;
}
