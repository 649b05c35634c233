//===- Report.cpp - What a program needs and does, for people ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Report/Report.h"
#include "HamKaas/Report/ThreadScaling.h"
#include "HamKaas/Report/TrainingMemory.h"
#include "HamKaas/Support/ReportError.h"
#include "HamKaas/Support/TextTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace hamkaas;

namespace {

/// Rows of a list that the text shows.
constexpr size_t maxRows = 16;

/// The calls of one kernel.
struct KernelSummary {
  const CallInfo *first = nullptr;
  uint64_t calls = 0, flops = 0, bytes = 0;
};

} // namespace

/// "3,211,264"
static std::string formatCount(uint64_t value) {
  return llvm::formatv("{0:N0}", value).str();
}

/// "12.5 %", empty where there is no whole.
static std::string formatShare(uint64_t part, uint64_t whole) {
  if (whole == 0)
    return "";
  return llvm::formatv("{0:F1} %", 100.0 * part / whole).str();
}

static void printCut(size_t rows, llvm::raw_ostream &os) {
  if (rows > maxRows)
    os << "  and " << formatCount(rows - maxRows) << " more\n";
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

static void printTensors(llvm::StringRef title,
                         const std::vector<TensorInfo> &tensors,
                         llvm::raw_ostream &os) {
  if (tensors.empty())
    return;
  os << "\n" << title << "\n";
  TextTable table("llr");
  for (const TensorInfo &tensor : llvm::ArrayRef(tensors).take_front(maxRows))
    table.addRow({tensor.name, formatType(tensor.elementType, tensor.shape),
                  formatCount(tensor.bytes()) + " bytes"});
  table.print(os);
  printCut(tensors.size(), os);
}

std::string hamkaas::formatFamily(const CallInfo &call) {
  return call.engine.empty() ? call.family
                             : call.family + " (" + call.engine + ")";
}

static void printMemory(const ProgramInfo &info, llvm::raw_ostream &os) {
  os << "\nmemory, all of it known before the run\n";
  TextTable table("lrl");
  auto addRegion = [&](llvm::StringRef name, uint64_t bytes,
                       const llvm::Twine &meaning) {
    table.addRow({name.str(), formatCount(bytes) + " bytes", meaning.str()});
  };
  addRegion("constants", info.constantsBytes,
            info.initialStates.empty()
                ? "parameters as the kernels read them"
                : "parameters as the kernels read them, and what state holds "
                  "at first");
  addRegion("state", info.stateBytes, "kept from run to run");
  uint64_t lowerBound = 0;
  for (const FunctionInfo *function : info.functions())
    lowerBound = std::max(lowerBound, function->workspaceLowerBound);
  addRegion("workspace", info.sharedWorkspaceBytes(),
            "results between kernels; no plan needs less than " +
                llvm::Twine(formatCount(lowerBound)));
  table.print(os);
  if (info.prepareWorkspaceBytes > 0)
    os << "  loading takes " << formatCount(info.prepareWorkspaceBytes)
       << " bytes more, which are then free\n";
}

static void printTrainingMemory(const ProgramInfo &info,
                                llvm::raw_ostream &os) {
  TrainingMemory memory = getTrainingMemory(info);
  if (!memory.isTraining())
    return;
  os << "\nmemory of training, as parts of the above\n";
  TextTable table("lrl");
  auto addRow = [&](llvm::StringRef name, uint64_t bytes,
                    const llvm::Twine &meaning) {
    table.addRow({name.str(), formatCount(bytes) + " bytes", meaning.str()});
  };
  addRow("parameters", memory.parameters, "state that the step trains");
  addRow("moments", memory.moments, "state of the optimizer");
  addRow("other state", memory.otherStates, "counters, averages, generators");
  addRow("activations", memory.activations,
         "workspace kept from forward to backward, where they are most");
  addRow("other results", memory.otherWorkspace,
         "the rest of the workspace: gradients, new values of state, scratch");
  table.print(os);
}

/// The cost of --max-workspace.
static void printRecomputed(const ProgramInfo &info, llvm::raw_ostream &os) {
  for (const FunctionInfo *function : info.functions()) {
    const RecomputedInfo &recomputed = function->recomputed;
    if (recomputed.calls == 0)
      continue;
    uint64_t flops = 0;
    for (const CallInfo &call : function->calls)
      flops = llvm::SaturatingAdd(flops, call.flops);
    os << "\ncomputed again in " << function->function
       << ", not kept, for the limit of the workspace\n  "
       << formatCount(recomputed.bytes) << " bytes by "
       << formatCount(recomputed.calls) << " further calls, which are "
       << formatCount(recomputed.flops) << " FLOPs, "
       << formatShare(recomputed.flops, flops) << " of all\n";
  }
}

static void printRepacked(const ProgramInfo &info, llvm::raw_ostream &os) {
  if (info.repacked.empty())
    return;
  os << "\nparameters packed in several layouts\n";
  TextTable table("lrr");
  table.addRow({"name", "times", "together"});
  for (const RepackedInfo &repacked :
       llvm::ArrayRef(info.repacked).take_front(maxRows))
    table.addRow({repacked.name, formatCount(repacked.times),
                  formatCount(repacked.bytes) + " bytes"});
  table.print(os);
  printCut(info.repacked.size(), os);
}

/// The optimizations that changed something.
static void printOptimizations(const ProgramInfo &info, llvm::raw_ostream &os) {
  TextTable table("lrr");
  table.addRow({"name", "removed", "added"});
  bool isEmpty = true;
  for (const OptimizationInfo &optimization : info.optimizations) {
    if (optimization.removed == 0 && optimization.added == 0)
      continue;
    table.addRow({optimization.name, formatCount(optimization.removed),
                  formatCount(optimization.added)});
    isEmpty = false;
  }
  if (isEmpty)
    return;
  os << "\noptimizations of the graph, in nodes\n";
  table.print(os);
}

/// Prints near misses; those of equal layers are one row.
static void printMissed(const ProgramInfo &info, llvm::raw_ostream &os) {
  using Row = std::pair<llvm::StringRef, llvm::StringRef>;
  llvm::MapVector<Row, llvm::SmallVector<llvm::StringRef>> places;
  for (const MissedInfo &missed : info.missed)
    places[{missed.operation, missed.reason}].push_back(missed.location);
  if (places.empty())
    return;
  os << "\nnot recognised, for one condition\n";
  TextTable table("lrll");
  table.addRow({"operation", "times", "condition", "source"});
  for (const auto &[row, locations] :
       llvm::ArrayRef(places.begin(), places.end()).take_front(maxRows))
    table.addRow(
        {row.first.str(), formatCount(locations.size()), row.second.str(),
         locations.front().str() + (locations.size() > 1 ? " (first)" : "")});
  table.print(os);
  printCut(places.size(), os);
}

static llvm::MapVector<llvm::StringRef, KernelSummary>
summarizeKernels(const FunctionInfo &info) {
  llvm::MapVector<llvm::StringRef, KernelSummary> kernels;
  for (const CallInfo &call : info.calls) {
    KernelSummary &kernel = kernels[call.kernel];
    if (!kernel.first)
      kernel.first = &call;
    kernel.calls =
        llvm::SaturatingAdd(kernel.calls, uint64_t(call.repetitions));
    kernel.flops = llvm::SaturatingAdd(kernel.flops, call.flops);
    kernel.bytes += call.bytes;
  }
  return kernels;
}

static void printKernels(const FunctionInfo &info, llvm::raw_ostream &os) {
  uint64_t flops = 0, bytes = 0, calls = 0;
  for (const CallInfo &call : info.calls) {
    flops = llvm::SaturatingAdd(flops, call.flops);
    bytes = llvm::SaturatingAdd(bytes, call.bytes);
    calls = llvm::SaturatingAdd(calls, uint64_t(call.repetitions));
  }
  auto kernels = summarizeKernels(info);
  os << "\nwork of a run\n  " << formatCount(flops)
     << " floating point operations (FLOPs), " << formatCount(bytes)
     << " bytes read and written, " << formatCount(calls)
     << (calls == 1 ? " call of " : " calls of ") << formatCount(kernels.size())
     << (kernels.size() == 1 ? " kernel\n" : " kernels\n");
  if (kernels.empty())
    return;

  os << "\nkernels, in the order of their first call\n";
  TextTable table("llrrrrrll");
  table.addRow({"name", "family", "calls", "FLOPs", "share", "bytes", "tiles",
                "computes", "source"});
  for (const auto &[name, kernel] :
       llvm::ArrayRef(kernels.begin(), kernels.end()).take_front(maxRows))
    table.addRow(
        {name.str(), formatFamily(*kernel.first), formatCount(kernel.calls),
         formatCount(kernel.flops), formatShare(kernel.flops, flops),
         formatCount(kernel.bytes), formatCount(kernel.first->tiles),
         kernel.first->ops,
         kernel.first->location + (kernel.calls > 1 ? " (first call)" : "")});
  table.print(os);
  printCut(kernels.size(), os);
}

static void printFunction(const FunctionInfo &info, llvm::raw_ostream &os) {
  os << "\nfunction " << info.function << ", workspace "
     << formatCount(info.workspaceBytes) << " bytes\n";
  printTensors("inputs", info.inputs, os);
  printTensors("outputs", info.outputs, os);
  printKernels(info, os);
}

void hamkaas::printReport(const ProgramInfo &info, llvm::raw_ostream &os) {
  os << info.name;
  if (std::string targets = formatTargets(info); !targets.empty())
    os << " for " << targets;
  if (info.compileSeconds > 0)
    os << llvm::formatv(", {0} in {1:F3} s",
                        info.isCached ? "from the cache" : "compiled",
                        info.compileSeconds);
  os << "\n";
  bool isOnly = info.furtherFunctions.empty();
  if (isOnly) {
    printTensors("inputs", info.inputs, os);
    printTensors("outputs", info.outputs, os);
  }
  printTensors("parameters", info.parameters, os);
  printTensors("state", info.states, os);
  printOptimizations(info, os);
  printMissed(info, os);
  printMemory(info, os);
  printTrainingMemory(info, os);
  printRecomputed(info, os);
  printRepacked(info, os);
  bool usesThreads = info.runsOnCpu && info.device.architecture.empty();
  for (const FunctionInfo *function : info.functions()) {
    if (isOnly)
      printKernels(*function, os);
    else
      printFunction(*function, os);
    if (usesThreads)
      printThreadScaling(*function, os);
  }
}

/// The largest of the buffers that are kept while most bytes of the workspace
/// are; null if there are none.
static const WorkspaceBuffer *findPeakOwner(const ProgramInfo &info) {
  std::map<int64_t, int64_t> changes;
  for (const WorkspaceBuffer &buffer : info.buffers) {
    changes[buffer.first] += buffer.bytes;
    changes[buffer.last + 1] -= buffer.bytes;
  }
  int64_t kept = 0, most = 0, peak = 0;
  for (auto [step, change] : changes) {
    kept += change;
    if (kept > most)
      std::tie(most, peak) = std::pair(kept, step);
  }
  const WorkspaceBuffer *largest = nullptr;
  for (const WorkspaceBuffer &buffer : info.buffers)
    if (buffer.first <= peak && peak <= buffer.last &&
        (!largest || buffer.bytes > largest->bytes))
      largest = &buffer;
  return largest;
}

llvm::Error hamkaas::explainWorkspace(llvm::Error error,
                                      const ProgramInfo &info) {
  if (!error || error.isA<ReportedError>())
    return error;
  std::string text = llvm::toString(std::move(error));
  const WorkspaceBuffer *owner = findPeakOwner(info);
  if (owner && llvm::StringRef(text).contains("bytes for its workspace"))
    text += "; " + std::to_string(owner->bytes) +
            " bytes of the workspace are for " + owner->ops + " (" +
            owner->location + ")";
  return llvm::createStringError(text);
}
