//===- Descriptor.cpp - The HamKaasProgram of a module ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/Descriptor.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Runtime/Core/Functions.h"
#include "HamKaas/Runtime/Files/Digest.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/BLAKE3.h"
#include <array>
#include <cstddef>

using namespace llvm;

namespace hamkaas {
namespace {

// A change of the layout must raise HAMKAAS_PROGRAM_VERSION.
static_assert(HAMKAAS_PROGRAM_VERSION == 9 && rt::minimalProgramSize == 264 &&
              sizeof(HamKaasProgram) == 296 &&
              sizeof(HamKaasTensorInfo) == 48 &&
              sizeof(HamKaasInitialState) == 24 &&
              sizeof(HamKaasCallInfo) == 80 &&
              sizeof(HamKaasEngineCall) == 64 &&
              sizeof(HamKaasDeviceCode) == 72);

/// offsetof for a pointer to a member.
template <typename Struct, typename Member>
size_t offsetOf(Member Struct::*member) {
  static constexpr Struct object{};
  return reinterpret_cast<const char *>(&(object.*member)) -
         reinterpret_cast<const char *>(&object);
}

/// A constant with the layout of a C structure. Members are placed by their
/// offset in the C header, what lies between them is zero; so the two
/// definitions cannot differ.
class StructConstant {
public:
  StructConstant(LLVMContext &context, size_t size)
      : context(context), size(size) {}

  /// Members come in the order of their offsets.
  void add(size_t offset, Constant *member, size_t memberSize) {
    pad(offset);
    members.push_back(member);
    end = offset + memberSize;
  }
  void addInt32(size_t offset, int64_t value) {
    add(offset, ConstantInt::getSigned(Type::getInt32Ty(context), value), 4);
  }
  void addInt64(size_t offset, uint64_t value) {
    add(offset, ConstantInt::get(Type::getInt64Ty(context), value), 8);
  }
  void addPointer(size_t offset, Constant *pointer) {
    add(offset, pointer, sizeof(void *));
  }
  Constant *finish() {
    pad(size);
    return ConstantStruct::getAnon(context, members, /*Packed=*/true);
  }

private:
  void pad(size_t offset) {
    assert(offset >= end && "members out of order");
    if (offset > end)
      members.push_back(ConstantAggregateZero::get(
          ArrayType::get(Type::getInt8Ty(context), offset - end)));
    end = offset;
  }

  LLVMContext &context;
  size_t size;
  size_t end = 0;
  SmallVector<Constant *> members;
};

class DescriptorBuilder {
public:
  DescriptorBuilder(Module &module, const ProgramInfo &info,
                    const DescriptorOptions &options)
      : module(module), context(module.getContext()), info(info),
        options(options) {}

  Error build();

private:
  Constant *null() {
    return ConstantPointerNull::get(PointerType::getUnqual(context));
  }
  Constant *text(StringRef value);
  Constant *textOrNull(StringRef value) {
    return value.empty() ? null() : text(value);
  }
  Constant *table(ArrayRef<Constant *> rows, StringRef name);
  /// A table of all functions, made with the first one's descriptor.
  Constant *sharedTable(StringRef name, function_ref<Constant *()> make) {
    Constant *&known = sharedTables[name];
    return known ? known : known = make();
  }
  Constant *privateConstant(Constant *value, StringRef name,
                            uint64_t alignment);
  Constant *shape(ArrayRef<int64_t> dimensions);
  Constant *tensor(const TensorInfo &tensor, Constant *data);
  Constant *tensors(ArrayRef<TensorInfo> list, StringRef name);
  Constant *parameters();
  Constant *initialStates();
  Constant *calls(const FunctionInfo &function);
  Constant *engineCalls();
  Constant *deviceKernels();
  GlobalVariable *deviceImage();
  Expected<Constant *> deviceCode(size_t number);
  Expected<Constant *> function(StringRef name);
  /// Of entry function `number`.
  Expected<Constant *> descriptor(size_t number);
  void addFunctionTable(StructConstant &row, const FunctionInfo &function);

  Module &module;
  LLVMContext &context;
  const ProgramInfo &info;
  const DescriptorOptions &options;
  StringMap<Constant *> texts, sharedTables;
  /// Null if the program has one function `main`.
  GlobalVariable *functionTable = nullptr;
};

Constant *DescriptorBuilder::privateConstant(Constant *value, StringRef name,
                                             uint64_t alignment) {
  auto *global = new GlobalVariable(module, value->getType(),
                                    /*isConstant=*/true,
                                    GlobalValue::PrivateLinkage, value, name);
  global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  global->setAlignment(Align(alignment));
  return global;
}

Constant *DescriptorBuilder::text(StringRef value) {
  Constant *&known = texts[value];
  if (!known)
    known = privateConstant(ConstantDataArray::getString(context, value),
                            "hamkaas.text", 1);
  return known;
}

Constant *DescriptorBuilder::table(ArrayRef<Constant *> rows, StringRef name) {
  if (rows.empty())
    return null();
  ArrayType *type = ArrayType::get(rows.front()->getType(), rows.size());
  return privateConstant(ConstantArray::get(type, rows), name,
                         alignof(HamKaasProgram));
}

Constant *DescriptorBuilder::shape(ArrayRef<int64_t> dimensions) {
  if (dimensions.empty())
    return null();
  auto values = ArrayRef<uint64_t>(
      reinterpret_cast<const uint64_t *>(dimensions.data()), dimensions.size());
  return privateConstant(ConstantDataArray::get(context, values),
                         "hamkaas.shape", alignof(int64_t));
}

Constant *DescriptorBuilder::tensor(const TensorInfo &tensor, Constant *data) {
  StructConstant row(context, sizeof(HamKaasTensorInfo));
  row.addPointer(offsetof(HamKaasTensorInfo, name), text(tensor.name));
  row.addInt32(offsetof(HamKaasTensorInfo, elementType), tensor.elementType);
  row.addInt32(offsetof(HamKaasTensorInfo, rank), tensor.shape.size());
  row.addPointer(offsetof(HamKaasTensorInfo, shape), shape(tensor.shape));
  row.addInt64(offsetof(HamKaasTensorInfo, bytes), tensor.bytes());
  row.addInt64(offsetof(HamKaasTensorInfo, offset), tensor.offset);
  row.addPointer(offsetof(HamKaasTensorInfo, data), data);
  return row.finish();
}

Constant *DescriptorBuilder::tensors(ArrayRef<TensorInfo> list,
                                     StringRef name) {
  SmallVector<Constant *> rows;
  for (const TensorInfo &info : list)
    rows.push_back(tensor(info, null()));
  return table(rows, name);
}

Constant *DescriptorBuilder::parameters() {
  SmallVector<Constant *> rows;
  for (const TensorInfo &parameter : info.parameters) {
    Constant *data = null();
    if (options.embedParameters) {
      auto *symbol = new GlobalVariable(
          module, Type::getInt8Ty(context), /*isConstant=*/true,
          GlobalValue::ExternalLinkage, /*Initializer=*/nullptr,
          parameterSymbol(rows.size()));
      symbol->setVisibility(GlobalValue::HiddenVisibility);
      data = symbol;
    }
    rows.push_back(tensor(parameter, data));
  }
  return table(rows, "hamkaas.parameters");
}

Constant *DescriptorBuilder::initialStates() {
  SmallVector<Constant *> rows;
  for (const HamKaasInitialState &initial : info.initialStates) {
    StructConstant row(context, sizeof(HamKaasInitialState));
    row.addInt64(offsetof(HamKaasInitialState, offset), initial.offset);
    row.addInt64(offsetof(HamKaasInitialState, bytes), initial.bytes);
    row.addInt32(offsetof(HamKaasInitialState, state), initial.state);
    rows.push_back(row.finish());
  }
  return table(rows, "hamkaas.initial_states");
}

Constant *DescriptorBuilder::calls(const FunctionInfo &function) {
  SmallVector<Constant *> rows;
  for (const CallInfo &call : function.calls) {
    StructConstant row(context, sizeof(HamKaasCallInfo));
    forEachCallField([&](auto field) {
      const auto &value = call.*field.field;
      if constexpr (field.isText)
        row.addPointer(offsetOf(field.member),
                       field.isOptional ? textOrNull(value) : text(value));
      else
        row.addInt64(offsetOf(field.member), value);
    });
    rows.push_back(row.finish());
  }
  return table(rows, "hamkaas.calls");
}

Constant *DescriptorBuilder::engineCalls() {
  SmallVector<Constant *> rows;
  for (const EngineCallInfo &call : info.engineCalls) {
    StructConstant row(context, sizeof(HamKaasEngineCall));
    row.addPointer(offsetof(HamKaasEngineCall, engine), text(call.engine));
    row.addPointer(offsetof(HamKaasEngineCall, version), text(call.version));
    row.addPointer(offsetof(HamKaasEngineCall, library), text(call.library));
    row.addPointer(offsetof(HamKaasEngineCall, group), text(call.group));
    row.addPointer(offsetof(HamKaasEngineCall, knobs), textOrNull(call.knobs));
    row.addInt64(offsetof(HamKaasEngineCall, workspaceBytes),
                 call.workspaceBytes);
    row.addInt64(offsetof(HamKaasEngineCall, packedBytes), call.packedBytes);
    row.addInt32(offsetof(HamKaasEngineCall, packs), call.packs);
    rows.push_back(row.finish());
  }
  return table(rows, "hamkaas.engine_calls");
}

Constant *DescriptorBuilder::deviceKernels() {
  SmallVector<Constant *> rows;
  for (const DeviceKernelInfo &kernel : info.device.kernels) {
    StructConstant row(context, sizeof(HamKaasDeviceKernel));
    row.addPointer(offsetof(HamKaasDeviceKernel, name), text(kernel.name));
    row.addInt32(offsetof(HamKaasDeviceKernel, argumentCount),
                 kernel.argumentCount);
    row.addInt32(offsetof(HamKaasDeviceKernel, threads), kernel.threads);
    row.addInt64(offsetof(HamKaasDeviceKernel, blocks), kernel.blocks);
    row.addInt32(offsetof(HamKaasDeviceKernel, sharedBytes),
                 kernel.sharedBytes);
    rows.push_back(row.finish());
  }
  return table(rows, "hamkaas.device_kernels");
}

Expected<Constant *> DescriptorBuilder::function(StringRef name) {
  if (Function *found = module.getFunction(name))
    return found;
  return createStringError("the module has no " + name);
}

GlobalVariable *DescriptorBuilder::deviceImage() {
  if (GlobalVariable *image = module.getNamedGlobal(deviceImageSymbol))
    return image;
  auto *image =
      new GlobalVariable(module, Type::getInt8Ty(context), /*isConstant=*/true,
                         GlobalValue::ExternalLinkage,
                         /*Initializer=*/nullptr, deviceImageSymbol);
  image->setVisibility(GlobalValue::HiddenVisibility);
  return image;
}

/// Null if there is none.
Expected<Constant *> DescriptorBuilder::deviceCode(size_t number) {
  if (info.device.architecture.empty())
    return null();
  Constant *run = null(), *prepare = null();
  if (Error error =
          function(getRunSymbol(deviceRunSymbol, number)).moveInto(run))
    return std::move(error);
  if (info.constantsBytes > 0)
    if (Error error = function(devicePrepareSymbol).moveInto(prepare))
      return std::move(error);
  GlobalVariable *image = deviceImage();
  StructConstant row(context, sizeof(HamKaasDeviceCode));
  row.addInt64(offsetof(HamKaasDeviceCode, structSize),
               sizeof(HamKaasDeviceCode));
  row.addPointer(offsetof(HamKaasDeviceCode, architecture),
                 text(info.device.architecture));
  row.addPointer(offsetof(HamKaasDeviceCode, image), image);
  row.addInt64(offsetof(HamKaasDeviceCode, imageBytes), info.device.imageBytes);
  row.addPointer(offsetof(HamKaasDeviceCode, kernels),
                 sharedTable("kernels", [&] { return deviceKernels(); }));
  row.addInt32(offsetof(HamKaasDeviceCode, kernelCount),
               info.device.kernels.size());
  row.addInt32(offsetof(HamKaasDeviceCode, waitsFrom), info.device.waitsFrom);
  row.addPointer(offsetof(HamKaasDeviceCode, prepare), prepare);
  row.addPointer(offsetof(HamKaasDeviceCode, run), run);
  row.addPointer(offsetof(HamKaasDeviceCode, precision),
                 text(info.device.precision));
  return privateConstant(row.finish(), "hamkaas.device_code",
                         alignof(HamKaasDeviceCode));
}

/// The members that the functions of a program do not share.
void DescriptorBuilder::addFunctionTable(StructConstant &row,
                                         const FunctionInfo &function) {
  row.addPointer(offsetof(HamKaasProgram, function), text(function.function));
  row.addPointer(offsetof(HamKaasProgram, functions), functionTable);
  row.addInt32(offsetof(HamKaasProgram, functionCount),
               info.functions().size());
}

Expected<Constant *> DescriptorBuilder::descriptor(size_t number) {
  const FunctionInfo &current = *info.functions()[number];
  Constant *run = null(), *prepare = null(), *device = null();
  if (info.runsOnCpu) {
    if (Error error = function(getRunSymbol(runSymbol, number)).moveInto(run))
      return std::move(error);
    if (info.constantsBytes > 0)
      if (Error error = function(prepareSymbol).moveInto(prepare))
        return std::move(error);
  }
  if (Error error = deviceCode(number).moveInto(device))
    return std::move(error);
  size_t size = functionTable || !info.engineCalls.empty()
                    ? sizeof(HamKaasProgram)
                    : rt::minimalProgramSize;
  StructConstant row(context, size);
  row.addInt64(offsetof(HamKaasProgram, structSize), size);
  row.addInt32(offsetof(HamKaasProgram, version), HAMKAAS_PROGRAM_VERSION);
  row.addInt32(offsetof(HamKaasProgram, isaLevel), info.isaLevel);
  row.addPointer(offsetof(HamKaasProgram, name), text(info.name));
  row.addPointer(offsetof(HamKaasProgram, targetCpu), text(info.targetCpu));
  row.addPointer(offsetof(HamKaasProgram, compiler), text(compilerVersion()));
  row.add(offsetof(HamKaasProgram, digest),
          ConstantDataArray::get(context, ArrayRef<uint8_t>(info.digest)),
          sizeof(HamKaasProgram::digest));
  row.addPointer(offsetof(HamKaasProgram, inputs),
                 tensors(current.inputs, "hamkaas.inputs"));
  row.addPointer(offsetof(HamKaasProgram, outputs),
                 tensors(current.outputs, "hamkaas.outputs"));
  row.addPointer(offsetof(HamKaasProgram, parameters),
                 sharedTable("parameters", [&] { return parameters(); }));
  row.addPointer(offsetof(HamKaasProgram, states), sharedTable("states", [&] {
                   return tensors(info.states, "hamkaas.states");
                 }));
  row.addPointer(offsetof(HamKaasProgram, calls), calls(current));
  row.addInt32(offsetof(HamKaasProgram, inputCount), current.inputs.size());
  row.addInt32(offsetof(HamKaasProgram, outputCount), current.outputs.size());
  row.addInt32(offsetof(HamKaasProgram, parameterCount),
               info.parameters.size());
  row.addInt32(offsetof(HamKaasProgram, stateCount), info.states.size());
  row.addInt32(offsetof(HamKaasProgram, callCount), current.calls.size());
  row.addInt64(offsetof(HamKaasProgram, constantsBytes), info.constantsBytes);
  row.addInt64(offsetof(HamKaasProgram, stateBytes), info.stateBytes);
  row.addInt64(offsetof(HamKaasProgram, workspaceBytes),
               current.workspaceBytes);
  row.addInt64(offsetof(HamKaasProgram, workspaceLowerBound),
               current.workspaceLowerBound);
  row.addInt64(offsetof(HamKaasProgram, prepareWorkspaceBytes),
               info.prepareWorkspaceBytes);
  row.addPointer(offsetof(HamKaasProgram, weightsFile),
                 textOrNull(options.weightsFile));
  row.addPointer(offsetof(HamKaasProgram, prepare), prepare);
  row.addPointer(offsetof(HamKaasProgram, run), run);
  row.addPointer(offsetof(HamKaasProgram, deviceCode), device);
  row.addInt64(offsetof(HamKaasProgram, weightsBytes), options.weightsBytes);
  row.add(
      offsetof(HamKaasProgram, weightsDigest),
      ConstantDataArray::get(context, ArrayRef<uint8_t>(options.weightsDigest)),
      sizeof(HamKaasProgram::weightsDigest));
  row.addPointer(
      offsetof(HamKaasProgram, initialStates),
      sharedTable("initial states", [&] { return initialStates(); }));
  row.addInt32(offsetof(HamKaasProgram, initialStateCount),
               info.initialStates.size());
  if (functionTable)
    addFunctionTable(row, current);
  if (!info.engineCalls.empty()) {
    row.addInt32(offsetof(HamKaasProgram, engineCallCount),
                 info.engineCalls.size());
    row.addPointer(offsetof(HamKaasProgram, engineCalls),
                   sharedTable("engine calls", [&] { return engineCalls(); }));
  }
  return row.finish();
}

Error DescriptorBuilder::build() {
  // Two programs do not meet.
  for (GlobalValue &value : module.global_values())
    if (value.hasExternalLinkage() && !value.isDeclaration())
      value.setLinkage(GlobalValue::InternalLinkage);
  std::vector<const FunctionInfo *> functions = info.functions();
  auto *tableType =
      ArrayType::get(PointerType::getUnqual(context), functions.size());
  if (functions.size() > 1 || info.function != mainName)
    functionTable = new GlobalVariable(
        module, tableType, /*isConstant=*/true, GlobalValue::PrivateLinkage,
        /*Initializer=*/nullptr, "hamkaas.functions");
  SmallVector<Constant *> programs;
  for (size_t i = 0; i < functions.size(); ++i) {
    Constant *value = nullptr;
    if (Error error = descriptor(i).moveInto(value))
      return error;
    auto *global = new GlobalVariable(
        module, value->getType(), /*isConstant=*/true,
        i == 0 ? GlobalValue::ExternalLinkage : GlobalValue::PrivateLinkage,
        value, i == 0 ? HAMKAAS_PROGRAM_SYMBOL : "hamkaas.program");
    global->setAlignment(Align(alignof(HamKaasProgram)));
    programs.push_back(global);
  }
  if (functionTable)
    functionTable->setInitializer(ConstantArray::get(tableType, programs));
  return Error::success();
}

} // namespace

StringRef compilerVersion() { return "HamKaas " HAMKAAS_VERSION; }

std::array<uint8_t, 32> sourceDigest(StringRef source, unsigned threads) {
  // Of the weights of an ONNX model, too, which may be gigabytes.
  rt::Digest digest;
  rt::Error error =
      rt::computeDigest(source.data(), source.size(), int32_t(threads), digest);
  // There is no memory for threads.
  if (error)
    return BLAKE3::hash<32>(arrayRefFromStringRef(source));
  return std::to_array(digest.bytes);
}

std::string parameterSymbol(size_t index) {
  return "hamkaas_parameter_" + std::to_string(index);
}

Error addProgramDescriptor(Module &module, const ProgramInfo &info,
                           const DescriptorOptions &options) {
  return DescriptorBuilder(module, info, options).build();
}

} // namespace hamkaas
