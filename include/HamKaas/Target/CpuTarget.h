//===- CpuTarget.h - Processors ---------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TARGET_CPUTARGET_H
#define HAMKAAS_TARGET_CPUTARGET_H

#include "HamKaas/Target/TargetRegistry.h"

namespace hamkaas {

/// Processors of an ISA level of x86-64. Kernels are functions of the program.
/// Other processors override the attribute, the facts and the host.
class CpuTarget : public Target {
public:
  using Target::Target;

  llvm::ArrayRef<OptionId> getOptions() const override;
  std::optional<HamKaasEngineDevice> getEngineDevice() const override {
    return HamKaasEngineCpu;
  }

  llvm::ArrayRef<Precision> getPrecisions() const override;
  llvm::Expected<TargetAttr> select(const CompileSettings &settings,
                                    mlir::MLIRContext *context) const override;
  llvm::LogicalResult verify(
      TargetAttr target,
      llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const override;
  const TargetDescription *describe(TargetAttr target) const override;

  void registerPasses() const override;
  void buildPlannedPipeline(mlir::OpPassManager &manager,
                            const PipelineOptions &options) const override;
  void buildLlvmPipeline(mlir::OpPassManager &manager) const override;

  std::optional<TargetCpu> getHost(TargetAttr target) const override;
  void describeProgram(mlir::ModuleOp module, TargetAttr target,
                       ProgramInfo &info) const override;
  llvm::Expected<ProgramObjects>
  emitObjects(mlir::ModuleOp module, TargetAttr target, const TargetCpu &host,
              ProgramInfo &info, const KernelProgress &progress) const override;

private:
  bool repeatsLeftSides(const PipelineOptions &options) const override;
  bool permutesInCopies(const PipelineOptions &options) const override;
  bool readsRowsAcross(const PipelineOptions &options) const override;
  bool unpacksInProducts(const PipelineOptions &options) const override;
  bool narrowsWeights(const PipelineOptions &options) const override;
  bool narrowsProducts(const PipelineOptions &options) const override;
  bool multipliesBytes(TargetAttr target,
                       const PipelineOptions &options) const override;
  bool widensKeys(const PipelineOptions &options) const override;
  uint64_t getTransformedBytes(const PipelineOptions &options) const override;
  double
  getTransformedElementCost(TargetAttr target,
                            const PipelineOptions &options) const override;
  int64_t getPlanarLanes(TargetAttr target,
                         const PipelineOptions &options) const override;
  bool splitsWindows(const PipelineOptions &options) const override;
  int64_t getDotDepth(TargetAttr target,
                      const PipelineOptions &options) const override;
};

} // namespace hamkaas

#endif // HAMKAAS_TARGET_CPUTARGET_H
