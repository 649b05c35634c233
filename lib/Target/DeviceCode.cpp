//===- DeviceCode.cpp - Code for a GPU --------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Target/DeviceCode.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Program/EmitObject.h"
#include "HamKaas/Support/ReportError.h"
#include "LibDevice.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace hamkaas;

std::vector<DeviceKernelInfo>
hamkaas::collectDeviceKernels(gpu::GPUModuleOp code) {
  std::vector<DeviceKernelInfo> kernels;
  for (auto function : code.getOps<gpu::GPUFuncOp>()) {
    DeviceKernelInfo kernel;
    kernel.name = function.getName();
    // The last two are `failure` and the call.
    kernel.argumentCount = function.getNumArguments() - 2;
    kernel.threads = function.getKnownBlockSize()->front();
    kernel.blocks = function.getKnownGridSize()->front();
    kernel.sharedBytes =
        function
            ->getAttrOfType<IntegerAttr>(HamKaasDialect::sharedBytesAttrName)
            .getInt();
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

/// Makes a kernel wait for the one before it, which it may overlap until then.
/// Then it allows the next one to start: so a kernel that starts knows that all
/// but the one before it are done.
///
/// NOTE: what was written meanwhile may be read by `ld.global.nc` after the
/// wait, as nvcc does after cudaGridDependencySynchronize. Tests check that
/// neither LLVM nor ptxas moves such a read up; plain reads made convolutions,
/// which read and write in turns, 5% slower.
static void addWait(LLVM::LLVMFuncOp kernel) {
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  for (NVVM::GridDepActionKind action :
       {NVVM::GridDepActionKind::wait,
        NVVM::GridDepActionKind::launch_dependents})
    NVVM::GriddepcontrolOp::create(builder, kernel.getLoc(), action);
}

/// A copy of the code as GPUs of `arch` run it.
static OwningOpRef<gpu::GPUModuleOp> specialize(gpu::GPUModuleOp code,
                                                const GpuArch &arch) {
  OwningOpRef<gpu::GPUModuleOp> version(code.clone());
  for (auto function : version->getOps<LLVM::LLVMFuncOp>())
    if (arch.waits() &&
        function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      addWait(function);
  return version;
}

llvm::Expected<std::string> hamkaas::emitPtx(gpu::GPUModuleOp module,
                                             const GpuArch &arch) {
  auto machine = createGpuTargetMachine(arch);
  if (!machine)
    return machine.takeError();
  OwningOpRef<gpu::GPUModuleOp> version = specialize(module, arch);
  gpu::GPUModuleOp code = *version;
  // NOTE: before the translation, which tells each access its alignment. By
  // LLVM's own layout, integers of 64 bits would be accessed in halves.
  code->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(),
                StringAttr::get(
                    code.getContext(),
                    (*machine)->createDataLayout().getStringRepresentation()));
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(code, context, "device");
  if (!translated)
    return llvm::make_error<ReportedError>();
  translated->setTargetTriple((*machine)->getTargetTriple());
  // Several reads are then on their way at a time.
  for (llvm::Function &function : *translated)
    if (!function.isDeclaration())
      function.addFnAttr(unrollAttribute);
  if (llvm::Error error = linkLibDevice(*translated, **machine))
    return std::move(error);
  auto text = emitAssembly(*translated, **machine);
  if (!text)
    return text.takeError();
  return (*text)->getBuffer().str();
}
