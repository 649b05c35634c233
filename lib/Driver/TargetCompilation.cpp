//===- TargetCompilation.cpp - A graph for one target -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetCompilation.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Options/OptionError.h"
#include "HamKaas/Program/CollectProgramInfo.h"
#include "HamKaas/Support/ReportError.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// One target
//===----------------------------------------------------------------------===//

llvm::Error TargetCompilation::run(Phase phase) {
  return runner.run(module, [&](OpPassManager &manager) {
    buildPhase(manager, phase, attr, options);
  });
}

llvm::Error TargetCompilation::lowerToKernels() {
  if (llvm::Error error = runner.beginStep("kernels"))
    return error;
  if (failed(attachTarget(module, attr)))
    return llvm::make_error<ReportedError>();
  return run(Phase::Kernels);
}

llvm::Error TargetCompilation::lowerToPlanned() {
  // Thrift depends on the target, and changes calls.
  bool mayBeThrifty = options.maxWorkspace != 0 && !options.sameCalls;
  OwningOpRef<ModuleOp> graph;
  if (mayBeThrifty)
    graph = module.clone();
  options.mayExceedWorkspace = mayBeThrifty;
  if (llvm::Error error = lowerToKernels())
    return error;
  if (llvm::Error error = runner.beginStep("memory plan"))
    return error;
  if (llvm::Error error = run(Phase::Planned))
    return error;
  return mayBeThrifty ? saveMemory(*graph) : llvm::Error::success();
}

namespace {
/// The cost of a plan.
struct PlanCost {
  /// Of the workspace.
  uint64_t bytes = 0;
  /// Of a run, and of those the ones whose results were computed before.
  uint64_t flops = 0, flopsAgain = 0;

  bool fits(uint64_t limit) const { return bytes <= limit; }

  /// Returns whether a plan with more thrift may be faster.
  bool computesMuchAgain() const { return flopsAgain > flops / 8; }

  /// Thrift costs time, too: it pays off if much less is computed again.
  bool isBetterThan(const PlanCost &other, uint64_t limit) const {
    return other.fits(limit) ? fits(limit) && flopsAgain < other.flopsAgain / 2
                             : bytes < other.bytes;
  }
};
} // namespace

/// The cost of a module in PLANNED.
static PlanCost getPlanCost(ModuleOp module) {
  PlanCost cost;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isEntryFunction(function))
      continue;
    for (BlockArgument argument : function.getArguments())
      if (getRegion(argument) == MemoryRegion::Workspace)
        cost.bytes = std::max<uint64_t>(
            cost.bytes, cast<MemRefType>(argument.getType()).getNumElements());
    for (auto call : function.getOps<func::CallOp>()) {
      auto flops =
          call->getAttrOfType<IntegerAttr>(HamKaasDialect::flopsAttrName);
      uint64_t count = flops ? flops.getInt() : 0;
      cost.flops += count;
      if (call->hasAttr(HamKaasDialect::recomputedAttrName))
        cost.flopsAgain += count;
    }
  }
  return cost;
}

llvm::Error TargetCompilation::lowerThriftily(ModuleOp graph, unsigned thrift,
                                              bool mayExceed) {
  options.thrift = thrift;
  options.mayExceedWorkspace = mayExceed;
  OwningOpRef<ModuleOp> copy = graph.clone();
  module->setAttrs(copy->getOperation()->getAttrDictionary());
  module.getBodyRegion().takeBody(copy->getBodyRegion());
  if (failed(attachTarget(module, attr)))
    return llvm::make_error<ReportedError>();
  if (llvm::Error error = run(Phase::Kernels))
    return error;
  return run(Phase::Planned);
}

/// Compiles `graph` again with more and more thrift while the workspace exceeds
/// the limit, and once more if a plan that fits computes much again. Fails with
/// the error of the least plan if none fits.
llvm::Error TargetCompilation::saveMemory(ModuleOp graph) {
  uint64_t limit = options.maxWorkspace;
  PlanCost best = getPlanCost(module);
  unsigned bestThrift = 0, thrift = 0;
  bool isLastTrial = false;
  while (thrift < PipelineOptions::maxThrift && !isLastTrial &&
         (!best.fits(limit) || best.computesMuchAgain())) {
    isLastTrial = best.fits(limit);
    if (llvm::Error error = lowerThriftily(graph, ++thrift, /*mayExceed=*/true))
      return error;
    PlanCost cost = getPlanCost(module);
    if (!cost.isBetterThan(best, limit))
      continue;
    best = cost;
    bestThrift = thrift;
  }
  if (best.fits(limit) && thrift == bestThrift)
    return llvm::Error::success();
  return lowerThriftily(graph, bestThrift, /*mayExceed=*/false);
}

llvm::Expected<ProgramInfo> TargetCompilation::lowerToLlvm() {
  if (llvm::Error error = lowerToPlanned())
    return std::move(error);
  ProgramInfo info = collectProgramInfo(module);
  info.targetCpu = host.name.str();
  info.isaLevel = host.level;
  info.runsOnCpu = false;
  if (llvm::Error error = runner.beginStep("code"))
    return std::move(error);
  if (llvm::Error error = run(Phase::Device))
    return std::move(error);
  target.describeProgram(module, attr, info);
  if (llvm::Error error = run(Phase::Llvm))
    return std::move(error);
  return info;
}

llvm::Expected<ProgramCode>
TargetCompilation::makeCode(const KernelProgress &progress) {
  ProgramCode code;
  if (llvm::Error error = lowerToLlvm().moveInto(code.info))
    return std::move(error);
  if (llvm::Error error = runner.beginStep("machine code"))
    return std::move(error);
  if (llvm::Error error =
          target.emitObjects(module, attr, host, code.info, progress)
              .moveInto(code.objects))
    return std::move(error);
  return code;
}

llvm::Expected<std::string> TargetCompilation::printDeviceCode() {
  auto info = lowerToLlvm();
  if (!info)
    return info.takeError();
  return target.printDeviceCode(module, attr);
}

//===----------------------------------------------------------------------===//
// Several targets
//===----------------------------------------------------------------------===//

/// Returns whether a call of one target can have the number of that of the
/// other: they say the same in an error and in a profile.
static bool areAlike(const CallInfo &a, const CallInfo &b) {
  return a.ops == b.ops && a.location == b.location && a.check == b.check &&
         a.repetitions == b.repetitions;
}

static bool isSameState(const TensorInfo &a, const TensorInfo &b) {
  return a.name == b.name && a.offset == b.offset && a.shape == b.shape;
}

/// They come first in the constants region, so targets agree on their places.
static bool isSameInitialState(const HamKaasInitialState &a,
                               const HamKaasInitialState &b) {
  return a.state == b.state && a.offset == b.offset && a.bytes == b.bytes;
}

static llvm::Error checkAlike(const ProgramInfo &a, const ProgramInfo &b) {
  if (!a.device.architecture.empty() && !b.device.architecture.empty())
    return makeOptionError(
        OptionId::target,
        llvm::Twine("expected one target for GPUs, got code for ") +
            a.device.architecture + " and for " + b.device.architecture);
  auto haveCallsAlike = [](const FunctionInfo *a, const FunctionInfo *b) {
    return llvm::equal(a->calls, b->calls, areAlike);
  };
  if (llvm::equal(a.functions(), b.functions(), haveCallsAlike) &&
      llvm::equal(a.states, b.states, isSameState) &&
      llvm::equal(a.initialStates, b.initialStates, isSameInitialState))
    return llvm::Error::success();
  return makeOptionError(NamedOption{OptionId::target, "cpu,cuda"},
                         "expected the same calls of kernels on both, which "
                         "this model does not have: compile it for one of "
                         "them");
}

static void joinFunction(FunctionInfo &function, FunctionInfo other) {
  for (auto [call, otherCall] : llvm::zip_equal(function.calls, other.calls))
    if (call.engine.empty())
      call.engine = std::move(otherCall.engine);
  for (uint64_t FunctionInfo::*bytes :
       {&FunctionInfo::workspaceBytes, &FunctionInfo::workspaceLowerBound})
    function.*bytes = std::max(function.*bytes, other.*bytes);
}

llvm::Error hamkaas::joinCode(ProgramCode &program, ProgramCode part) {
  ProgramInfo &info = program.info;
  if (llvm::Error error = checkAlike(info, part.info))
    return error;
  info.runsOnCpu |= part.info.runsOnCpu;
  if (!part.info.device.architecture.empty())
    info.device = std::move(part.info.device);
  for (auto [function, other] :
       llvm::zip_equal(info.functions(), part.info.functions()))
    joinFunction(*function, std::move(*other));
  for (uint64_t ProgramInfo::*bytes :
       {&ProgramInfo::constantsBytes, &ProgramInfo::stateBytes,
        &ProgramInfo::prepareWorkspaceBytes})
    info.*bytes = std::max(info.*bytes, part.info.*bytes);
  // On the CPU, no engine has kernels of a program for both.
  if (info.engineCalls.empty())
    info.engineCalls = std::move(part.info.engineCalls);
  llvm::move(part.objects, std::back_inserter(program.objects));
  return llvm::Error::success();
}
