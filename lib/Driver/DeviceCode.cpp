//===- DeviceCode.cpp - Code for a GPU --------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCode.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Object.h"
#include "LibDevice.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

llvm::Expected<std::string> hamkaas::emitPtx(gpu::GPUModuleOp code,
                                             const GpuArch &arch) {
  auto machine = createGpuTargetMachine(arch);
  if (!machine)
    return machine.takeError();
  // NOTE: before the translation, which tells each access its alignment. By
  // LLVM's own layout, integers of 64 bits would be accessed in halves.
  code->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(),
                StringAttr::get(
                    code.getContext(),
                    (*machine)->createDataLayout().getStringRepresentation()));
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(code, context, "device");
  if (!module)
    return llvm::make_error<ReportedError>();
  module->setTargetTriple((*machine)->getTargetTriple());
  // Several reads are then on their way at a time.
  for (llvm::Function &function : *module)
    if (!function.isDeclaration())
      function.addFnAttr(unrollAttribute);
  if (llvm::Error error = linkLibDevice(*module, **machine))
    return std::move(error);
  auto text = emitAssembly(*module, **machine);
  if (!text)
    return text.takeError();
  return (*text)->getBuffer().str();
}
