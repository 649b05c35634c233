//===- CpuTarget.cpp - Processors -------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Target/CpuTarget.h"
#include "HamKaas/CodeGen/CPU/Passes.h"
#include "HamKaas/CodeGen/CPU/Pipelines.h"
#include "HamKaas/CodeGen/Kernel/Contraction.h"
#include "HamKaas/CodeGen/Kernel/TargetDescription.h"
#include "HamKaas/Conversion/ProgramToLLVM/Passes.h"
#include "HamKaas/Dialect/HamKaas/Plan/Passes.h"
#include "HamKaas/Target/Pipelines.h"

using namespace mlir;
using namespace hamkaas;

ArrayRef<OptionId> CpuTarget::getOptions() const {
  static constexpr OptionId options[] = {OptionId::target_cpu};
  return options;
}

llvm::Expected<TargetAttr> CpuTarget::select(const CompileSettings &settings,
                                             MLIRContext *context) const {
  auto cpu = resolveTargetCpu(settings.targetCpu);
  if (!cpu)
    return cpu.takeError();
  // Beside a GPU, the option is about that.
  bool isAlone = settings.target == getName();
  Precision precision =
      isAlone ? *symbolizePrecision(settings.precision) : Precision::Exact;
  return TargetAttr::get(context, getName(), cpu->name, precision, {});
}

ArrayRef<Precision> CpuTarget::getPrecisions() const {
  static constexpr Precision precisions[] = {Precision::Exact, Precision::BF16};
  return precisions;
}

LogicalResult
CpuTarget::verify(TargetAttr target,
                  function_ref<InFlightDiagnostic()> emitError) const {
  if (!getHost(target))
    return emitError() << "expected an ISA level such as 'x86-64-v3' as the "
                          "chip of target '"
                       << getName() << "', got '" << target.getChip() << "'";
  if (!target.getBinaries().empty())
    return emitError() << "expected no binaries of target '" << getName()
                       << "', got " << target.getBinaries().size();
  return success();
}

const TargetDescription *CpuTarget::describe(TargetAttr target) const {
  return lookupTarget(target.getChip());
}

void CpuTarget::registerPasses() const {
  registerHamKaasCPUPasses();
  registerCPUPipelines();
}

bool CpuTarget::repeatsLeftSides(const PipelineOptions &options) const {
  // Kernels of a GPU do not, and have the same calls then.
  return !options.sameCalls;
}

bool CpuTarget::permutesInCopies(const PipelineOptions &options) const {
  return !options.sameCalls;
}

bool CpuTarget::readsRowsAcross(const PipelineOptions &options) const {
  return !options.sameCalls;
}

bool CpuTarget::unpacksInProducts(const PipelineOptions &options) const {
  return !options.sameCalls;
}

bool CpuTarget::narrowsWeights(const PipelineOptions &options) const {
  return !options.sameCalls;
}

bool CpuTarget::narrowsProducts(const PipelineOptions &options) const {
  // Every level of x86-64 adds up pairs of such products in one instruction.
  return !options.sameCalls;
}

bool CpuTarget::multipliesBytes(TargetAttr target,
                                const PipelineOptions &options) const {
  return !options.sameCalls && describe(target)->lanes > 8;
}

bool CpuTarget::widensKeys(const PipelineOptions &options) const {
  return !options.sameCalls;
}

uint64_t CpuTarget::getTransformedBytes(const PipelineOptions &options) const {
  // They are read again soon, from the last level of the caches. The number is
  // the same on all machines, because sums over slices depend on it. A step of
  // ResNet-9 takes 0.96 of the time with it, and 0.97 with half or twice it.
  return options.sameCalls ? 0 : uint64_t(12) << 20;
}

double
CpuTarget::getTransformedElementCost(TargetAttr target,
                                     const PipelineOptions &options) const {
  if (options.sameCalls)
    return 0;
  // Measured with vectors of 8 (AMD Zen 3, 8 to 128 channels) and of 16 (Intel
  // Xeon, 64 channels), which multiply faster and move data as slowly.
  return describe(target)->lanes > 8 ? 20 : 12;
}

int64_t CpuTarget::getPlanarLanes(TargetAttr target,
                                  const PipelineOptions &options) const {
  return options.sameCalls ? 0 : describe(target)->lanes;
}

bool CpuTarget::splitsWindows(const PipelineOptions &options) const {
  // Parts need memory between them.
  return !options.sameCalls && options.thrift == 0;
}

int64_t CpuTarget::getDotDepth(TargetAttr target,
                               const PipelineOptions &options) const {
  return options.sameCalls ? 0 : minDotVectors * describe(target)->lanes;
}

void CpuTarget::buildPlannedPipeline(OpPassManager &manager,
                                     const PipelineOptions &options) const {
  Target::buildPlannedPipeline(manager, options);
  if (options.sameCalls || !options.isEnabled("fuse-calls"))
    return;
  manager.addPass(createFuseColumns());
  manager.addPass(createFuseTiles());
  manager.addPass(createVerifyPlanned());
}

void CpuTarget::buildLlvmPipeline(OpPassManager &manager) const {
  manager.addPass(createLowerProgram());
  // Nothing calls a kernel as a function any more: its tiles may be split.
  manager.addPass(createDistributeTiles());
  buildLowerKernelsPipeline(manager);
  manager.addPass(createLinkKernels());
  manager.addPass(createVerifyTarget());
}

std::optional<TargetCpu> CpuTarget::getHost(TargetAttr target) const {
  return findTargetCpu(target.getChip());
}

void CpuTarget::describeProgram(ModuleOp, TargetAttr, ProgramInfo &info) const {
  info.runsOnCpu = true;
}

llvm::Expected<ProgramObjects>
CpuTarget::emitObjects(ModuleOp module, TargetAttr, const TargetCpu &host,
                       ProgramInfo &, const KernelProgress &progress) const {
  return emitCode(module, host, progress);
}
