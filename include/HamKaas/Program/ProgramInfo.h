//===- ProgramInfo.h - Facts about a compiled model -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_PROGRAMINFO_H
#define HAMKAAS_PROGRAM_PROGRAMINFO_H

#include "HamKaas/Runtime/Core/TensorType.h"
#include "hamkaas-c/Program.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace hamkaas {

/// An input, output, parameter or state tensor.
struct TensorInfo {
  std::string name;
  HamKaasElementType elementType = HamKaasFloat32;
  std::vector<int64_t> shape;
  /// Offset in the state region, in bytes (states only).
  uint64_t offset = 0;
  /// "parameter" or "moment" of a state that a training step changes, else
  /// empty. Like the caller's, no fact of a descriptor.
  std::string role = {};

  uint64_t elements() const {
    uint64_t count = 1;
    for (int64_t dimension : shape)
      count *= dimension;
    return count;
  }
  uint64_t bytes() const {
    return elements() * rt::elementTypeSize(elementType);
  }
};

/// "float32 [2, 3]"
std::string formatType(HamKaasElementType elementType,
                       const std::vector<int64_t> &shape);

/// One call of a kernel, or all of one in a loop; the fields are those of
/// HamKaasCallInfo.
struct CallInfo {
  std::string kernel;
  std::string family;
  std::string location;
  std::string ops;
  uint64_t flops = 0;
  uint64_t bytes = 0;
  int64_t tiles = 0;
  std::string check; ///< Empty if the call checks nothing.
  /// Position in the run, copies between buffers counted, too. That of a loop
  /// for the calls in it.
  int64_t step = 0;
  int64_t repetitions = 1;
  std::string engine = {}; ///< Empty, or the engine that computes it.
};

/// A field of CallInfo and its member in a descriptor.
template <typename Field, typename Member> struct CallField {
  llvm::StringLiteral name; ///< In JSON.
  Field CallInfo::*field;
  Member HamKaasCallInfo::*member;
  /// Null in a descriptor and absent from JSON if the text is empty.
  bool isOptional = false;

  static constexpr bool isText = std::is_same_v<Field, std::string>;
};

/// All of them, in the order of HamKaasCallInfo: what writes, reads, keeps or
/// prints calls goes through this list.
inline constexpr std::tuple callFields{
    CallField{"kernel", &CallInfo::kernel, &HamKaasCallInfo::kernel},
    CallField{"family", &CallInfo::family, &HamKaasCallInfo::family},
    CallField{"location", &CallInfo::location, &HamKaasCallInfo::location},
    CallField{"ops", &CallInfo::ops, &HamKaasCallInfo::ops},
    CallField{"flops", &CallInfo::flops, &HamKaasCallInfo::flops},
    CallField{"bytes", &CallInfo::bytes, &HamKaasCallInfo::bytes},
    CallField{"tiles", &CallInfo::tiles, &HamKaasCallInfo::tiles},
    CallField{"check", &CallInfo::check, &HamKaasCallInfo::check,
              /*isOptional=*/true},
    CallField{"repetitions", &CallInfo::repetitions,
              &HamKaasCallInfo::repetitions},
    CallField{"engine", &CallInfo::engine, &HamKaasCallInfo::engine,
              /*isOptional=*/true},
};

/// Calls `visit` with each of them.
template <typename Visitor> void forEachCallField(Visitor visit) {
  std::apply([&](const auto &...field) { (visit(field), ...); }, callFields);
}

/// A place in the workspace, held from the step `first` to the step `last`.
struct WorkspaceBuffer {
  std::string ops;      ///< Its first writer, "matmul+add+relu" or "copy".
  std::string location; ///< Of its first writer.
  uint64_t offset = 0;
  uint64_t bytes = 0;
  int64_t first = 0;
  int64_t last = 0;
  /// True if it is kept from the forward part of a training step to the
  /// backward part.
  bool isActivation = false;
};

/// Calls that run once more, in place of keeping their results.
struct RecomputedInfo {
  uint64_t calls = 0;
  uint64_t bytes = 0; ///< Of their results.
  uint64_t flops = 0;
};

/// The effect of one optimization on the nodes of the graph, over all its runs.
/// A node that it replaced is both removed and added.
struct OptimizationInfo {
  std::string name; ///< "canonicalize", "move-layouts"
  uint64_t removed = 0;
  uint64_t added = 0;
};

/// An operation that the graph nearly has, but for one condition.
struct MissedInfo {
  std::string operation; ///< "attention", "layer_norm"
  std::string reason;    ///< The condition that failed.
  std::string location;  ///< Of what is at fault.

  bool operator==(const MissedInfo &) const = default;
};

/// A parameter that the constants hold several times, because kernels read it
/// in several layouts.
struct RepackedInfo {
  std::string name;
  uint64_t times = 0;
  uint64_t bytes = 0; ///< Of all copies, without padding.
};

/// A kernel of the device code; the fields are those of HamKaasDeviceKernel.
struct DeviceKernelInfo {
  std::string name;
  int32_t argumentCount = 0;
  int32_t threads = 0;
  int64_t blocks = 0;
  uint32_t sharedBytes = 0;
};

/// The GPU part of a program; the fields are those of HamKaasDeviceCode.
struct DeviceCodeInfo {
  std::string architecture; ///< Empty if the program has nothing.
  std::string precision;    ///< "exact", "tf32"
  /// The architectures that there is machine code for; none if it is PTX alone.
  std::vector<std::string> machineCode;
  int32_t waitsFrom = 0;
  uint64_t imageBytes = 0;
  std::vector<DeviceKernelInfo> kernels;

  /// Returns whether tensor cores round no factors of float32.
  bool isExact() const { return precision.empty() || precision == "exact"; }
};

/// A kernel of an engine library; the fields are those of HamKaasEngineCall.
struct EngineCallInfo {
  std::string engine;
  std::string version;
  std::string library;
  std::string group;
  std::string knobs;
  uint64_t workspaceBytes = 0;
  uint64_t packedBytes = 0;
  bool packs = false;
};

/// The facts about an entry function; the fields are those of HamKaasProgram.
struct FunctionInfo {
  std::string function = "main"; ///< Its name in the model.
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  std::vector<CallInfo> calls;
  uint64_t workspaceBytes = 0;
  uint64_t workspaceLowerBound = 0;
  std::vector<WorkspaceBuffer> buffers; ///< By ascending first step.
  RecomputedInfo recomputed;
};

/// The facts about a model for descriptors, reports and headers; the fields are
/// those of HamKaasProgram. Sizes in bytes. The first entry function is the
/// base.
struct ProgramInfo : FunctionInfo {
  std::string name; ///< A C identifier.
  std::string targetCpu;
  HamKaasIsaLevel isaLevel = HamKaasIsaX86_64_V1;
  std::array<uint8_t, 32> digest = {};

  std::vector<TensorInfo> parameters;
  std::vector<TensorInfo> states;
  /// Of the states that are not zero at first.
  std::vector<HamKaasInitialState> initialStates;
  std::vector<FunctionInfo> furtherFunctions; ///< Those after the first.
  std::vector<EngineCallInfo> engineCalls;

  bool runsOnCpu = true;
  DeviceCodeInfo device;

  uint64_t constantsBytes = 0;
  uint64_t stateBytes = 0;
  uint64_t prepareWorkspaceBytes = 0;

  /// Those that ran, in the order of their first run.
  std::vector<OptimizationInfo> optimizations;
  std::vector<RepackedInfo> repacked;
  std::vector<MissedInfo> missed; ///< In the order of the graph, pass by pass.
  bool isCached = false;          ///< True if the code came from the cache.
  double compileSeconds = 0;      ///< From source to code, 0 if not measured.

  /// All entry functions in their order.
  std::vector<const FunctionInfo *> functions() const;
  std::vector<FunctionInfo *> functions();
  /// Bytes of the workspace that the functions share: of the largest one.
  uint64_t sharedWorkspaceBytes() const;
};

/// "x86-64-v3", "sm_80" or "x86-64-v3 and sm_80": what the program runs on.
/// With its precision, "sm_80 (tf32)", unless that is exact.
std::string formatTargets(const ProgramInfo &info);

/// The facts in the descriptor of a compiled model: all but `buffers`,
/// `recomputed`, the roles of states, the steps of the calls, `optimizations`,
/// `repacked`, `missed`, `isCached`, `compileSeconds` and the machine code for
/// GPUs.
ProgramInfo readProgramInfo(const HamKaasProgram &program);

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_PROGRAMINFO_H
