//===- ProgramCode.cpp - Compiled code and what is known of it --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/ProgramCode.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace hamkaas {
namespace {

constexpr size_t wordSize = sizeof(uint64_t);

/// Appends values to bytes.
struct Saver {
  std::string &bytes;

  bool word(uint64_t &value) {
    char encoded[wordSize];
    support::endian::write64le(encoded, value);
    bytes.append(encoded, wordSize);
    return true;
  }
  bool count(size_t size, size_t /*elementSize*/, uint64_t &value) {
    value = size;
    return word(value);
  }
  bool text(std::string &value) {
    uint64_t size = value.size();
    word(size);
    bytes += value;
    return true;
  }
};

/// Takes values from bytes; false where there are too few.
struct Loader {
  StringRef bytes;

  bool word(uint64_t &value) {
    if (bytes.size() < wordSize)
      return false;
    value = support::endian::read64le(bytes.data());
    bytes = bytes.drop_front(wordSize);
    return true;
  }
  bool count(size_t, size_t elementSize, uint64_t &value) {
    return word(value) && value <= bytes.size() / elementSize;
  }
  bool text(std::string &value) {
    uint64_t size = 0;
    if (!word(size) || size > bytes.size())
      return false;
    value = bytes.take_front(size).str();
    bytes = bytes.drop_front(size);
    return true;
  }
};

// Each function moves a value in both directions, so that there is one list of
// the fields. All but texts take a word at least.

template <typename Archive, typename Number>
bool transferNumber(Archive &archive, Number &number) {
  auto word = static_cast<uint64_t>(number);
  bool done = archive.word(word);
  number = static_cast<Number>(word);
  return done;
}

template <typename Archive, typename... Numbers>
bool transferNumbers(Archive &archive, Numbers &...numbers) {
  return (transferNumber(archive, numbers) && ...);
}

template <typename Archive, typename... Texts>
bool transferTexts(Archive &archive, Texts &...texts) {
  return (archive.text(texts) && ...);
}

template <typename Archive, typename Element, typename Transfer>
bool transferList(Archive &archive, std::vector<Element> &list,
                  Transfer transfer) {
  uint64_t count = 0;
  if (!archive.count(list.size(), wordSize, count))
    return false;
  list.resize(count);
  for (Element &element : list)
    if (!transfer(element))
      return false;
  return true;
}

template <typename Archive>
bool transferTensors(Archive &archive, std::vector<TensorInfo> &tensors) {
  return transferList(archive, tensors, [&](TensorInfo &tensor) {
    return archive.text(tensor.name) &&
           transferNumbers(archive, tensor.elementType, tensor.offset) &&
           transferList(archive, tensor.shape, [&](int64_t &size) {
             return transferNumber(archive, size);
           });
  });
}

template <typename Archive>
bool transferInitialStates(Archive &archive,
                           std::vector<HamKaasInitialState> &states) {
  return transferList(archive, states, [&](HamKaasInitialState &initial) {
    return transferNumbers(archive, initial.offset, initial.bytes,
                           initial.state, initial.reserved);
  });
}

template <typename Archive>
bool transferCalls(Archive &archive, std::vector<CallInfo> &calls) {
  return transferList(archive, calls, [&](CallInfo &call) {
    bool isDone = transferNumber(archive, call.step);
    forEachCallField([&](auto field) {
      if constexpr (field.isText)
        isDone = isDone && archive.text(call.*field.field);
      else
        isDone = isDone && transferNumber(archive, call.*field.field);
    });
    return isDone;
  });
}

template <typename Archive>
bool transferEngineCalls(Archive &archive, std::vector<EngineCallInfo> &calls) {
  return transferList(archive, calls, [&](EngineCallInfo &call) {
    return transferTexts(archive, call.engine, call.version, call.library,
                         call.group, call.knobs) &&
           transferNumbers(archive, call.workspaceBytes, call.packedBytes,
                           call.packs);
  });
}

template <typename Archive>
bool transferBuffers(Archive &archive, std::vector<WorkspaceBuffer> &buffers) {
  return transferList(archive, buffers, [&](WorkspaceBuffer &buffer) {
    return transferTexts(archive, buffer.ops, buffer.location) &&
           transferNumbers(archive, buffer.offset, buffer.bytes, buffer.first,
                           buffer.last, buffer.isActivation);
  });
}

template <typename Archive>
bool transferOptimizations(Archive &archive,
                           std::vector<OptimizationInfo> &optimizations) {
  return transferList(archive, optimizations, [&](OptimizationInfo &info) {
    return archive.text(info.name) &&
           transferNumbers(archive, info.removed, info.added);
  });
}

template <typename Archive>
bool transferMissed(Archive &archive, std::vector<MissedInfo> &missed) {
  return transferList(archive, missed, [&](MissedInfo &info) {
    return transferTexts(archive, info.operation, info.reason, info.location);
  });
}

template <typename Archive>
bool transferRepacked(Archive &archive, std::vector<RepackedInfo> &repacked) {
  return transferList(archive, repacked, [&](RepackedInfo &info) {
    return archive.text(info.name) &&
           transferNumbers(archive, info.times, info.bytes);
  });
}

template <typename Archive>
bool transferDevice(Archive &archive, DeviceCodeInfo &device) {
  return transferTexts(archive, device.architecture, device.precision) &&
         transferList(archive, device.machineCode,
                      [&](std::string &name) { return archive.text(name); }) &&
         transferNumbers(archive, device.waitsFrom, device.imageBytes) &&
         transferList(archive, device.kernels, [&](DeviceKernelInfo &kernel) {
           return archive.text(kernel.name) &&
                  transferNumbers(archive, kernel.argumentCount, kernel.threads,
                                  kernel.blocks, kernel.sharedBytes);
         });
}

template <typename Archive>
bool transferFunction(Archive &archive, FunctionInfo &info) {
  return archive.text(info.function) &&
         transferNumbers(archive, info.workspaceBytes,
                         info.workspaceLowerBound) &&
         transferTensors(archive, info.inputs) &&
         transferTensors(archive, info.outputs) &&
         transferCalls(archive, info.calls) &&
         transferBuffers(archive, info.buffers) &&
         transferNumbers(archive, info.recomputed.calls, info.recomputed.bytes,
                         info.recomputed.flops);
}

template <typename Archive>
bool transferInfo(Archive &archive, ProgramInfo &info) {
  return archive.text(info.targetCpu) && transferDevice(archive, info.device) &&
         transferNumbers(archive, info.isaLevel, info.runsOnCpu,
                         info.constantsBytes, info.stateBytes,
                         info.prepareWorkspaceBytes) &&
         transferFunction(archive, info) &&
         transferList(archive, info.furtherFunctions,
                      [&](FunctionInfo &function) {
                        return transferFunction(archive, function);
                      }) &&
         transferTensors(archive, info.parameters) &&
         transferTensors(archive, info.states) &&
         transferInitialStates(archive, info.initialStates) &&
         transferEngineCalls(archive, info.engineCalls) &&
         transferOptimizations(archive, info.optimizations) &&
         transferRepacked(archive, info.repacked) &&
         transferMissed(archive, info.missed);
}

template <typename Archive>
bool transferCode(Archive &archive, ProgramInfo &info,
                  std::vector<std::string> &objects) {
  return transferInfo(archive, info) &&
         transferList(archive, objects, [&](std::string &object) {
           return archive.text(object);
         });
}

} // namespace

std::string saveCode(ProgramCode &code) {
  std::vector<std::string> objects;
  for (const std::unique_ptr<MemoryBuffer> &object : code.objects)
    objects.push_back(object->getBuffer().str());
  std::string bytes;
  Saver saver{bytes};
  transferCode(saver, code.info, objects);
  return bytes;
}

std::optional<ProgramCode> loadCode(StringRef bytes) {
  ProgramCode code;
  std::vector<std::string> objects;
  Loader loader{bytes};
  if (!transferCode(loader, code.info, objects) || !loader.bytes.empty())
    return std::nullopt;
  for (StringRef object : objects)
    code.objects.push_back(MemoryBuffer::getMemBufferCopy(object, "code"));
  return code;
}

} // namespace hamkaas
