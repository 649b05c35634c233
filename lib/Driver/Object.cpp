//===- Object.cpp - Machine code from an LLVM module ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Object.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace hamkaas {
namespace {

void optimize(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraph;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2)
      .run(module, modules);
}

Expected<std::unique_ptr<MemoryBuffer>>
emit(Module &module, TargetMachine &machine, CodeGenFileType fileType) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(PICLevel::BigPIC);
  std::string message;
  raw_string_ostream messageStream(message);
  if (verifyModule(module, &messageStream))
    return createStringError("generated code is invalid: " + message);

  optimize(module, machine);
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, stream, /*DwoOut=*/nullptr,
                                  fileType))
    return createStringError("the target cannot emit this kind of file");
  codegen.run(module);
  return std::make_unique<SmallVectorMemoryBuffer>(
      std::move(bytes), module.getModuleIdentifier(),
      /*RequiresNullTerminator=*/false);
}

} // namespace

Expected<std::unique_ptr<MemoryBuffer>> emitObject(Module &module,
                                                   TargetMachine &machine) {
  return emit(module, machine, CodeGenFileType::ObjectFile);
}

Expected<std::unique_ptr<MemoryBuffer>> emitAssembly(Module &module,
                                                     TargetMachine &machine) {
  return emit(module, machine, CodeGenFileType::AssemblyFile);
}

} // namespace hamkaas
