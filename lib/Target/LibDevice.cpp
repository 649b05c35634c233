//===- LibDevice.cpp - NVIDIA's library of functions ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibDevice.h"
#include "CudaToolkit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace hamkaas {
namespace {

constexpr StringLiteral pathInToolkit = "nvvm/libdevice/libdevice.10.bc";

std::vector<std::string> findDeclared(const Module &module) {
  std::vector<std::string> names;
  for (const Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_"))
      names.push_back(function.getName().str());
  return names;
}

/// The library's file; null if there is none.
std::unique_ptr<MemoryBuffer> openLibrary() {
  for (StringRef toolkit : getCudaToolkits()) {
    SmallString<128> path(toolkit);
    sys::path::append(path, pathInToolkit);
    if (auto buffer = MemoryBuffer::getFile(path))
      return std::move(*buffer);
  }
  return nullptr;
}

/// The functions query settings, which are known here, and are marked for
/// inlining.
Error simplify(Module &module, TargetMachine &machine) {
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
  ModulePassManager passes;
  if (Error error = builder.parsePassPipeline(
          passes, "nvvm-reflect,function(simplifycfg),always-inline,globaldce"))
    return error;
  passes.run(module, modules);
  return Error::success();
}

} // namespace

Error linkLibDevice(Module &module, TargetMachine &machine) {
  std::vector<std::string> names = findDeclared(module);
  if (names.empty())
    return Error::success();
  std::unique_ptr<MemoryBuffer> file = openLibrary();
  if (!file)
    return createStringError(
        "expected libdevice of a CUDA toolkit, which defines " +
        join(names, ", ") +
        ": set CUDA_PATH to the folder of the toolkit, in which '" +
        pathInToolkit + "' is");
  Expected<std::unique_ptr<Module>> library =
      parseBitcodeFile(*file, module.getContext());
  if (!library)
    return joinErrors(createStringError("cannot read libdevice '" +
                                        file->getBufferIdentifier() + "'"),
                      library.takeError());
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  bool failed = Linker::linkModules(
      module, std::move(*library), Linker::LinkOnlyNeeded,
      [](Module &linked, const StringSet<> &added) {
        for (Function &function : linked)
          if (added.contains(function.getName()) && !function.isDeclaration())
            function.setLinkage(GlobalValue::InternalLinkage);
      });
  std::vector<std::string> missing = findDeclared(module);
  if (failed || !missing.empty())
    return createStringError("expected libdevice '" +
                             file->getBufferIdentifier() + "' to define " +
                             join(failed ? names : missing, ", "));
  return simplify(module, machine);
}

} // namespace hamkaas
