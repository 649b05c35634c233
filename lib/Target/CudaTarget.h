//===- CudaTarget.h - NVIDIA GPUs -------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_TARGET_CUDATARGET_H
#define HAMKAAS_LIB_TARGET_CUDATARGET_H

#include "HamKaas/Target/TargetRegistry.h"

namespace hamkaas {

/// The name of CudaEmulationTarget.
inline constexpr llvm::StringLiteral cudaEmulationName = "cuda-emulation";

/// NVIDIA GPUs. Kernels are in an image that the driver of the GPU loads; the
/// host's code launches them.
class CudaTarget : public Target {
public:
  using Target::Target;

  llvm::ArrayRef<OptionId> getOptions() const override;
  llvm::ArrayRef<Precision> getPrecisions() const override;
  std::optional<HamKaasEngineDevice> getEngineDevice() const override {
    return HamKaasEngineCuda;
  }

  llvm::Expected<TargetAttr> select(const CompileSettings &settings,
                                    mlir::MLIRContext *context) const override;
  llvm::LogicalResult verify(
      TargetAttr target,
      llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const override;
  const TargetDescription *describe(TargetAttr target) const override;

  void registerPasses() const override;
  void buildPlannedPipeline(mlir::OpPassManager &manager,
                            const PipelineOptions &options) const override;
  void buildDevicePipeline(mlir::OpPassManager &manager) const override;
  void buildLlvmPipeline(mlir::OpPassManager &manager) const override;

  llvm::Expected<std::string> findTools(TargetAttr target) const override;
  void describeProgram(mlir::ModuleOp module, TargetAttr target,
                       ProgramInfo &info) const override;
  llvm::Expected<ProgramObjects>
  emitObjects(mlir::ModuleOp module, TargetAttr target, const TargetCpu &host,
              ProgramInfo &info, const KernelProgress &progress) const override;
  llvm::Expected<std::string> printDeviceCode(mlir::ModuleOp module,
                                              TargetAttr target) const override;

protected:
  bool computesRows(const PipelineOptions &options) const override;
  void addGroupPasses(mlir::OpPassManager &manager,
                      const PipelineOptions &options) const override;
};

/// The emulator of such GPUs in lib/Emulation. Kernels are functions of the
/// program, which the image refers to.
class CudaEmulationTarget : public CudaTarget {
public:
  using CudaTarget::CudaTarget;

  /// Its memory is that of the process.
  std::optional<HamKaasEngineDevice> getEngineDevice() const override {
    return HamKaasEngineCpu;
  }

  llvm::Expected<TargetAttr> select(const CompileSettings &settings,
                                    mlir::MLIRContext *context) const override;

  /// Those of CudaTarget.
  void registerPasses() const override {}
  void buildLlvmPipeline(mlir::OpPassManager &manager) const override;

  void describeProgram(mlir::ModuleOp module, TargetAttr target,
                       ProgramInfo &info) const override;
  llvm::Expected<ProgramObjects>
  emitObjects(mlir::ModuleOp module, TargetAttr target, const TargetCpu &host,
              ProgramInfo &info, const KernelProgress &progress) const override;
  llvm::Expected<std::string> printDeviceCode(mlir::ModuleOp module,
                                              TargetAttr target) const override;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_TARGET_CUDATARGET_H
