//===- MachineCode.cpp - From the form Llvm to objects ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineCode.h"
#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Object.h"
#include "KernelModules.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;
using namespace hamkaas;

using MaybeModule = llvm::Expected<std::unique_ptr<llvm::Module>>;
using MaybeObject = llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>;

static MaybeModule translate(ModuleOp module, llvm::LLVMContext &context,
                             StringRef name, llvm::TargetMachine &machine) {
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, name);
  if (!llvmModule)
    return llvm::make_error<ReportedError>();
  llvmModule->setTargetTriple(machine.getTargetTriple());
  llvmModule->setDataLayout(machine.createDataLayout());
  return llvmModule;
}

/// What is left of `program` in its module, with the descriptor.
static MaybeModule translate(const ProgramModule &program,
                             llvm::LLVMContext &context,
                             llvm::TargetMachine &machine) {
  MaybeModule module =
      translate(program.module, context, program.info.name, machine);
  if (!module)
    return module;
  if (llvm::Error error =
          addProgramDescriptor(**module, program.info, program.descriptor))
    return std::move(error);
  return module;
}

/// Compiles what `translate(context, machine)` makes.
template <typename Translate>
static MaybeObject compile(const TargetCpu &cpu, Translate translate) {
  auto machine = createTargetMachine(cpu);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  MaybeModule module = translate(context, **machine);
  return module ? emitObject(**module, **machine) : module.takeError();
}

llvm::Expected<ProgramObjects>
hamkaas::emitObjects(const ProgramModule &program) {
  SmallVector<OwningOpRef<ModuleOp>> kernels = takeKernels(program.module);
  ProgramObjects objects(kernels.size() + 1);
  MLIRContext *context = ModuleOp(program.module).getContext();
  std::mutex mutex;
  llvm::Error errors = llvm::Error::success();
  auto emit = [&](size_t i) -> LogicalResult {
    MaybeObject object =
        compile(program.cpu, [&](llvm::LLVMContext &context,
                                 llvm::TargetMachine &machine) {
          return i == 0
                     ? translate(program, context, machine)
                     : translate(*kernels[i - 1], context, "kernel", machine);
        });
    if (llvm::Error error = std::move(object).moveInto(objects[i])) {
      std::lock_guard lock(mutex);
      errors = llvm::joinErrors(std::move(errors), std::move(error));
      return failure();
    }
    return success();
  };
  // The result of what was tried is `errors`.
  (void)failableParallelForEach(context, llvm::seq<size_t>(0, objects.size()),
                                emit);
  if (errors)
    return std::move(errors);
  return objects;
}

llvm::Error hamkaas::printLlvmIr(const ProgramModule &program,
                                 llvm::raw_ostream &stream) {
  auto machine = createTargetMachine(program.cpu);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  MaybeModule module = translate(program, context, **machine);
  if (!module)
    return module.takeError();
  (*module)->print(stream, nullptr);
  return llvm::Error::success();
}

llvm::Error hamkaas::printAssembly(const ProgramModule &program,
                                   llvm::raw_ostream &stream) {
  auto machine = createTargetMachine(program.cpu);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  MaybeModule module = translate(program, context, **machine);
  if (!module)
    return module.takeError();
  auto text = emitAssembly(**module, **machine);
  if (!text)
    return text.takeError();
  stream << (*text)->getBuffer();
  return llvm::Error::success();
}
