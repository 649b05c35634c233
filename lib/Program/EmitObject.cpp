//===- EmitObject.cpp - Machine code from an LLVM module --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/EmitObject.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace hamkaas {
namespace {

/// Unrolls the loops of functions that request it, and infers the alignment of
/// their accesses: contiguous reads then merge where the target allows.
struct UnrollPass : PassInfoMixin<UnrollPass> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    if (!function.hasFnAttribute(unrollAttribute))
      return PreservedAnalyses::all();
    FunctionPassManager passes;
    passes.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass()));
    passes.addPass(LoopUnrollPass());
    passes.addPass(InferAlignmentPass());
    return passes.run(function, analyses);
  }
};

/// Freezes quotients and remainders, such as the coordinates of a row, which
/// are found from its number. Scalar evolution then treats them as unknown
/// instead of expanding each to a tree of that number. Loop strength reduction,
/// which takes every sum apart, takes 22 % of the code generation of Inception
/// v3 instead of 33 (AMD EPYC, Zen 3).
struct FreezeQuotientsPass : PassInfoMixin<FreezeQuotientsPass> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    // In row kernels, coordinates often add up to the number itself, which only
    // scalar evolution sees.
    if (function.hasFnAttribute(unrollAttribute))
      return PreservedAnalyses::all();
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      if (!instruction.isIntDivRem() || instruction.getType()->isVectorTy())
        continue;
      auto *frozen = new FreezeInst(&instruction, "",
                                    std::next(instruction.getIterator()));
      instruction.replaceUsesWithIf(
          frozen, [&](Use &use) { return use.getUser() != frozen; });
    }
    return PreservedAnalyses::none();
  }
};

/// The passes for loops that were emitted in their final shape.
FunctionPassManager makeCleanup() {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(UnrollPass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(FreezeQuotientsPass());
  return passes;
}

/// NOTE: not the pipeline of -O2. The emitters vectorize and order loops
/// themselves, and unroll where it is worth it; looking for more took a third
/// of a compilation and made no other kernel faster.
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
  createModuleToFunctionPassAdaptor(makeCleanup()).run(module, modules);
}

/// Lets code generation skip passes, which have no options for one module or
/// function.
class SkippedPasses : public OptPassGate {
public:
  explicit SkippedPasses(const Module &module)
      : reducesStrength(!all_of(module, [](const Function &function) {
          return function.isDeclaration() ||
                 function.hasFnAttribute(plainAddressesAttribute);
        })) {
    for (const Function &function : module)
      if (function.hasFnAttribute(keepOrderAttribute))
        kept.insert(("function (" + function.getName() + ")").str());
  }

  bool skipsAny() const { return !reducesStrength || !kept.empty(); }

  /// `description` is that of a function or a loop.
  bool shouldRunPass(StringRef pass, StringRef description) const override {
    if (pass == "Loop Strength Reduction")
      return reducesStrength;
    return pass != "machine-scheduler" || !kept.contains(description);
  }
  bool isEnabled() const override { return true; }

private:
  bool reducesStrength;
  StringSet<> kept;
};

Expected<std::unique_ptr<MemoryBuffer>>
emit(Module &module, TargetMachine &machine, CodeGenFileType fileType) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(PICLevel::BigPIC);
  std::string message;
  raw_string_ostream messageStream(message);
  if (verifyModule(module, &messageStream))
    return createStringError("generated code is invalid: " + message);

  if (machine.getOptLevel() != CodeGenOptLevel::None)
    optimize(module, machine);
  SkippedPasses gate(module);
  OptPassGate &previous = module.getContext().getOptPassGate();
  if (gate.skipsAny())
    module.getContext().setOptPassGate(gate);
  scope_exit restore([&] { module.getContext().setOptPassGate(previous); });
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
