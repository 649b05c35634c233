//===- TargetCompilation.cpp - A graph for one target -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetCompilation.h"
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
  if (llvm::Error error = lowerToKernels())
    return error;
  if (llvm::Error error = runner.beginStep("memory plan"))
    return error;
  return run(Phase::Planned);
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
  llvm::move(part.objects, std::back_inserter(program.objects));
  return llvm::Error::success();
}
