//===- EmitCode.cpp - From the form Llvm to objects -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Target/EmitCode.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/KernelFamily.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Program/EmitObject.h"
#include "HamKaas/Support/ReportError.h"
#include "KernelModules.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;
using namespace hamkaas;

using MaybeModule = llvm::Expected<std::unique_ptr<llvm::Module>>;
using MaybeObject = llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>;

/// Rows are short loops over vectors: unrolled, a softmax takes 5 % less time,
/// a layer normalization up to 10 %. Others do not gain.
static bool isUnrolled(LLVM::LLVMFuncOp function) {
  return getKernelFamily(function) == KernelFamily::Row;
}

/// Tells LLVM how to compile the kernels.
static void chooseAttributes(ModuleOp module) {
  Builder builder(module.getContext());
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    SmallVector<Attribute> attributes;
    if (ArrayAttr given = function.getPassthroughAttr())
      llvm::append_range(attributes, given);
    if (isUnrolled(function))
      attributes.push_back(builder.getStringAttr(unrollAttribute));
    if (hasPlainAddresses(function))
      attributes.push_back(builder.getStringAttr(plainAddressesAttribute));
    if (function->hasAttr(HamKaasDialect::keepsOrderAttrName))
      attributes.push_back(builder.getStringAttr(keepOrderAttribute));
    if (!attributes.empty())
      function.setPassthroughAttr(builder.getArrayAttr(attributes));
  }
}

static MaybeModule translate(ModuleOp module, llvm::LLVMContext &context,
                             StringRef name, llvm::TargetMachine &machine) {
  chooseAttributes(module);
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, name);
  if (!llvmModule)
    return llvm::make_error<ReportedError>();
  llvmModule->setTargetTriple(machine.getTargetTriple());
  llvmModule->setDataLayout(machine.createDataLayout());
  return llvmModule;
}

/// Code and descriptor in one module.
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

/// The order in which threads take the parts: what takes long comes first, so
/// that no thread is left with it at the end. The first part has the calls.
static SmallVector<size_t> orderParts(ArrayRef<KernelModule> kernels) {
  auto order = llvm::to_vector(llvm::seq<size_t>(0, kernels.size() + 1));
  llvm::stable_sort(
      MutableArrayRef(order).drop_front(), [&](size_t a, size_t b) {
        return kernels[a - 1].operations > kernels[b - 1].operations;
      });
  return order;
}

llvm::Expected<ProgramObjects>
hamkaas::emitCode(ModuleOp module, const TargetCpu &cpu,
                  const KernelProgress &progress) {
  SmallVector<KernelModule> kernels = takeKernels(module);
  int total = 0;
  for (const KernelModule &part : kernels)
    total += part.kernels;
  ProgramObjects objects(kernels.size() + 1);
  std::mutex mutex;
  int done = 0;
  llvm::Error errors = llvm::Error::success();
  auto emit = [&](size_t i) -> LogicalResult {
    KernelModule *part = i > 0 ? &kernels[i - 1] : nullptr;
    MaybeObject object = compile(cpu, [&](llvm::LLVMContext &context,
                                          llvm::TargetMachine &machine) {
      // Faster calls would not be noticed beside the kernels, but optimizing
      // them takes a tenth of the compile time of DenseNet-121 (AMD EPYC, Zen
      // 3).
      if (!part)
        machine.setOptLevel(llvm::CodeGenOptLevel::None);
      return translate(part ? *part->module : module, context, "code", machine);
    });
    llvm::Error error = std::move(object).moveInto(objects[i]);
    std::lock_guard lock(mutex);
    if (!error && part && progress)
      progress(done += part->kernels, total);
    if (!error)
      return success();
    errors = llvm::joinErrors(std::move(errors), std::move(error));
    return failure();
  };
  // Failures are in `errors`.
  (void)failableParallelForEach(module.getContext(), orderParts(kernels), emit);
  if (errors)
    return std::move(errors);
  return objects;
}

MaybeObject hamkaas::emitImage(const TargetCpu &cpu, StringRef bytes) {
  return compile(cpu, [&](llvm::LLVMContext &context, llvm::TargetMachine &) {
    auto module = std::make_unique<llvm::Module>("device code", context);
    llvm::Constant *value =
        llvm::ConstantDataArray::getString(context, bytes, /*AddNull=*/false);
    auto *image = new llvm::GlobalVariable(
        *module, value->getType(), /*isConstant=*/true,
        llvm::GlobalValue::ExternalLinkage, value, deviceImageSymbol);
    image->setVisibility(llvm::GlobalValue::HiddenVisibility);
    image->setAlignment(llvm::Align(HAMKAAS_DEVICE_TENSOR_ALIGNMENT));
    return MaybeModule(std::move(module));
  });
}

static void declare(llvm::Module &module, StringRef name) {
  // NOTE: only its address is used; the type is of no interest.
  auto *type = llvm::FunctionType::get(
      llvm::Type::getVoidTy(module.getContext()), /*isVarArg=*/false);
  module.getOrInsertFunction(name, type);
}

MaybeObject hamkaas::emitDescriptor(const TargetCpu &cpu,
                                    const ProgramInfo &info,
                                    const DescriptorOptions &options) {
  return compile(
      cpu,
      [&](llvm::LLVMContext &context,
          llvm::TargetMachine &machine) -> MaybeModule {
        auto module = std::make_unique<llvm::Module>(info.name, context);
        for (size_t i = 0; i < info.functions().size(); ++i) {
          declare(*module, getRunSymbol(runSymbol, i));
          declare(*module, getRunSymbol(deviceRunSymbol, i));
        }
        declare(*module, prepareSymbol);
        declare(*module, devicePrepareSymbol);
        if (llvm::Error error = addProgramDescriptor(*module, info, options))
          return std::move(error);
        return module;
      });
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
