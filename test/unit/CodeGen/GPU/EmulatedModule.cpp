//===- EmulatedModule.cpp - Device code as text, to be run ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedModule.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/CodeGen/GPU/Pipelines.h"
#include "HamKaas/Conversion/ProgramToLLVM/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Support/DiagnosticText.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace hamkaas;

EmulatedModule::EmulatedModule(const std::string &text, bool checkAccesses) {
  if (llvm::Error failed = compile(text, checkAccesses))
    error = llvm::toString(std::move(failed));
}

static LogicalResult lower(ModuleOp module, bool checkAccesses) {
  PassManager manager(module.getContext());
  EmulateOptions options;
  options.checkAccesses = checkAccesses;
  buildEmulatePipeline(manager, options);
  manager.addPass(createLinkKernels());
  return manager.run(module);
}

llvm::Error EmulatedModule::compile(const std::string &text,
                                    bool checkAccesses) {
  DialectRegistry registry;
  registerDialects(registry);
  context = std::make_unique<MLIRContext>(registry);
  DiagnosticText diagnostics(context.get());
  auto module = parseSourceString<ModuleOp>(text, context.get(), "kernels");
  if (!module || failed(lower(*module, checkAccesses)))
    return diagnostics.take();
  // It would be dropped, because nothing here refers to it.
  module->lookupSymbol<LLVM::GlobalOp>(deviceImageSymbol)
      .setLinkage(LLVM::Linkage::External);
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(*module, *llvmContext);
  if (!translated)
    return diagnostics.take();
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  if (llvm::Error failed = llvm::orc::LLJITBuilder().create().moveInto(jit))
    return failed;
  if (llvm::Error failed =
          jit->addIRModule({std::move(translated), std::move(llvmContext)}))
    return failed;
  auto symbol = jit->lookup(deviceImageSymbol);
  if (!symbol)
    return symbol.takeError();
  image = symbol->toPtr<const emulation::EmulatedImage *>();
  return llvm::Error::success();
}

std::string EmulatedModule::run(llvm::StringRef kernel,
                                emulation::ThreadOrder order,
                                emulation::EmulatedLaunch launch,
                                std::vector<uint64_t> arguments) {
  emulation::Emulator emulator(order);
  emulator.addConstants(*image);
  for (const emulation::EmulatedKernel &known :
       llvm::ArrayRef(image->kernels, image->kernelCount))
    if (kernel == known.name)
      return emulator.launch(known, launch, arguments.data());
  return "no such kernel";
}
