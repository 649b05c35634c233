//===- CudaTarget.cpp - NVIDIA GPUs -----------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTarget.h"
#include "HamKaas/CodeGen/GPU/GpuDescription.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/CodeGen/GPU/Pipelines.h"
#include "HamKaas/Conversion/ProgramToLLVM/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Dialect/HamKaas/Plan/Passes.h"
#include "HamKaas/Target/DeviceCode.h"
#include "HamKaas/Target/EmitCode.h"
#include "HamKaas/Target/Fatbin.h"
#include "HamKaas/Target/Pipelines.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

ArrayRef<OptionId> CudaTarget::getOptions() const {
  static constexpr OptionId options[] = {OptionId::gpu_arch};
  return options;
}

ArrayRef<Precision> CudaTarget::getPrecisions() const {
  static constexpr Precision precisions[] = {
      Precision::Exact, Precision::TF32, Precision::TF32x3, Precision::BF16};
  return precisions;
}

static TargetAttr makeAttr(StringRef name, const GpuArch &arch,
                           StringRef precision, MLIRContext *context) {
  auto binaries = llvm::map_to_vector(arch.machineCode, [&](StringRef chip) {
    return StringAttr::get(context, chip);
  });
  return TargetAttr::get(context, name, arch.name,
                         *symbolizePrecision(precision), binaries);
}

llvm::Expected<TargetAttr> CudaTarget::select(const CompileSettings &settings,
                                              MLIRContext *context) const {
  if (settings.gpuArch == emulationArch)
    return TargetRegistry::get(context)
        .lookup(cudaEmulationName)
        ->select(settings, context);
  auto arch = resolveGpuArch(settings.gpuArch);
  if (!arch)
    return arch.takeError();
  return makeAttr(getName(), *arch, settings.precision, context);
}

static GpuArch getArch(TargetAttr target) {
  GpuArch arch = *findGpuArch(target.getChip());
  for (StringAttr chip : target.getBinaries())
    arch.machineCode.push_back(chip.str());
  return arch;
}

LogicalResult
CudaTarget::verify(TargetAttr target,
                   function_ref<InFlightDiagnostic()> emitError) const {
  auto check = [&](StringRef chip) -> LogicalResult {
    if (findGpuArch(chip))
      return success();
    return emitError() << "expected an architecture of NVIDIA GPUs such as "
                          "'sm_80' as a chip of target '"
                       << getName() << "', got '" << chip << "'";
  };
  if (failed(check(target.getChip())))
    return failure();
  for (StringAttr chip : target.getBinaries())
    if (failed(check(chip)))
      return failure();
  return success();
}

const TargetDescription *CudaTarget::describe(TargetAttr) const {
  return &gpuDescription;
}

//===----------------------------------------------------------------------===//
// The pipelines
//===----------------------------------------------------------------------===//

bool CudaTarget::computesRows(const PipelineOptions &options) const {
  // A CPU that must make the same calls would gain nothing.
  return !options.sameCalls;
}

void CudaTarget::addGroupPasses(OpPassManager &manager,
                                const PipelineOptions &options) const {
  // Rounding would be calls that a processor does not need.
  if (!options.sameCalls)
    manager.addPass(createRoundFactors());
}

void CudaTarget::buildPlannedPipeline(OpPassManager &manager,
                                      const PipelineOptions &options) const {
  manager.addNestedPass<func::FuncOp>(createEmitDeviceKernels());
  Target::buildPlannedPipeline(manager, options);
  // A CPU would gain nothing.
  if (options.sameCalls || !options.isEnabled("fuse-calls"))
    return;
  manager.addPass(createFuseCalls());
  manager.addPass(createVerifyPlanned());
}

void CudaTarget::buildDevicePipeline(OpPassManager &manager) const {
  buildOutlineKernelsPipeline(manager);
}

void CudaTarget::registerPasses() const {
  registerHamKaasGPUPasses();
  registerGPUPipelines();
}

void CudaTarget::buildLlvmPipeline(OpPassManager &manager) const {
  manager.addPass(createLowerDeviceProgram());
  buildLowerDevicePipeline(manager);
  manager.addPass(createVerifyTarget());
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

llvm::Expected<std::string> CudaTarget::findTools(TargetAttr target) const {
  return findAssembler(getArch(target));
}

static gpu::GPUModuleOp getDeviceCode(ModuleOp module) {
  return *module.getOps<gpu::GPUModuleOp>().begin();
}

void CudaTarget::describeProgram(ModuleOp module, TargetAttr target,
                                 ProgramInfo &info) const {
  GpuArch arch = getArch(target);
  info.device.architecture = arch.name;
  info.device.machineCode = arch.machineCode;
  info.device.waitsFrom =
      arch.versions().back().waits() ? waitingCapability : 0;
  info.device.precision = stringifyPrecision(target.getPrecision()).str();
  info.device.kernels = collectDeviceKernels(getDeviceCode(module));
}

/// PTX and a zero, or a fatbin.
static llvm::Expected<std::string> makeImage(gpu::GPUModuleOp device,
                                             const GpuArch &arch,
                                             const ProgramInfo &info) {
  std::vector<PtxVersion> versions;
  for (const GpuArch &version : arch.versions()) {
    auto ptx = emitPtx(device, version);
    if (!ptx)
      return ptx.takeError();
    versions.push_back({version, std::move(*ptx)});
  }
  if (!arch.machineCode.empty())
    return makeFatbin(versions, info);
  return std::move(versions.front().ptx) + '\0';
}

llvm::Expected<ProgramObjects>
CudaTarget::emitObjects(ModuleOp module, TargetAttr target,
                        const TargetCpu &host, ProgramInfo &info,
                        const KernelProgress &progress) const {
  gpu::GPUModuleOp device = getDeviceCode(module);
  auto bytes = makeImage(device, getArch(target), info);
  if (!bytes)
    return bytes.takeError();
  device.erase();
  info.device.imageBytes = bytes->size();
  auto image = emitImage(host, *bytes);
  if (!image)
    return image.takeError();
  auto objects = emitCode(module, host, progress);
  if (objects)
    objects->push_back(std::move(*image));
  return objects;
}

llvm::Expected<std::string>
CudaTarget::printDeviceCode(ModuleOp module, TargetAttr target) const {
  return emitPtx(getDeviceCode(module), getArch(target));
}

//===----------------------------------------------------------------------===//
// The emulator
//===----------------------------------------------------------------------===//

llvm::Expected<TargetAttr>
CudaEmulationTarget::select(const CompileSettings &settings,
                            MLIRContext *context) const {
  auto arch = resolveGpuArch(settings.gpuArch == emulationArch
                                 ? CompileSettings().gpuArch
                                 : settings.gpuArch);
  if (!arch)
    return arch.takeError();
  // No GPU runs the code.
  arch->machineCode.clear();
  return makeAttr(getName(), *arch, settings.precision, context);
}

void CudaEmulationTarget::buildLlvmPipeline(OpPassManager &manager) const {
  manager.addPass(createLowerDeviceProgram());
  buildEmulatePipeline(manager, EmulateOptions());
  manager.addPass(createLinkKernels());
  manager.addPass(createVerifyTarget());
}

void CudaEmulationTarget::describeProgram(ModuleOp module, TargetAttr target,
                                          ProgramInfo &info) const {
  CudaTarget::describeProgram(module, target, info);
  // So that no GPU takes the program for its own.
  info.device.architecture = emulationArch.str();
  info.device.waitsFrom = 0;
}

llvm::Expected<ProgramObjects>
CudaEmulationTarget::emitObjects(ModuleOp module, TargetAttr,
                                 const TargetCpu &host, ProgramInfo &info,
                                 const KernelProgress &progress) const {
  auto image = module.lookupSymbol<LLVM::GlobalOp>(deviceImageSymbol);
  image.setLinkage(LLVM::Linkage::External);
  info.device.imageBytes = 1;
  return emitCode(module, host, progress);
}

llvm::Expected<std::string>
CudaEmulationTarget::printDeviceCode(ModuleOp module, TargetAttr target) const {
  return Target::printDeviceCode(module, target);
}
