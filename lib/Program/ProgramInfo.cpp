//===- ProgramInfo.cpp - What a descriptor says -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/ProgramInfo.h"
#include "HamKaas/Runtime/Core/Functions.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace hamkaas;
using llvm::ArrayRef;

std::string hamkaas::formatType(HamKaasElementType elementType,
                                const std::vector<int64_t> &shape) {
  std::string text = rt::elementTypeName(elementType);
  text += " [";
  text += llvm::join(
      llvm::map_range(
          shape, [](int64_t dimension) { return std::to_string(dimension); }),
      ", ");
  return text + "]";
}

std::string hamkaas::formatTargets(const ProgramInfo &info) {
  std::string text = info.runsOnCpu ? info.targetCpu : "";
  if (!info.device.architecture.empty())
    text += (text.empty() ? "" : " and ") + info.device.architecture;
  if (!info.device.isExact())
    text += " (" + info.device.precision + ")";
  return text;
}

std::vector<const FunctionInfo *> ProgramInfo::functions() const {
  std::vector<const FunctionInfo *> all = {this};
  for (const FunctionInfo &function : furtherFunctions)
    all.push_back(&function);
  return all;
}

std::vector<FunctionInfo *> ProgramInfo::functions() {
  std::vector<FunctionInfo *> all = {this};
  for (FunctionInfo &function : furtherFunctions)
    all.push_back(&function);
  return all;
}

uint64_t ProgramInfo::sharedWorkspaceBytes() const {
  uint64_t bytes = 0;
  for (const FunctionInfo *function : functions())
    bytes = std::max(bytes, function->workspaceBytes);
  return bytes;
}

static std::vector<TensorInfo> readTensors(const HamKaasTensorInfo *tensors,
                                           int32_t count) {
  std::vector<TensorInfo> infos;
  for (const HamKaasTensorInfo &tensor : ArrayRef(tensors, count)) {
    TensorInfo info;
    info.name = tensor.name;
    info.elementType = HamKaasElementType(tensor.elementType);
    info.shape.assign(tensor.shape, tensor.shape + tensor.rank);
    info.offset = tensor.offset;
    infos.push_back(std::move(info));
  }
  return infos;
}

static CallInfo readCall(const HamKaasCallInfo &call) {
  CallInfo info;
  forEachCallField([&](auto field) {
    if constexpr (field.isText)
      info.*field.field = call.*field.member ? call.*field.member : "";
    else
      info.*field.field = call.*field.member;
  });
  return info;
}

static DeviceCodeInfo readDeviceCode(const HamKaasDeviceCode &code) {
  DeviceCodeInfo info;
  info.architecture = code.architecture;
  info.precision = code.precision ? code.precision : "exact";
  info.imageBytes = code.imageBytes;
  info.waitsFrom = code.waitsFrom;
  for (const HamKaasDeviceKernel &kernel :
       ArrayRef(code.kernels, code.kernelCount))
    info.kernels.push_back({kernel.name, kernel.argumentCount, kernel.threads,
                            kernel.blocks, kernel.sharedBytes});
  return info;
}

/// Reads what belongs to one entry function.
static void readFunction(const HamKaasProgram &program, FunctionInfo &info) {
  info.function = rt::functionName(program);
  info.inputs = readTensors(program.inputs, program.inputCount);
  info.outputs = readTensors(program.outputs, program.outputCount);
  for (const HamKaasCallInfo &call : ArrayRef(program.calls, program.callCount))
    info.calls.push_back(readCall(call));
  info.workspaceBytes = program.workspaceBytes;
  info.workspaceLowerBound = program.workspaceLowerBound;
}

static EngineCallInfo readEngineCall(const HamKaasEngineCall &call) {
  EngineCallInfo info;
  info.engine = call.engine;
  info.version = call.version;
  info.library = call.library;
  info.group = call.group;
  info.knobs = call.knobs ? call.knobs : "";
  info.workspaceBytes = call.workspaceBytes;
  info.packedBytes = call.packedBytes;
  info.packs = call.packs != 0;
  return info;
}

ProgramInfo hamkaas::readProgramInfo(const HamKaasProgram &program) {
  ProgramInfo info;
  readFunction(program, info);
  for (int32_t i = 1; i < rt::functionCount(program); ++i)
    readFunction(*rt::functionAt(program, i),
                 info.furtherFunctions.emplace_back());
  info.name = program.name;
  info.targetCpu = program.targetCpu;
  info.isaLevel = HamKaasIsaLevel(program.isaLevel);
  std::copy_n(program.digest, info.digest.size(), info.digest.begin());
  info.parameters = readTensors(program.parameters, program.parameterCount);
  info.states = readTensors(program.states, program.stateCount);
  info.initialStates.assign(program.initialStates,
                            program.initialStates + program.initialStateCount);
  info.runsOnCpu = program.run != nullptr;
  if (program.deviceCode)
    info.device = readDeviceCode(*program.deviceCode);
  for (int32_t i = 0;
       rt::hasEngineCalls(program) && i < program.engineCallCount; ++i)
    info.engineCalls.push_back(readEngineCall(program.engineCalls[i]));
  info.constantsBytes = program.constantsBytes;
  info.stateBytes = program.stateBytes;
  info.prepareWorkspaceBytes = program.prepareWorkspaceBytes;
  return info;
}
