//===- ReportJson.cpp - What a program needs and does, for machines -------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Report/Report.h"
#include "HamKaas/Report/TrainingMemory.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace hamkaas;

/// JSON must be valid UTF-8, which names of tensors and files need not be.
static std::string makeText(const std::string &text) {
  return llvm::json::isUTF8(text) ? text : llvm::json::fixUTF8(text);
}

static void writeTensors(llvm::json::OStream &json, llvm::StringRef name,
                         const std::vector<TensorInfo> &tensors,
                         bool withOffset = false) {
  json.attributeArray(name, [&] {
    for (const TensorInfo &tensor : tensors)
      json.object([&] {
        json.attribute("name", makeText(tensor.name));
        json.attribute("type", rt::elementTypeName(tensor.elementType));
        json.attributeArray("shape", [&] {
          for (int64_t dimension : tensor.shape)
            json.value(dimension);
        });
        json.attribute("bytes", tensor.bytes());
        if (withOffset)
          json.attribute("offset", tensor.offset);
        if (!tensor.role.empty())
          json.attribute("role", tensor.role);
      });
  });
}

static void writeInitialStates(llvm::json::OStream &json,
                               const ProgramInfo &info) {
  json.attributeArray("initialStates", [&] {
    for (const HamKaasInitialState &initial : info.initialStates)
      json.object([&] {
        json.attribute("state", makeText(info.states[initial.state].name));
        json.attribute("offset", initial.offset);
        json.attribute("bytes", initial.bytes);
      });
  });
}

static void writeGpuArchs(llvm::json::OStream &json,
                          const DeviceCodeInfo &device) {
  json.attribute("gpuArch", makeText(device.architecture));
  json.attributeArray("gpuMachineCode", [&] {
    for (const std::string &name : device.machineCode)
      json.value(name);
  });
  json.attribute("precision", makeText(device.precision));
}

static void writeMemory(llvm::json::OStream &json, const ProgramInfo &info) {
  json.attributeObject("memory", [&] {
    json.attribute("constants", info.constantsBytes);
    json.attribute("state", info.stateBytes);
    json.attribute("workspace", info.sharedWorkspaceBytes());
    json.attribute("workspaceLowerBound", info.workspaceLowerBound);
    json.attribute("prepareWorkspace", info.prepareWorkspaceBytes);
  });
}

static void writeTraining(llvm::json::OStream &json, const ProgramInfo &info) {
  TrainingMemory memory = getTrainingMemory(info);
  if (!memory.isTraining())
    return;
  json.attributeObject("training", [&] {
    json.attribute("parameters", memory.parameters);
    json.attribute("moments", memory.moments);
    json.attribute("otherStates", memory.otherStates);
    json.attribute("activations", memory.activations);
    json.attribute("otherWorkspace", memory.otherWorkspace);
  });
}

static void writeRecomputed(llvm::json::OStream &json,
                            const RecomputedInfo &recomputed) {
  if (recomputed.calls == 0)
    return;
  json.attributeObject("recomputed", [&] {
    json.attribute("calls", recomputed.calls);
    json.attribute("bytes", recomputed.bytes);
    json.attribute("flops", recomputed.flops);
  });
}

static void writeCalls(llvm::json::OStream &json, const FunctionInfo &info) {
  json.attributeArray("calls", [&] {
    for (const CallInfo &call : info.calls)
      json.object([&] {
        json.attribute("step", call.step);
        forEachCallField([&](auto field) {
          const auto &value = call.*field.field;
          if constexpr (!field.isText)
            json.attribute(field.name, value);
          else if (!field.isOptional || !value.empty())
            json.attribute(field.name, makeText(value));
        });
      });
  });
}

static void writeBuffers(llvm::json::OStream &json, const FunctionInfo &info) {
  json.attributeArray("buffers", [&] {
    for (const WorkspaceBuffer &buffer : info.buffers)
      json.object([&] {
        json.attribute("ops", makeText(buffer.ops));
        json.attribute("location", makeText(buffer.location));
        json.attribute("offset", buffer.offset);
        json.attribute("bytes", buffer.bytes);
        json.attribute("first", buffer.first);
        json.attribute("last", buffer.last);
      });
  });
}

static void writeOptimizations(llvm::json::OStream &json,
                               const ProgramInfo &info) {
  json.attributeArray("optimizations", [&] {
    for (const OptimizationInfo &optimization : info.optimizations)
      json.object([&] {
        json.attribute("name", makeText(optimization.name));
        json.attribute("removed", optimization.removed);
        json.attribute("added", optimization.added);
      });
  });
}

static void writeMissed(llvm::json::OStream &json, const ProgramInfo &info) {
  json.attributeArray("missed", [&] {
    for (const MissedInfo &missed : info.missed)
      json.object([&] {
        json.attribute("operation", makeText(missed.operation));
        json.attribute("reason", makeText(missed.reason));
        json.attribute("location", makeText(missed.location));
      });
  });
}

static void writeRepacked(llvm::json::OStream &json, const ProgramInfo &info) {
  if (info.repacked.empty())
    return;
  json.attributeArray("repacked", [&] {
    for (const RepackedInfo &repacked : info.repacked)
      json.object([&] {
        json.attribute("name", makeText(repacked.name));
        json.attribute("times", repacked.times);
        json.attribute("bytes", repacked.bytes);
      });
  });
}

static void writeWork(llvm::json::OStream &json, const FunctionInfo &info) {
  uint64_t flops = 0, bytes = 0;
  for (const CallInfo &call : info.calls) {
    flops += call.flops;
    bytes += call.bytes;
  }
  json.attribute("flops", flops);
  json.attribute("bytes", bytes);
  writeRecomputed(json, info.recomputed);
  writeCalls(json, info);
  writeBuffers(json, info);
}

/// All functions of a program of several, beside the first one's members of the
/// program itself.
static void writeFunctions(llvm::json::OStream &json, const ProgramInfo &info) {
  if (info.furtherFunctions.empty())
    return;
  json.attributeArray("functions", [&] {
    for (const FunctionInfo *function : info.functions())
      json.object([&] {
        json.attribute("name", makeText(function->function));
        writeTensors(json, "inputs", function->inputs);
        writeTensors(json, "outputs", function->outputs);
        json.attribute("workspace", function->workspaceBytes);
        json.attribute("workspaceLowerBound", function->workspaceLowerBound);
        writeWork(json, *function);
      });
  });
}

void hamkaas::printReportJson(const ProgramInfo &info, llvm::raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("name", makeText(info.name));
    json.attribute("targetCpu", makeText(info.targetCpu));
    if (!info.device.architecture.empty())
      writeGpuArchs(json, info.device);
    json.attribute("digest", llvm::toHex(info.digest, /*LowerCase=*/true));
    json.attribute("compileSeconds", info.compileSeconds);
    json.attribute("cached", info.isCached);
    writeTensors(json, "inputs", info.inputs);
    writeTensors(json, "outputs", info.outputs);
    writeTensors(json, "parameters", info.parameters);
    writeTensors(json, "states", info.states, /*withOffset=*/true);
    if (!info.initialStates.empty())
      writeInitialStates(json, info);
    writeOptimizations(json, info);
    writeMissed(json, info);
    writeMemory(json, info);
    writeTraining(json, info);
    writeRepacked(json, info);
    writeWork(json, info);
    writeFunctions(json, info);
  });
  os << "\n";
}
